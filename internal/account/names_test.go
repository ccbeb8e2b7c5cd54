package account

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		" Acme ": "Acme", "Cafe\u0301": "Caf\u00e9", "Stra\u00dfe & S\u00f6hne (Z\u00fcrich)": "Stra\u00dfe & S\u00f6hne (Z\u00fcrich)",
		"\u682a\u5f0f\u4f1a\u793e": "\u682a\u5f0f\u4f1a\u793e", strings.Repeat("x", 128): strings.Repeat("x", 128),
	} {
		if got, bad := cleanOrganizationName(in); got != want || len(bad) > 0 {
			t.Errorf("%+q became %+q, %v; want %+q", in, got, bad, want)
		}
	}
	for _, in := range []string{"", " ", "\u00a0", "a\nb", "a\x00b", "a\u200bb", "a\u202eb", "a\ufeffb",
		"a\u00adb", "a\u2028b", "a\x85b", "\xff", strings.Repeat("x", 129)} {
		if _, bad := cleanOrganizationName(in); len(bad) != 1 || bad[0].Field != "name" {
			t.Errorf("%+q is accepted", in)
		}
	}
}

func FuzzName(f *testing.F) {
	for _, s := range []string{"Acme", " a ", "e\u0301", "\u0340", "a\u200b", "\xff", "\U000e0001", "\ufeff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		name, bad := cleanOrganizationName(in)
		if len(bad) > 0 {
			return
		}
		if n := utf8.RuneCountInString(name); n < 1 || n > 128 || !utf8.ValidString(name) || !norm.NFC.IsNormalString(name) {
			t.Errorf("%+q became %+q", in, name)
		}
		if strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(unicode.C, r) || unicode.In(r, unicode.Zl, unicode.Zp) }) {
			t.Errorf("%+q holds an invisible character", name)
		}
		if again, bad := cleanOrganizationName(name); len(bad) > 0 || again != name {
			t.Errorf("%+q cleaned again is %+q, %v", name, again, bad)
		}
	})
}

func TestDomains(t *testing.T) {
	t.Parallel()
	got, bad := cleanDomains([]string{" Example.ORG", "example.org", "xn--exmple-cua.org", "a.b.c.example"})
	if strings.Join(got, " ") != "example.org xn--exmple-cua.org a.b.c.example" || len(bad) > 0 {
		t.Errorf("%v, %v", got, bad)
	}
	for _, in := range []string{"", "org", ".org", "example.", "-a.org", "a-.org", "ex\u00e4mple.org", "a b.org",
		"a_b.org", "*.example.org", "a..b", "1.2.3.4", "@a.org", strings.Repeat("a", 64) + ".org", strings.Repeat("a.", 126) + "org"} {
		if _, bad := cleanDomains([]string{"example.org", in}); len(bad) != 1 || bad[0].Field != "email_domains" {
			t.Errorf("%+q is accepted", in)
		}
	}
}

func TestAccepts(t *testing.T) {
	t.Parallel()
	o := Organization{EmailDomains: []string{"example.org", "sub.example.com"}}
	for email, want := range map[string]bool{
		"a@example.org": true, "A@EXAMPLE.org": true, "a@sub.example.com": true, "a@example.com": false, "a@x.example.org": false,
		"a@notexample.org": false, "a@example.org.evil.example": false, "example.org": false, "": false,
	} {
		if got := o.Accepts(email); got != want {
			t.Errorf("%q: %v, want %v", email, got, want)
		}
	}
	if !(Organization{}).Accepts("a@anywhere.example") {
		t.Error("without domains any email fits")
	}
}
