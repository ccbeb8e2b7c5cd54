package e2e_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/warmykman"
)

// watch collects what ykman's processes reveal while a test runs, and the secrets that
// they must not reveal. Often the secrets are known only afterwards, so both are kept
// and compared at the end.
type watch struct {
	mu      sync.Mutex
	folder  string            // the processes' reports; empty: none are collected
	secrets map[string]string // by value, what it is
}

// newWatch only collects secrets; path makes it watch.
func newWatch() *watch { return &watch{secrets: map[string]string{}} }

// witness replaces ykman: it records its argument vector and environment, as any user
// of the machine or its own user can read them, and then executes ykman.
const witness = `#!/bin/sh
for shown in cmdline environ; do
	cat /proc/$$/$shown >%[1]s/$$.$shown
done
exec %[2]s "$@"
`

// path returns a PATH that leads to the real ykman through the watch.
func (w *watch) path(t testing.TB) string {
	t.Helper()
	ykman, err := warmykman.Real()
	if err != nil {
		t.Fatal(err)
	}
	w.folder = t.TempDir()
	bin := t.TempDir()
	must.Program(t, filepath.Join(bin, "ykman"), fmt.Sprintf(witness, w.folder, ykman))
	return bin + string(os.PathListSeparator) + warmykman.ColdPath()
}

// shown returns what the processes revealed, each text prefixed with its kind.
func (w *watch) shown(t testing.TB) (texts []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(w.folder, "*.*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the watch saw nothing: %v", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.TrimPrefix(filepath.Ext(file), ".")+": "+string(raw))
	}
	return texts
}

// secret records a value that must not be found anywhere.
func (w *watch) secret(what, value string) {
	if len(value) < 6 {
		panic("too short to look for: " + what)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.secrets[value] = what
}

// saw reports whether some process had all words in its argument vector.
func (w *watch) saw(t testing.TB, words ...string) bool {
	t.Helper()
	return slices.ContainsFunc(w.shown(t), func(text string) bool {
		lacks := func(word string) bool { return !strings.Contains(text, word) }
		return strings.HasPrefix(text, "cmdline: ") && !slices.ContainsFunc(words, lacks)
	})
}

// processes names the secrets that the processes revealed, without showing them.
func (w *watch) processes(t testing.TB) (found []string) {
	t.Helper()
	for _, text := range w.shown(t) {
		found = append(found, w.text(clip(text), text)...)
	}
	return found
}

// text searches the text of one place.
func (w *watch) text(where, text string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []string
	for value, what := range w.secrets {
		if bounded(text, value) {
			found = append(found, what+" in "+strings.ReplaceAll(where, value, "[it]"))
		}
	}
	return found
}

// files searches every file below a folder for the values and for encodings that are as
// good as clear text.
func (w *watch) files(t testing.TB, dir string) []string {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for value, what := range w.secrets {
			for form, bytesOf := range forms(value) {
				if bytes.Contains(raw, bytesOf) {
					found = append(found, what+" ("+form+") in "+filepath.Base(path))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// forms returns encodings of a value that hide nothing.
func forms(value string) map[string][]byte {
	list := map[string][]byte{
		"itself": []byte(value),
		"base64": []byte(base64.StdEncoding.EncodeToString([]byte(value))[:len(value)/3*4]),
		"hex":    []byte(hex.EncodeToString([]byte(value))),
	}
	if raw, err := hex.DecodeString(value); err == nil && len(raw) >= 16 { // a management key
		list["bytes"] = raw
		list["upper case"] = []byte(strings.ToUpper(value))
	}
	return list
}

// bounded finds a value in a text. A number within a longer one, such as a timestamp,
// does not count.
func bounded(text, value string) bool {
	for rest := text; ; {
		i := strings.Index(rest, value)
		if i < 0 {
			return false
		}
		end := i + len(value)
		if (i == 0 || !digit(rest[i-1])) && (end == len(rest) || !digit(rest[end])) {
			return true
		}
		if !digit(value[0]) || !digit(value[len(value)-1]) {
			return true
		}
		rest = rest[i+1:]
	}
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func clip(text string) string {
	if len(text) > 300 {
		text = text[:300]
	}
	return strings.ReplaceAll(text, "\x00", " ")
}
