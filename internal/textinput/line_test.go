package textinput_test

import (
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/textinput"
)

func TestValid(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		// Persian words use ZWNJ
		"", "Ada's token", "Büro 3, 2. Stock", " blanks around ", "a\u00a0b", "東京", "مفتاح", "מפתח", "می\u200cخواهم",
		"👩\u200d💻", "e\u0301", "\U0010ffff", `<b>"'&\%`, strings.Repeat("é", 64),
	} {
		if !textinput.ValidLine(text, 64) {
			t.Errorf("%q is refused", text)
		}
	}
	for name, text := range map[string]string{
		"C0, first": "a\x00b", "C0, last": "a\x1fb", "line feed": "a\nb", "carriage return": "a\rb", "tab": "a\tb", "escape": "\x1b[2J",
		"DEL": "a\x7fb", "C1, first": "a\u0080b", "C1, next line": "a\u0085b", "C1, CSI": "a\u009bb", "C1, last": "a\u009fb",
		"line separator": "a\u2028b", "paragraph separator": "a\u2029b",
		"Arabic letter mark": "a\u061cb", "left-to-right mark": "a\u200eb", "right-to-left mark": "a\u200fb",
		"embedding": "a\u202ab", "override": "a\u202eb", "isolate": "a\u2066b", "end of isolate": "a\u2069b",
		"replaced": "a\ufffdb", "not UTF-8": "a\xffb", "overlong": "a\xc0\x80b", "surrogate": "a\xed\xa0\x80b", "cut": "a\xe2\x82",
		"too long": strings.Repeat("é", 65),
	} {
		if textinput.ValidLine(text, 64) {
			t.Errorf("%s: %q is taken", name, text)
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"Büro 3": "Büro 3", "a\x00b\u0085c\xff": "a?b?c?", "\u202eevil\n": "?evil?", "": ""} {
		if got := textinput.CleanLine(text); got != want || !textinput.ValidLine(got, 64) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestStorable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"Büro 3\n\x1b": "Büro 3\n\x1b", "a\x00b\xffc": "a\ufffdb\ufffdc", "\xe2\x82": "\ufffd", "": ""} {
		if got := textinput.Storable(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
