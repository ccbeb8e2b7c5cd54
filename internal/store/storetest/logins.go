package storetest

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var loginCases = map[string]func(*testing.T, *fixture){
	"a change sees the certificates that have not ended": loginCertificates,
	"a name in a certificate stays its holder's":         loginReserved,
	"until the certificate's end":                        loginOver,
	"single sign-on passes a reserved username over":     loginPassedOver,
	"a change of name revokes":                           loginRevokes,
}

func loginCertificates(t *testing.T, f *fixture) {
	f.device(t, "k-1")
	f.certificate(t, f.record("aa", "k-1"))
	f.certificate(t, f.record("bb", "k-1", func(c *cert.Certificate) {
		c.CommonName, c.SANs = "Alex@example.org", []cert.SAN{{Type: "dns", Value: "alex.example.org"}, {Type: "email", Value: "lex@example.org"}}
	}))
	f.certificate(t, f.record("cc", "k-1", func(c *cert.Certificate) { c.NotAfter = Now }))
	f.certificate(t, f.record("dd", "k-1"))
	must.Get(f.RevokeCertificate(t.Context(), "dd", vault.Unspecified, Now, entry(audit.CertificateRevoked, "certificate")))(t)
	f.device(t, "k-2", func(d *hwkey.Device) { d.OwnerID = &f.manager.ID })
	f.certificate(t, f.record("ee", "k-2", func(c *cert.Certificate) {
		c.OwnerID, c.OwnerUsername, c.OwnerName, c.OwnerEmail = &f.manager.ID, f.manager.Username, f.manager.Name, f.manager.Email
	}))
	var got []account.Certificate
	_, _, err := f.ChangeUser(t.Context(), access.All(), f.alex.ID, nil, func(s account.UserState) (account.UserChange, error) {
		got = s.Certificates
		return account.UserChange{}, errRefused
	})
	if err == nil {
		t.Error("the decision's error is lost")
	}
	end, names := Now.Add(time.Hour), []string{"alex", "alex@example.org"}
	equal(t, "certificates", got, []account.Certificate{
		{SerialNumber: "aa", Names: names, NotAfter: end},
		{SerialNumber: "bb", Names: []string{"Alex@example.org", "lex@example.org"}, UPNs: []string{"Alex@example.org"}, NotAfter: end},
		{SerialNumber: "dd", Names: names, Revoked: true, NotAfter: end},
	})
}

// named records a certificate of alex with alex's names.
func (f *fixture) named(t *testing.T, ends time.Time) {
	t.Helper()
	f.device(t, "k-1")
	f.certificate(t, f.record("aa", "k-1", func(c *cert.Certificate) { c.NotAfter = ends }))
}

func (f *fixture) newcomer(t *testing.T, username, email string) error {
	t.Helper()
	u := newAccount(username, access.User, nil)
	u.Email = email
	_, err := f.InsertUser(t.Context(), u, entry(audit.UserCreated, "user"))
	return err
}

func loginReserved(t *testing.T, f *fixture) {
	f.named(t, Now.Add(time.Hour))
	must.Get(f.RevokeCertificate(t.Context(), "aa", vault.Unspecified, Now, entry(audit.CertificateRevoked, "certificate")))(t)
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.Username, u.Email = "lex", "lex@example.org" }))(t)
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.Username, u.Email = "xander", "xander@example.org" }))(t)
	must.OK(t, f.newcomer(t, "lex", "lex@example.org")) // no certificate carries them
	for _, name := range []string{"alex", "alex@example.org"} {
		equal(t, name+" signs in", f.loginOf(t, name), 0)
	}
	f.seen = f.newest(t)
	refused(t, "a new account's email", f.newcomer(t, "new", "ALEX@example.org"), fault.Conflict)
	refused(t, "a new account's username", f.newcomer(t, "Alex", "new@example.org"), fault.Conflict)
	refused(t, "another account's email", errOf2(f.edit(t, f.bea, func(u *account.User) { u.Email = "alex@example.org" })), fault.Conflict)
	equal(t, "entries", f.logged(t), nil)
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.Username, u.Email = "alex", "alex@example.org" }))(t)
	equal(t, "back again", []int64{f.loginOf(t, "alex"), f.loginOf(t, "alex@example.org")}, []int64{f.alex.ID, f.alex.ID})
	must.OK(t, f.newcomer(t, "xander", "xander@example.org"))
}

// loginOver: the store's clock is past the end of an earlier reservation.
func loginOver(t *testing.T, f *fixture) {
	f.named(t, Now.Add(-time.Minute))
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.Username, u.Email = "lex", "lex@example.org" },
		func(c *account.UserChange) { c.At = Now.Add(-time.Hour) }))(t)
	equal(t, "the former name signs in", f.loginOf(t, "alex"), 0)
	must.OK(t, f.newcomer(t, "alex", "alex@example.org"))
	if id := f.loginOf(t, "alex"); id == 0 || id == f.alex.ID {
		t.Errorf("alex is now account %d", id)
	}
}

func loginPassedOver(t *testing.T, f *fixture) {
	f.named(t, Now.Add(time.Hour))
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.Username, u.Email = "lex", "lex@example.org" }))(t)
	federated := func(email string, usernames ...string) (account.User, error) {
		u := newAccount("", access.User, nil)
		u.Email, u.AuthSource = email, account.OIDC
		return f.InsertIdentity(t.Context(), "https://id.example.org", "subject "+email, u, usernames, entry(audit.UserCreated, "user"))
	}
	refused(t, "the email", errOf(federated("alex@example.org", "somebody")), fault.Conflict)
	equal(t, "username", must.Get(federated("new@example.org", "alex", "alex2"))(t).Username, "alex2")
}

func loginRevokes(t *testing.T, f *fixture) {
	f.named(t, Now.Add(time.Hour))
	f.certificate(t, f.record("bb", "k-1"))
	f.seen = f.newest(t)
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.Email = "lex@example.org" }, func(c *account.UserChange) {
		c.Revoke = &account.Revocation{SerialNumbers: []string{"aa"}, Reason: vault.AffiliationChanged, Entry: entry("", "")}
	}))(t)
	got := must.Get(f.Certificate(t.Context(), access.All(), "aa"))(t)
	equal(t, "status", got.Status, cert.Revoked)
	equal(t, "reason", got.RevocationReason, "affiliationChanged")
	equal(t, "at", got.RevokedAt, &afterwards)
	equal(t, "another", must.Get(f.Certificate(t.Context(), access.All(), "bb"))(t).Status, cert.Issued)
	equal(t, "entries", f.logged(t), []string{"user.updated user ", "certificate.revoked certificate aa"})
}
