package e2e_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/test/await"
)

// watch collects what every process of the machine shows of itself while a
// test runs, and the secrets that may not be found there. The secrets are
// often known only afterwards, so both are kept and compared at the end.
type watch struct {
	mu      sync.Mutex
	shown   map[string]struct{} // argument vectors and environments, each once
	secrets map[string]string   // value to what it is
	stop    func()
}

// lookEvery is well below the life of the shortest ykman call (0.13 s).
const lookEvery = 15 * time.Millisecond

// newWatch only takes notes; start makes it look.
func newWatch() *watch {
	return &watch{shown: map[string]struct{}{}, secrets: map[string]string{}}
}

// start makes it look until the test ends or stop is called.
func (w *watch) start(t testing.TB) {
	t.Helper()
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(lookEvery)
		defer ticker.Stop()
		for {
			w.look()
			select {
			case <-quit:
				return
			case <-ticker.C:
			}
		}
	}()
	w.stop = sync.OnceFunc(func() { close(quit); <-done })
	t.Cleanup(w.stop)
}

// look reads all of /proc once. A process may end meanwhile, and one of
// another user keeps its environment to itself.
func (w *watch) look() {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		for _, file := range []string{"cmdline", "environ"} {
			raw, err := os.ReadFile(filepath.Join("/proc", e.Name(), file))
			if err != nil || len(raw) == 0 {
				continue
			}
			w.mu.Lock()
			w.shown[file+": "+string(raw)] = struct{}{}
			w.mu.Unlock()
		}
	}
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
func (w *watch) saw(words ...string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for text := range w.shown {
		if strings.HasPrefix(text, "cmdline: ") && !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			return true
		}
	}
	return false
}

// processes gives what stands where no secret may stand.
func (w *watch) processes() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.among(maps.Keys(w.shown))
}

// among names the secrets in some texts, without showing them.
func (w *watch) among(texts func(func(string) bool)) []string {
	var found []string
	for text := range texts {
		for value, what := range w.secrets {
			if bounded(text, value) {
				found = append(found, what+" in "+strings.ReplaceAll(clip(text), value, "[it]"))
			}
		}
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
			found = append(found, what+" in "+where)
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

// TestWatch shows secrets on purpose, and finds each.
func TestWatch(t *testing.T) {
	t.Parallel()
	w := newWatch()
	w.start(t)
	w.secret("one in argv", "sentinel-argv-4711")
	w.secret("one in the environment", "sentinel-environ-4711")
	w.secret("a PIN", "73920416")
	w.secret("a key", "00aabbccddeeff00112233445566778899aabbccddeeff00")
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		tool(t, environ(t.TempDir(), "X=sentinel-environ-4711"), in, "sh", "-c", "read x # sentinel-argv-4711")
	}()
	await.That(t, "both secrets are seen", func() bool { return len(w.processes()) >= 2 })
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	<-stopped
	w.stop()
	all := strings.Join(w.processes(), "\n")
	if !strings.Contains(all, "one in argv in cmdline") || !strings.Contains(all, "one in the environment in environ") ||
		strings.Contains(all, "4711") {
		t.Errorf("found:\n%s", all)
	}
	for text, want := range map[string]int{"pin=73920416.": 1, "at 1173920416": 0, "739204161 73920416": 1, "": 0} {
		if got := w.text("a log", text); len(got) != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		"raw": "\x00\xaa\xbb\xcc\xdd\xee\xff\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff\x00", "clear": "x73920416x",
		"encoded": base64.StdEncoding.EncodeToString([]byte("73920416")), "fine": "7392041",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := w.files(t, dir)
	slices.Sort(got)
	if want := "a PIN (base64) in encoded|a PIN (itself) in clear|a key (bytes) in raw"; strings.Join(got, "|") != want {
		t.Errorf("files: %v", got)
	}
}
