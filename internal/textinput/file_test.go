package textinput_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/keyward/keyward/internal/textinput"
)

// TestUnmarked: only one leading mark is removed, however the text is read.
func TestUnmarked(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "\xef\xbb": "\xef\xbb", "\xef\xbb\xbf": "", "\ufeffpw\r\n": "pw\r\n", "p\ufeffw": "p\ufeffw",
		"\ufeff\ufeffpw": "\ufeffpw", "a long text without any": "a long text without any",
	} {
		if got := textinput.Unmarked(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(in), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := textinput.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%q in a file: %q, %v", in, got, err)
		}
		for _, r := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in))} {
			if got, err := io.ReadAll(textinput.UnmarkedBody(io.NopCloser(r))); err != nil || string(got) != want {
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
		block, rest := textinput.PEM(text)
		if block == nil || block.Type != "X" || len(block.Bytes) != 160 || len(rest) != 0 {
			t.Errorf("%s: %v, then %q", name, block, rest)
		}
	}
	first, rest := textinput.PEM(plain + plain)
	if second, none := textinput.PEM(rest); first == nil || second == nil || len(none) != 0 {
		t.Error("two blocks are not two")
	}
	if block, _ := textinput.PEM("no PEM"); block != nil {
		t.Error("a block out of nothing")
	}
}

// TestAddRoots: every certificate of a concatenated file is found.
func TestAddRoots(t *testing.T) {
	t.Parallel()
	made := func(name string) (*x509.Certificate, string) {
		_, key, err := ed25519.GenerateKey(nil)
		if err != nil {
			t.Fatal(err)
		}
		c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}}
		der, err := x509.CreateCertificate(nil, c, c, key.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		if c, err = x509.ParseCertificate(der); err != nil {
			t.Fatal(err)
		}
		return c, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	}
	a, first := made("a")
	b, second := made("b")
	indented := func(block string) string { return "  " + strings.ReplaceAll(block, "\n", "\n  ") }
	other := strings.ReplaceAll(second, "CERTIFICATE", "X509 CRL")
	broken := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")}))
	for name, c := range map[string]struct {
		text string
		want []*x509.Certificate
	}{
		"one after another":              {first + second, []*x509.Certificate{a, b}},
		"byte order mark before each":    {"\ufeff" + first + "\ufeff" + second, []*x509.Certificate{a, b}},
		"a comment before the mark":      {first + "# b\n\ufeff" + second, []*x509.Certificate{a, b}},
		"indented, with a mark":          {indented(first) + "\n\ufeff" + indented(second), []*x509.Certificate{a, b}},
		"only the second is indented":    {first + indented(second), []*x509.Certificate{a, b}},
		"text and other blocks between":  {"a:\n" + first + other + "b:\n" + second + "end", []*x509.Certificate{a, b}},
		"one that is broken between":     {first + broken + second, []*x509.Certificate{a, b}},
		"one alone, without a last line": {strings.TrimSpace(first), []*x509.Certificate{a}},
		"no certificate":                 {other + broken, nil},
		"nothing":                        {"", nil},
	} {
		want, got := x509.NewCertPool(), x509.NewCertPool()
		for _, certificate := range c.want {
			want.AddCert(certificate)
		}
		if found := textinput.AddRoots(got, c.text); found != (c.want != nil) || !got.Equal(want) {
			t.Errorf("%s: %v, and not the certificates that it has", name, found)
		}
	}
}
