package textfile_test

import (
	"bytes"
	"encoding/pem"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/keyward/keyward/internal/textfile"
)

// TestUnmarked: one mark goes, in front alone; however the text comes in.
func TestUnmarked(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "\xef\xbb": "\xef\xbb", "\xef\xbb\xbf": "", "\ufeffpw\r\n": "pw\r\n", "p\ufeffw": "p\ufeffw",
		"\ufeff\ufeffpw": "\ufeffpw", "a long text without any": "a long text without any",
	} {
		if got := textfile.Unmarked(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(in), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := textfile.Read(path); err != nil || string(got) != want {
			t.Errorf("%q in a file: %q, %v", in, got, err)
		}
		for _, r := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in))} {
			if got, err := io.ReadAll(textfile.Body(io.NopCloser(r))); err != nil || string(got) != want {
				t.Errorf("%q in a body: %q, %v", in, got, err)
			}
		}
	}
}

// TestPEM: what clipboards and editors do to a block.
func TestPEM(t *testing.T) {
	t.Parallel()
	plain := string(pem.EncodeToMemory(&pem.Block{Type: "X", Bytes: bytes.Repeat([]byte("keyward "), 20)}))
	for name, text := range map[string]string{
		"as it is": plain, "byte order mark": "\ufeff" + plain, "CRLF": strings.ReplaceAll(plain, "\n", "\r\n"),
		"indented":         "    " + strings.ReplaceAll(plain, "\n", "\n    "),
		"a space in front": " " + plain, "a no-break space after it": plain + "\u00a0",
		"tabs, and text before it": "Here it is:\n\t" + strings.ReplaceAll(plain, "\n", "\n\t"),
	} {
		block, rest := textfile.PEM(text)
		if block == nil || block.Type != "X" || len(block.Bytes) != 160 || len(rest) != 0 {
			t.Errorf("%s: %v, then %q", name, block, rest)
		}
	}
	first, rest := textfile.PEM(plain + plain)
	if second, none := textfile.PEM(rest); first == nil || second == nil || len(none) != 0 {
		t.Error("two blocks are not two")
	}
	if block, _ := textfile.PEM("no PEM"); block != nil {
		t.Error("a block out of nothing")
	}
}
