package storetest

import (
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/must"
)

var identityCases = map[string]func(*testing.T, *fixture){
	"an account for a subject":          identityInsert,
	"the first free username":           identityUsername,
	"one subject, many first sign-ins":  identityRace,
	"identities are exact, as they are": identityExact,
}

func subject(name string) account.User {
	u := newAccount(name, access.User, nil)
	u.PasswordHash, u.AuthSource = "", account.OIDC
	return u
}

func identityInsert(t *testing.T, f *fixture) {
	refused(t, "unknown", errOf(f.UserByIdentity(t.Context(), issuer, "1")), fault.NotFound)
	in := subject("nina")
	in.OrganizationID = &f.a.ID
	u := must.Get(f.InsertIdentity(t.Context(), issuer, "1", in, []string{"nina"}, entry(audit.UserCreated, "user")))(t)
	in.ID, in.OrganizationName = u.ID, "Acme"
	equal(t, "account", u, in)
	equal(t, "found", must.Get(f.UserByIdentity(t.Context(), issuer, "1"))(t), in)
	equal(t, "entries", f.logged(t), []string{"user.created user " + audit.ID(u.ID)})
	_, err := f.InsertIdentity(t.Context(), issuer, "1", subject("other"), []string{"other"}, entry(audit.UserCreated, "user"))
	refused(t, "a subject that has one", err, fault.Conflict)
	if fe, _ := fault.As(err); len(fe.Fields) != 0 {
		t.Errorf("the fault names %v, want no field", fe.Fields)
	}
}

func identityExact(t *testing.T, f *fixture) {
	u := must.Get(f.InsertIdentity(t.Context(), issuer, "Abc", subject("nina"), []string{"nina"}, entry(audit.UserCreated, "user")))(t)
	for _, id := range []struct{ issuer, subject string }{{issuer, "abc"}, {issuer + "/", "Abc"}, {issuer, "Abc "}, {"", "Abc"}} {
		refused(t, id.issuer+" "+id.subject, errOf(f.UserByIdentity(t.Context(), id.issuer, id.subject)), fault.NotFound)
	}
	equal(t, "id", must.Get(f.UserByIdentity(t.Context(), issuer, "Abc"))(t).ID, u.ID)
}

func identityUsername(t *testing.T, f *fixture) {
	for _, c := range []struct{ subject, email, want string }{
		{"1", "x1@example.org", "alex-2"}, {"2", "x2@example.org", "alex-3"}, {"3", "x3@example.org", "x3@example.org"},
	} {
		in := subject("x")
		in.Email = c.email
		u, err := f.InsertIdentity(t.Context(), issuer, c.subject, in, []string{"ALEX", "alex-2", "alex-3", c.email},
			entry(audit.UserCreated, "user"))
		must.OK(t, err)
		equal(t, "username", u.Username, c.want)
	}
	f.seen = f.newest(t)
	for _, c := range []struct {
		email, field string
		names        []string
	}{
		{"Alex@Example.org", "email", []string{"free"}}, {"x9@example.org", "username", []string{"alex", "bea"}},
	} {
		in := subject("x")
		in.Email = c.email
		_, err := f.InsertIdentity(t.Context(), issuer, "9", in, c.names, entry(audit.UserCreated, "user"))
		refused(t, c.field, err, fault.Conflict)
		if fe, _ := fault.As(err); len(fe.Fields) != 1 || fe.Fields[0].Field != c.field {
			t.Errorf("the fault names %v, want %s", fe.Fields, c.field)
		}
	}
	refused(t, "nothing was made", errOf(f.UserByIdentity(t.Context(), issuer, "9")), fault.NotFound)
	equal(t, "entries", f.logged(t), nil)
}

func identityRace(t *testing.T, f *fixture) {
	equal(t, "outcomes", race(func(int) error {
		_, err := f.InsertIdentity(t.Context(), issuer, "1", subject("nina"), []string{"nina"}, entry(audit.UserCreated, "user"))
		return err
	}), oneWins)
	equal(t, "accounts", must.Get(f.CountUsers(t.Context()))(t), 5)
}
