package account

import (
	"strings"
	"testing"
)

// FuzzValidEmail: an accepted email, fit for certificates and logs, is ASCII and one address.
func FuzzValidEmail(f *testing.F) {
	for _, s := range []string{
		"a@example.org", "A.b+c@sub.example.org", "a@localhost", "", "@", "a@", "@b", "a@b@c", "a b@c.d", "a@b\r\nBcc: x", "<a@b.c>",
		"N <a@b.c>", "\"a b\"@c.d", "a@[127.0.0.1]", "a@b,c@d", "zo\u00eb@example.org", "a@ex\u00e4mple.org", "\uff41@b.c", "a\x00@b.c",
		"a(x)@b.c", ".a@b.c", "a.@b.c", "a..b@c.d", strings.Repeat("x", 300) + "@b.c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !ValidEmail(s) {
			return
		}
		local, domain, _ := strings.Cut(s, "@")
		if local == "" || domain == "" || strings.Contains(domain, "@") || len(s) > 254 {
			t.Errorf("%q is no local@domain", s)
		}
		if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"<>()[]\,;:`, r) }) {
			t.Errorf("%q holds what it must not", s)
		}
	})
}

func TestValidEmail(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"a@example.org": true, "A.b+c@sub.example.org": true, "o'neil@example.org": true, "admin@localhost": true, "a@xn--exmple-cua.org": true,
		"": false, "a": false, "a@": false, "@a": false, "a@b@c": false, "a b@c.d": false, "N <a@b.c>": false, "a@b.c, d@e.f": false,
		"a@b.c\n": false, "zo\u00eb@example.org": false, "a@ex\u00e4mple.org": false, "a..b@c.d": false, "a@[::1]": false,
	} {
		if got := ValidEmail(s); got != want {
			t.Errorf("%+q: %v, want %v", s, got, want)
		}
	}
}
