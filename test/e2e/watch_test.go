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

	"github.com/keyward/keyward/test/warmykman"
)

// watch collects what ykman's processes show of themselves while a test runs, and the
// secrets that may not be found there. The secrets are often known only afterwards, so
// both are kept and compared at the end.
type watch struct {
	mu      sync.Mutex
	folder  string            // of what the processes show; empty: nobody looks
	secrets map[string]string // value to what it is
}

// newWatch only takes notes; path makes it look.
func newWatch() *watch { return &watch{secrets: map[string]string{}} }

// witness stands in ykman's place: it writes down its argument vector and its
// environment, as any user of the machine or its own can read them, and becomes ykman.
const witness = `#!/bin/sh
for shown in cmdline environ; do
	cat /proc/$$/$shown >%[1]s/$$.$shown
done
exec %[2]s "$@"
`

// path is a PATH that leads to the real ykman, past the watch.
func (w *watch) path(t testing.TB) string {
	t.Helper()
	ykman, err := warmykman.Real()
	if err != nil {
		t.Fatal(err)
	}
	w.folder = t.TempDir()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "ykman"), fmt.Appendf(nil, witness, w.folder, ykman), 0o700); err != nil {
		t.Fatal(err)
	}
	return bin + string(os.PathListSeparator) + warmykman.ColdPath()
}

// shown gives what the processes showed, each text with the kind before it.
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

// secret takes note of a value that may be found nowhere.
func (w *watch) secret(what, value string) {
	if len(value) < 6 {
		panic("too short to look for: " + what)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.secrets[value] = what
}

// saw tells whether some process had all of the words in its argument vector.
func (w *watch) saw(t testing.TB, words ...string) bool {
	t.Helper()
	return slices.ContainsFunc(w.shown(t), func(text string) bool {
		lacks := func(word string) bool { return !strings.Contains(text, word) }
		return strings.HasPrefix(text, "cmdline: ") && !slices.ContainsFunc(words, lacks)
	})
}

// processes names the secrets in what the processes showed, without showing them.
func (w *watch) processes(t testing.TB) (found []string) {
	t.Helper()
	for _, text := range w.shown(t) {
		found = append(found, w.text(clip(text), text)...)
	}
	return found
}

// text looks through the text of one place.
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

// files looks through every file below a folder, for the values themselves and
// for encodings that are as good as clear text.
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

// forms are the ways to write a value that hide nothing.
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

// bounded finds a value in a text. A number inside a longer one, such as a
// time stamp, is none.
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
