package storetest

import (
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/must"
)

var rehashCases = map[string]func(*testing.T, *fixture){
	"another hash of the same password": rehashReplaces,
	"only over the hash that was read":  rehashCompares,
}

func rehashReplaces(t *testing.T, f *fixture) {
	signedIn := f.signIn(t, f.alex)
	before := must.Get(f.User(t.Context(), access.All(), f.alex.ID))(t)
	f.seen = f.newest(t)
	must.OK(t, f.ReplaceHash(t.Context(), f.alex.ID, before.PasswordHash, "stronger hash", entry(audit.PasswordRehashed, "user")))
	after := must.Get(f.User(t.Context(), access.All(), f.alex.ID))(t)
	before.PasswordHash = "stronger hash"
	equal(t, "account, but for the hash", after, before)
	equal(t, "session active", f.session(t, signedIn.ID).Active, true)
	if f.state(t, signedIn.token).Family.RevokedAt != nil {
		t.Error("the family is revoked")
	}
	equal(t, "entries", f.logged(t), []string{"auth.password_rehashed user "})
}

func rehashCompares(t *testing.T, f *fixture) {
	must.OK(t, f.SetPassword(t.Context(), f.alex.ID, "the new password's", Now, afterwards, entry(audit.SessionEnded, "session")))
	err := f.ReplaceHash(t.Context(), f.alex.ID, f.alex.PasswordHash, "the old password's", entry("x.y", ""))
	refused(t, "changed in the meantime", err, fault.Conflict)
	refused(t, "nobody", f.ReplaceHash(t.Context(), 99999, f.alex.PasswordHash, "x", entry("x.y", "")), fault.Conflict)
	equal(t, "hash", must.Get(f.User(t.Context(), access.All(), f.alex.ID))(t).PasswordHash, "the new password's")
	equal(t, "entries", f.logged(t), nil)
}
