package account

import (
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
)

func TestValidUPN(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"a@b", "Zoë.Müller@corp.Example.ORG", "j'doe!#$%&-_^{}~`.()@xn--exmple-cua.org", "1@10.example", "株式@example.org",
		strings.Repeat("ä", 244) + "@example.org",
	} {
		if !ValidUPN(good) {
			t.Errorf("%q is refused", good)
		}
	}
	bad := []string{
		"", "@", "a", "a@", "@example.org", "a@b@example.org", "a b@example.org", "a@exa mple.org", "a@.org", "a@example.", "a@-a.org",
		"a@exämple.org", "a@example..org", "a@example_x.org", "a\n@example.org", "a\u00a0@example.org", "a\u200bb@example.org",
		"a\u202eb@example.org", "\xff@example.org", "\ufffd@example.org", "a@" + strings.Repeat("a", 64) + ".org",
		strings.Repeat("a", 245) + "@example.org", "a@" + strings.Repeat("a.", 126) + "org",
	}
	for _, r := range `"/\[]:;|=,+*?<>` {
		bad = append(bad, "a"+string(r)+"b@example.org")
	}
	for _, text := range bad {
		if ValidUPN(text) {
			t.Errorf("%q is accepted", text)
		}
	}
}

func FuzzValidUPN(f *testing.F) {
	for _, s := range []string{"a@example.org", "Zoë@corp", "a@b@c", "\u202e@x", "a@ſ.org"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		upn := cleanUPN(text)
		if !ValidUPN(upn) {
			return
		}
		if strings.Count(upn, "@") != 1 || strings.ContainsAny(upn, notUPN+" \t\r\n") || cleanUPN(upn) != upn {
			t.Errorf("%+q is accepted", upn)
		}
		_, domain, _ := strings.Cut(upn, "@")
		if o := (&Organization{UPNSuffixes: []string{strings.ToLower(domain)}}); !o.MayHaveUPN(upn) {
			t.Errorf("%+q does not end in its own suffix", upn)
		}
	})
}

func TestValidSID(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"S-1-5-21-1004336348-1177238915-682003330-1104", "S-1-5-21-0-0-0-500", "S-1-5-21-4294967295-1-2-4294967295",
	} {
		if !ValidSID(good) {
			t.Errorf("%q is refused", good)
		}
	}
	for _, bad := range []string{
		"", "S-1-5-18", "S-1-5-32-544", "S-1-5-21", "S-1-5-21-1-2-3", "S-1-5-21-1-2-3-4-5", "s-1-5-21-1-2-3-4", "S-1-5-21-01-2-3-4",
		"S-1-5-21-4294967296-2-3-4", "S-1-5-21-9999999999-2-3-4", "S-1-5-21-1-2-3-", "S-1-5-21-1-2-3-4 ", "S-1-5-21-1-2-3-x",
		"S-1-5-21-1-2--3-4", "S-2-5-21-1-2-3-4", "S-1-12-1-1-2-3-4", "S-1-5-21-1-2-3-4\n", "S-1-5-21-+1-2-3-4", "S-1-5-21-1-2-3-٤",
		"S-1-5-21-" + strings.Repeat("0", 200) + "-2-3-4",
	} {
		if ValidSID(bad) {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestSuffixesAndRealm(t *testing.T) {
	t.Parallel()
	got, bad := cleanSuffixes([]string{" Corp.Example.ORG ", "corp.example.org", "corp", "xn--exmple-cua.org"})
	if strings.Join(got, " ") != "corp.example.org corp xn--exmple-cua.org" || len(bad) > 0 {
		t.Errorf("%v, %v", got, bad)
	}
	for _, in := range []string{"", "@example.org", "a@example.org", ".org", "example.", "exämple.org", "a b", "*.example.org", "a/b"} {
		if _, bad := cleanSuffixes([]string{"example.org", in}); len(bad) != 1 || bad[0].Field != "upn_suffixes" {
			t.Errorf("%+q is accepted", in)
		}
	}
	for in, want := range map[string]string{"": "", " EXAMPLE.ORG ": "EXAMPLE.ORG", "Corp-1.example": "Corp-1.example",
		strings.Repeat("A", 255): strings.Repeat("A", 255)} {
		if realm, bad := cleanRealm(in); realm != want || len(bad) > 0 {
			t.Errorf("%q: %q, %v", in, realm, bad)
		}
	}
	for _, in := range []string{"A B", "EXÄMPLE", "A@B", "A/B", "A_B", "A\nB", strings.Repeat("A", 256)} {
		if _, bad := cleanRealm(in); len(bad) != 1 || bad[0].Field != "kerberos_realm" {
			t.Errorf("%+q is accepted", in)
		}
	}
}

// TestMayName: a manager names by the suffixes of the own organization alone, and takes
// away only what a manager could give.
func TestMayName(t *testing.T) {
	t.Parallel()
	manager := access.Scope{Reach: access.Organization, OrganizationID: 7}
	o := &Organization{UPNSuffixes: []string{"corp.example"}}
	const sid = "S-1-5-21-1-2-3-1104"
	for _, c := range []struct {
		scope   access.Scope
		o       *Organization
		u, next User
		fields  string
	}{
		{access.All(), nil, User{}, User{UPN: "a@anywhere.example", SID: sid}, ""},
		{manager, o, User{}, User{UPN: "a@corp.example"}, ""},
		{manager, o, User{}, User{UPN: "a@CORP.Example"}, ""},
		{manager, o, User{UPN: "a@corp.example"}, User{}, ""},
		{manager, o, User{UPN: "a@other.example", SID: sid}, User{UPN: "a@other.example", SID: sid}, ""},
		{manager, o, User{}, User{UPN: "a@sub.corp.example"}, "upn"},
		{manager, o, User{}, User{UPN: "a@notcorp.example"}, "upn"},
		{manager, o, User{}, User{UPN: "a@corp.example.org"}, "upn"},
		{manager, &Organization{}, User{}, User{UPN: "a@corp.example"}, "upn"},
		{manager, nil, User{}, User{UPN: "a@corp.example"}, "upn"},
		{manager, o, User{UPN: "root@other.example"}, User{}, "upn"},
		{manager, o, User{UPN: "root@other.example"}, User{UPN: "a@corp.example"}, "upn"},
		{manager, o, User{}, User{SID: sid}, "sid"},
		{manager, o, User{SID: sid}, User{}, "sid"},
		{manager, o, User{SID: sid}, User{UPN: "a@x", SID: "S-1-5-21-1-2-3-500"}, "upn sid"},
		{access.Scope{}, o, User{}, User{SID: sid}, "sid"},
	} {
		err := mayName(c.scope, c.o, c.u, c.next)
		var fields []string
		if f, ok := fault.As(err); ok && f.Code == fault.PermissionDenied {
			for _, one := range f.Fields {
				fields = append(fields, one.Field)
			}
		}
		if strings.Join(fields, " ") != c.fields || (err == nil) != (c.fields == "") {
			t.Errorf("from %+v to %+v: %v", c.u, c.next, err)
		}
	}
}

// TestCarrying: a certificate counts if it has a name that the account gives up, in
// whichever form that stands there.
func TestCarrying(t *testing.T) {
	t.Parallel()
	u := User{Username: "alex", Email: "alex@example.org", UPN: "al@corp.example", SID: "S-1-5-21-1-2-3-1104"}
	live := func(c Certificate) []Certificate { c.SerialNumber = "aa"; return []Certificate{c} }
	byUPN, bySID := Certificate{UPNs: []string{"AL@corp.example"}}, Certificate{SIDs: []string{u.SID}}
	for name, c := range map[string]struct {
		has  Certificate
		next User
		want int
	}{
		"another UPN":                {byUPN, User{Username: u.Username, Email: u.Email, UPN: "x@corp.example", SID: u.SID}, 1},
		"no UPN":                     {byUPN, User{Username: u.Username, Email: u.Email, SID: u.SID}, 1},
		"its case":                   {byUPN, User{Username: u.Username, Email: u.Email, UPN: "Al@Corp.example", SID: u.SID}, 0},
		"a UPN that it does not say": {bySID, User{Username: u.Username, Email: u.Email, SID: u.SID}, 0},
		"another SID":                {bySID, User{Username: u.Username, Email: u.Email, UPN: u.UPN, SID: "S-1-5-21-1-2-3-9"}, 1},
		"no SID":                     {bySID, User{Username: u.Username, Email: u.Email, UPN: u.UPN}, 1},
		"an email":                   {byUPN, User{Username: u.Username, Email: "x@example.org", UPN: u.UPN, SID: u.SID}, 0},
		"a principal made of the UPN": {Certificate{Principals: []string{"al"}},
			User{Username: u.Username, Email: u.Email, SID: u.SID}, 1},
		"a principal made of the username": {Certificate{Principals: []string{"alex"}},
			User{Username: "lex", Email: u.Email, UPN: u.UPN, SID: u.SID}, 1},
		"a revoked one": {Certificate{UPNs: []string{u.UPN}, Revoked: true}, User{Username: u.Username, Email: u.Email, SID: u.SID}, 0},
	} {
		state := UserState{User: u, Certificates: live(c.has)}
		if got := state.carrying(c.next); len(got) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
