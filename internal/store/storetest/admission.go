package storetest

import (
	"context"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/test/must"
)

// admissionCases: in a request every write checks its actor again, in the transaction that writes.
var admissionCases = map[string]func(*testing.T, *fixture){
	"a person":       personIsChecked,
	"an API key":     keyIsChecked,
	"nobody's":       nobodyIsChecked,
	"in the writing": checkedWhereItIsWritten,
	"a certificate's owner is as the signer saw them": ownerIsAsSigned,
	"nothing is certified for the disabled":           noneForTheDisabled,
}

// changed changes an account, as the system.
func (f *fixture) changed(t *testing.T, id int64, change func(*account.User)) {
	t.Helper()
	_, _, err := f.edit(t, account.User{ID: id}, change)
	must.OK(t, err)
}

// refused expects a code, for a write of the actor and for the check outside of a transaction. An
// empty one lets both through.
func (f *fixture) refused(t *testing.T, name string, a access.Admission, want fault.Code) {
	t.Helper()
	ctx := access.Admit(t.Context(), a)
	before := f.newest(t)
	err := f.AppendAudit(ctx, entry(audit.SettingsChanged, "settings"))
	equal(t, name+": the write", fault.CodeOf(err), want)
	equal(t, name+": the question", fault.CodeOf(f.Admitted(ctx)), want)
	equal(t, name+": something was written", f.newest(t) != before, want == "")
	must.OK(t, f.AppendAudit(access.OnRecord(ctx), entry(audit.SettingsChanged, "settings")))
	must.OK(t, f.Admitted(access.OnRecord(ctx)))
}

func personIsChecked(t *testing.T, f *fixture) {
	nothing := func(signedIn, *access.Admission) {}
	stale, over := Now.Add(-access.RecentFor-time.Second), Now.Add(-time.Hour)
	for i, c := range []struct {
		name   string
		since  time.Time
		change func(s signedIn, a *access.Admission)
		want   fault.Code
	}{
		{"as before", stale, nothing, ""},
		{"the session expired", over, nothing, fault.SessionNotFound},
		{"the session ended", Now, func(s signedIn, _ *access.Admission) { must.OK(t, f.EndSession(t.Context(), s.ID, Now)) },
			fault.SessionNotFound},
		{"there is no such session", Now, func(_ signedIn, a *access.Admission) { a.Actor.SessionID = 1 << 40 }, fault.SessionNotFound},
		{"somebody else's session", Now, func(_ signedIn, a *access.Admission) { a.Actor.UserID = f.bea.ID }, fault.SessionNotFound},
		{"disabled", Now, func(s signedIn, _ *access.Admission) {
			f.changed(t, s.UserID, func(u *account.User) { u.IsActive = false })
		}, fault.AccountDisabled},
		{"demoted", Now, func(s signedIn, _ *access.Admission) {
			f.changed(t, s.UserID, func(u *account.User) { u.Role = access.User })
		}, fault.PermissionDenied},
		{"moved", Now, func(s signedIn, _ *access.Admission) {
			f.changed(t, s.UserID, func(u *account.User) { u.OrganizationID = &f.b.ID })
		}, fault.PermissionDenied},
		{"a stale proof", stale, func(_ signedIn, a *access.Admission) { a.Recent = true }, fault.ReauthenticationRequired},
		{"a fresh proof", stale, func(s signedIn, a *access.Admission) {
			a.Recent = true
			must.OK(t, f.SetAuthenticated(t.Context(), s.ID, Now))
		}, ""},
		{"the organization is disabled", Now, func(signedIn, *access.Admission) {
			f.editOrganization(t, f.a, func(o *account.Organization) { o.IsActive = false })
		}, fault.AccountDisabled},
	} {
		u := f.user(t, "person-"+audit.ID(int64(i)), access.OrgManager, &f.a.ID)
		s := f.signInAt(t, u, c.since)
		a := access.Admission{Actor: actorOf(u)}
		a.Actor.SessionID = s.ID
		c.change(s, &a)
		f.refused(t, c.name, a, c.want)
	}
}

func keyIsChecked(t *testing.T, f *fixture) {
	key := func(name string, expires time.Time) access.Admission {
		maker := f.user(t, "maker-"+name, access.OrgManager, &f.a.ID)
		k := must.Get(f.InsertKey(t.Context(), session.APIKey{Name: name, Hash: "hash of " + name, Role: access.OrgManager,
			OrganizationID: &f.a.ID, CreatedBy: maker.ID, CreatedAt: Now, ExpiresAt: expires}, entry(audit.APIKeyCreated, "api_key")))(t)
		a := access.Actor{APIKeyID: k.ID, Username: "api-key:" + name, Role: k.Role, OrganizationID: k.OrganizationID}
		return access.Admission{Actor: a}
	}
	f.refused(t, "a good key", key("good", Now.Add(time.Hour)), "")
	f.refused(t, "an expired key", key("expired", Now), fault.TokenExpired)
	f.refused(t, "no key", access.Admission{Actor: access.Actor{APIKeyID: 1 << 40, Role: access.User}}, fault.TokenInvalid)
	revoked := key("revoked", Now.Add(time.Hour))
	must.OK(t, f.RevokeKey(t.Context(), revoked.Actor.APIKeyID, Now, entry(audit.APIKeyRevoked, "api_key")))
	f.refused(t, "a revoked key", revoked, fault.TokenInvalid)
	orphan := key("orphan", Now.Add(time.Hour))
	maker := must.Get(f.UserByLogin(t.Context(), "maker-orphan"))(t)
	f.changed(t, maker.ID, func(u *account.User) { u.IsActive = false })
	f.refused(t, "a disabled person's key", orphan, fault.AccountDisabled)
}

// nobodyIsChecked: what runs outside of any request is the server's own work.
func nobodyIsChecked(t *testing.T, f *fixture) {
	must.OK(t, f.Admitted(context.Background()))
	must.OK(t, f.AppendAudit(context.Background(), entry(audit.SettingsChanged, "settings")))
}

// checkedWhereItIsWritten: disabling an account before its write is carried out stops the write,
// however many are under way.
func checkedWhereItIsWritten(t *testing.T, f *fixture) {
	u := f.user(t, "leaver", access.GlobalAdmin, nil)
	a := access.Admission{Actor: actorOf(u)}
	a.Actor.SessionID = f.signIn(t, u).ID
	ctx := access.Admit(t.Context(), a)
	f.overtake(t, audit.UserCreated, func(name string) error {
		_, err := f.InsertUser(ctx, newAccount(name, access.User, nil), entry(audit.UserCreated, "user"))
		return err
	}, func() { f.changed(t, u.ID, func(u *account.User) { u.IsActive = false }) })
}

// noneForTheDisabled is the race that recorded 29 certificates for an owner after the disabling was
// committed.
func noneForTheDisabled(t *testing.T, f *fixture) {
	f.device(t, "key-1")
	f.overtake(t, audit.CertificateIssued, func(name string) error {
		c := f.record(hex.EncodeToString([]byte(name)), "key-1")
		_, _, err := f.InsertCertificate(t.Context(), c, entry(audit.CertificateIssued, "certificate"))
		return err
	}, func() { f.changed(t, f.alex.ID, func(u *account.User) { u.IsActive = false }) })
}

// overtake lets several write repeatedly, each until it is refused, and meanwhile changes an
// account. Nothing of theirs is recorded after that.
func (f *fixture) overtake(t *testing.T, action audit.Action, write func(name string) error, change func()) {
	t.Helper()
	f.seen = f.newest(t)
	const writers = 4
	begun, done := make(chan struct{}, 1<<20), make(chan struct{}, writers)
	for i := range writers {
		go func() {
			defer func() { done <- struct{}{} }()
			for n := 0; write(fmt.Sprintf("n%d-%d", i, n)) == nil; n++ {
				begun <- struct{}{}
			}
		}()
	}
	for range 2 * writers { // so that they are all under way
		<-begun
	}
	change()
	for range writers {
		<-done
	}
	var last, changed int64
	for _, e := range must.Get(f.AuditAfter(t.Context(), f.seen, 1<<20))(t) {
		switch e.Action {
		case action:
			last = e.ID
		case audit.UserUpdated:
			changed = e.ID
		}
	}
	if last == 0 || changed == 0 || last > changed {
		t.Errorf("the last %s is entry %d, and the account was disabled in %d", action, last, changed)
	}
}

func ownerIsAsSigned(t *testing.T, f *fixture) {
	f.device(t, "key-1")
	seen := f.record("aa", "key-1")
	for name, change := range map[string]func(*account.User){
		"disabled":      func(u *account.User) { u.IsActive = false },
		"another name":  func(u *account.User) { u.Username = "alexa" },
		"another email": func(u *account.User) { u.Email = "alexa@example.org" },
	} {
		f.changed(t, f.alex.ID, change)
		_, _, err := f.InsertCertificate(t.Context(), seen, entry(audit.CertificateIssued, "certificate"))
		refused(t, name, err, fault.Conflict)
		f.changed(t, f.alex.ID, func(u *account.User) { u.IsActive, u.Username, u.Email = true, f.alex.Username, f.alex.Email })
	}
	f.certificate(t, seen)
}
