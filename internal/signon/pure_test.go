package signon

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
)

func TestUsernames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 100)
	for _, c := range []struct{ claimed, email, first string }{
		{"nina", "nina@example.org", "nina"},
		{"Zoë Müller", "z@example.org", "Zoe-Muller"},
		{"nina@corp.example", "n@example.org", "nina"},
		{"Nina@Example.org", "nina@example.org", "nina@example.org"}, // one's own email may be the username
		{"DOMAIN\\nina", "n@example.org", "DOMAIN-nina"},
		{"", "n@example.org", "n@example.org"},
		{"李", "n@example.org", "n@example.org"},
		{"../..", "n@example.org", "n@example.org"},
		{long, "n@example.org", long[:64]},
		{"System", "n@example.org", "System-2"}, // reserved for the audit log
		{"unknown@corp.example", "n@example.org", "unknown-2"},
		{"-system.", "n@example.org", "system-2"},
		{"systems", "n@example.org", "systems"},
	} {
		names := usernames(c.claimed, c.email)
		if names[0] != c.first {
			t.Errorf("%q: %q, want %q", c.claimed, names[0], c.first)
		}
	}
	names := usernames(long, "n@example.org")
	if names[1] != long[:62]+"-2" || names[len(names)-1] != "n@example.org" || len(names) != tries+1 {
		t.Errorf("numbered: %q", names)
	}
}

var valid = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// FuzzUsernames: any claim results in a valid name.
func FuzzUsernames(f *testing.F) {
	for _, seed := range []string{"nina", "Zoë", "\x00\xff", strings.Repeat("é", 90), "@", "a@b@c", "\u202eabc"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, claimed string) {
		for _, name := range usernames(claimed, "own@example.org") {
			if name != "own@example.org" && !valid.MatchString(name) {
				t.Fatalf("%q gives the username %q", claimed, name)
			}
		}
	})
}

// FuzzLocalPath: an accepted path stays on this site, also when a page resolves it again.
func FuzzLocalPath(f *testing.F) {
	for _, seed := range []string{"/", "/a/b?c=d#e", "//evil.example", `/\evil`, "/%2f/x", "/.//x", "/a/..//x", "/%5cx", "/\t/x", "/a%zz", "/?//x", "/#//x", "/%25", "/%252f/x"} {
		f.Add(seed)
	}
	base := must.Get(url.Parse("https://keyward.example.org/login"))(f)
	f.Fuzz(func(t *testing.T, text string) {
		got := LocalPath(text)
		if got == "" {
			return
		}
		if got != text {
			t.Fatalf("%q was changed to %q", text, got)
		}
		if strings.ContainsAny(got, "\\\t\r\n\x00 ") {
			t.Fatalf("%q has a character that browsers change", got)
		}
		to, err := base.Parse(got)
		if err != nil || to.Host != base.Host || to.Scheme != "https" || to.User != nil {
			t.Fatalf("%q leads to %v %v", got, to, err)
		}
		again, err := base.Parse(to.Path)
		if err != nil || again.Host != base.Host || !strings.HasPrefix(to.Path, "/") || strings.HasPrefix(to.Path, "//") {
			t.Fatalf("%q has the path %q, which leads to %v %v", got, to.Path, again, err)
		}
	})
}

// FuzzPlace: no claims grant more than the mapping.
func FuzzPlace(f *testing.F) {
	for _, seed := range []string{`{}`, `{"roles":["a","z"]}`, `{"roles":"a"}`, `{"roles":[["a"]],"org":7}`, `{"roles":{"a":true}}`, `{"a":{"roles":"a"}}`, `{"roles":null,"org":[null,"x"]}`} {
		f.Add([]byte(seed))
	}
	one := int64(1)
	s := Settings{
		RoleClaim: "roles", RoleMapping: map[string]access.Role{"a": access.OrgManager}, DefaultRole: "",
		OrganizationClaim: "org", OrganizationMapping: map[string]int64{"x": one, "7": 2},
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		decoder := json.NewDecoder(strings.NewReader(string(raw)))
		decoder.UseNumber()
		claims := map[string]any{}
		if decoder.Decode(&claims) != nil {
			return
		}
		p, reason := s.place(claims, &Placement{access.GlobalAdmin, nil})
		if reason != "" {
			return
		}
		if p.Role != access.OrgManager || !slices.Contains(values(claims, "roles"), "a") || p.OrganizationID == nil || *p.OrganizationID > 2 {
			t.Fatalf("%s: %+v", raw, p)
		}
	})
}

func TestPlace(t *testing.T) {
	t.Parallel()
	one, two := int64(1), int64(2)
	mapped := Settings{
		RoleClaim: "realm_access.roles", RoleMapping: map[string]access.Role{"boss": access.GlobalAdmin,
			"head": access.OrgManager, "all": access.User},
		OrganizationClaim: "https://example.org/department", OrganizationMapping: map[string]int64{"x": 1, "42": 2},
	}
	withDefaults := mapped
	withDefaults.DefaultRole, withDefaults.DefaultOrganizationID = access.User, &two
	for name, c := range map[string]struct {
		settings Settings
		claims   string
		present  *Placement
		want     Placement
		reason   Reason
	}{
		"nothing mapped, new, no default":  {Settings{}, `{}`, nil, Placement{}, NotPermitted},
		"nothing mapped, new":              {Settings{DefaultRole: access.User}, `{}`, nil, Placement{access.User, nil}, ""},
		"nothing mapped, stays":            {Settings{DefaultRole: access.User}, `{}`, &Placement{access.OrgManager, &one}, Placement{access.OrgManager, &one}, ""},
		"a manager needs an organization":  {Settings{DefaultRole: access.OrgManager}, `{}`, nil, Placement{}, NotPermitted},
		"by a dotted name":                 {mapped, `{"realm_access":{"roles":["all","head"]},"https://example.org/department":"x"}`, nil, Placement{access.OrgManager, &one}, ""},
		"a number is its digits":           {mapped, `{"realm_access":{"roles":"all"},"https://example.org/department":42}`, nil, Placement{access.User, &two}, ""},
		"an admin is in no organization":   {mapped, `{"realm_access":{"roles":"boss"},"https://example.org/department":"x"}`, nil, Placement{access.GlobalAdmin, nil}, ""},
		"a name that holds the dot itself": {mapped, `{"realm_access.roles":"all","https://example.org/department":"x"}`, nil, Placement{access.User, &one}, ""},
		"no role any more":                 {mapped, `{"https://example.org/department":"x"}`, &Placement{access.User, &one}, Placement{}, NotPermitted},
		"no organization any more":         {mapped, `{"realm_access":{"roles":"all"}}`, &Placement{access.User, &one}, Placement{}, NotPermitted},
		"the defaults":                     {withDefaults, `{}`, &Placement{access.OrgManager, &one}, Placement{access.User, &two}, ""},
		"an admin who is one no more":      {Settings{RoleClaim: "r", RoleMapping: map[string]access.Role{"a": access.User}, DefaultOrganizationID: &two}, `{"r":"a"}`, &Placement{access.GlobalAdmin, nil}, Placement{access.User, &two}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decoder := json.NewDecoder(strings.NewReader(c.claims))
			decoder.UseNumber()
			claims := map[string]any{}
			must.OK(t, decoder.Decode(&claims))
			got, reason := c.settings.place(claims, c.present)
			if reason != c.reason || cmp.Diff(c.want, got) != "" {
				t.Errorf("%+v %q, want %+v %q", got, reason, c.want, c.reason)
			}
		})
	}
}

// TestDerive: verifier and nonce need the browser's secret and the state, and
// differ.
func TestDerive(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, browser := range []string{"a", "b"} {
		for _, state := range []string{"x", "y"} {
			r := round(secret.New(browser), state, false)
			if len(r.Verifier.Reveal()) != 43 {
				t.Errorf("a verifier of %d characters (RFC 7636 wants 43 at least)", len(r.Verifier.Reveal()))
			}
			seen[r.Nonce], seen[r.Verifier.Reveal()] = true, true
		}
	}
	if len(seen) != 8 {
		t.Errorf("%d different values of 8", len(seen))
	}
	for text, want := range map[string]bool{"": false, "x": false, strings.Repeat("A", 43): true,
		strings.Repeat("A", 44): false, strings.Repeat("=", 43): false} {
		if wellFormed(text) != want {
			t.Errorf("wellFormed(%q) is not %v", text, want)
		}
	}
}

func TestDenied(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value any
		want  bool
	}{{nil, false}, {true, false}, {false, true}, {"true", false}, {"True", false}, {"false", true}, {"", true}, {json.Number("1"), true}} {
		if got := denied(map[string]any{"email_verified": c.value}, "email_verified"); got != c.want {
			t.Errorf("%v: %v", c.value, got)
		}
	}
}
