package storetest

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var directoryCases = map[string]func(*testing.T, *fixture){
	"insert, change and read":                    directoryRead,
	"names are taken, ignoring case":             directoryTaken,
	"a name in a certificate stays its holder's": directoryReserved,
	"until the certificate's end":                directoryOver,
	"a change sees what certificates have":       directoryCertificates,
	"whose names are":                            directoryAmong,
	"names that are no login":                    directoryApart,
	"one name, many claims":                      directoryRace,
	"nobody takes another's":                     directorySwap,
}

const (
	upn, otherUPN = "Älex@corp.example", "lex@corp.example"
	sid, otherSID = "S-1-5-21-1-2-3-1104", "S-1-5-21-1-2-3-1105"
)

func (f *fixture) directory(t *testing.T, u account.User, upn, sid string) error {
	t.Helper()
	return errOf2(f.edit(t, u, func(u *account.User) { u.UPN, u.SID = upn, sid }))
}

func directoryRead(t *testing.T, f *fixture) {
	in := newAccount("nina", access.User, &f.a.ID)
	in.UPN, in.SID = upn, sid
	u := must.Get(f.InsertUser(t.Context(), in, entry(audit.UserCreated, "user")))(t)
	in.ID, in.OrganizationName = u.ID, "Acme"
	equal(t, "inserted", u, in)
	in.UPN, in.SID, in.UpdatedAt = otherUPN, otherSID, afterwards
	u, _ = must.Both(f.edit(t, u, func(u *account.User) { u.UPN, u.SID = otherUPN, otherSID }))(t)
	equal(t, "changed", u, in)
	equal(t, "read", must.Get(f.User(t.Context(), access.All(), u.ID))(t), in)
	in.UPN, in.SID = "", ""
	u, _ = must.Both(f.edit(t, u, func(u *account.User) { u.UPN, u.SID = "", "" }))(t)
	equal(t, "cleared", u, in)
}

func directoryTaken(t *testing.T, f *fixture) {
	must.OK(t, f.directory(t, f.alex, upn, sid))
	f.seen = f.newest(t)
	for field, c := range map[string][2]string{"upn": {"äLEX@CORP.example", otherSID}, "sid": {otherUPN, sid}} {
		in := newAccount("nina", access.User, nil)
		in.UPN, in.SID = c[0], c[1]
		for what, err := range map[string]error{
			"a new account": errOf(f.InsertUser(t.Context(), in, entry(audit.UserCreated, "user"))),
			"a change":      f.directory(t, f.bea, c[0], c[1]),
			"an import":     errOf(f.AddUsers(t.Context(), []account.Addition{{User: in, Entry: entry(audit.UserCreated, "user")}})),
		} {
			refused(t, what, err, fault.Conflict)
			if fl, ok := fault.As(err); !ok || len(fl.Fields) != 1 || fl.Fields[0].Field != field {
				t.Errorf("%s: %v, want the field %s", what, err, field)
			}
		}
	}
	equal(t, "entries", f.logged(t), nil)
	must.OK(t, f.directory(t, f.alex, "älex@corp.example", sid)) // only the case differs
	must.OK(t, f.directory(t, f.bea, otherUPN, otherSID))        // what the refused ones had claimed is free
	must.OK(t, f.directory(t, f.alex, "", ""))
	must.OK(t, f.directory(t, f.bea, upn, sid))
}

// logon records a certificate of alex with the names of a directory.
func (f *fixture) logon(t *testing.T, ends time.Time, sans ...cert.SAN) {
	t.Helper()
	f.device(t, "k-1")
	u := must.Get(f.User(t.Context(), access.All(), f.alex.ID))(t)
	f.certificate(t, f.record("aa", "k-1", func(c *cert.Certificate) {
		c.NotAfter, c.SANs, c.OwnerUPN, c.OwnerSID = ends, sans, u.UPN, u.SID
	}))
}

func directoryReserved(t *testing.T, f *fixture) {
	must.OK(t, f.directory(t, f.alex, upn, sid))
	f.logon(t, Now.Add(time.Hour), cert.SAN{Type: "upn", Value: "ÄLEX@corp.example"},
		cert.SAN{Type: "uri", Value: "tag:microsoft.com,2022-09-14:sid:" + sid})
	must.Get(f.RevokeCertificate(t.Context(), "aa", vault.Unspecified, Now, entry(audit.CertificateRevoked, "certificate")))(t)
	must.OK(t, f.directory(t, f.alex, otherUPN, otherSID))
	must.OK(t, f.directory(t, f.alex, "", ""))
	must.OK(t, f.directory(t, f.bea, otherUPN, otherSID)) // no certificate carries them
	for field, c := range map[string][2]string{"upn": {upn, otherSID}, "sid": {otherUPN, sid}} {
		err := f.directory(t, f.bea, c[0], c[1])
		refused(t, field, err, fault.Conflict)
		if fl, ok := fault.As(err); !ok || fl.Reason != field+"_reserved" || fl.Params["until"] != Now.Add(time.Hour).Format(time.DateOnly) {
			t.Errorf("%s: %v", field, err)
		}
	}
	must.OK(t, f.directory(t, f.alex, upn, sid)) // its holder may have it back
	refused(t, "held again", f.directory(t, f.bea, upn, otherSID), fault.Conflict)
}

// directoryOver: the store's clock is past the end of an earlier reservation.
func directoryOver(t *testing.T, f *fixture) {
	must.OK(t, f.directory(t, f.alex, upn, sid))
	f.logon(t, Now.Add(-time.Minute), cert.SAN{Type: "upn", Value: upn}, cert.SAN{Type: "sid", Value: sid})
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.UPN, u.SID = "", "" },
		func(c *account.UserChange) { c.At = Now.Add(-time.Hour) }))(t)
	must.OK(t, f.directory(t, f.bea, upn, sid))
	key := account.UPNKey(upn)
	equal(t, "holder", must.Get(f.DirectoryNamesAmong(t.Context(), []string{key}, Now))(t)[key].User.ID, f.bea.ID)
}

func directoryCertificates(t *testing.T, f *fixture) {
	f.logon(t, Now.Add(time.Hour), cert.SAN{Type: "upn", Value: upn}, cert.SAN{Type: "krb5_principal", Value: "alex@EXAMPLE.ORG"},
		cert.SAN{Type: "uri", Value: "tag:microsoft.com,2022-09-14:sid:" + sid}, cert.SAN{Type: "sid", Value: otherSID},
		cert.SAN{Type: "uri", Value: "https://example.org/" + sid})
	_, _, err := f.ChangeUser(t.Context(), access.All(), f.alex.ID, nil, func(s account.UserState) (account.UserChange, error) {
		equal(t, "certificates", s.Certificates, []account.Certificate{{SerialNumber: "aa", Names: []string{"alex"}, UPNs: []string{upn},
			SIDs: []string{sid, otherSID}, Principals: []string{"alex"}, NotAfter: Now.Add(time.Hour)}})
		return account.UserChange{}, errRefused
	})
	if err == nil {
		t.Error("the decision's error is lost")
	}
}

func directoryAmong(t *testing.T, f *fixture) {
	must.OK(t, f.directory(t, f.alex, upn, sid))
	f.logon(t, Now.Add(time.Hour), cert.SAN{Type: "upn", Value: upn})
	must.OK(t, f.directory(t, f.alex, otherUPN, ""))
	keys := []string{account.UPNKey(upn), account.UPNKey(otherUPN), account.SIDKey(sid), account.UPNKey("nobody@corp.example")}
	got := must.Get(f.DirectoryNamesAmong(t.Context(), keys, Now))(t)
	equal(t, "how many", len(got), 2)
	equal(t, "held", []any{got[keys[1]].User.ID, got[keys[1]].User.UPN, got[keys[1]].ReservedUntil == nil},
		[]any{f.alex.ID, otherUPN, true})
	equal(t, "reserved", []any{got[keys[0]].User.ID, *got[keys[0]].ReservedUntil}, []any{f.alex.ID, Now.Add(time.Hour)})
	equal(t, "when that is over", len(must.Get(f.DirectoryNamesAmong(t.Context(), keys, Now.Add(2*time.Hour)))(t)), 1)
	equal(t, "of none", must.Get(f.DirectoryNamesAmong(t.Context(), nil, Now))(t), map[string]account.Login{})
	among := must.Get(f.LoginsAmong(t.Context(), []string{"alex"}, Now))(t)
	equal(t, "by login", among["alex"].User.UPN, otherUPN)
}

// directoryApart: a UPN may be anybody's email, since emails in certificates stand elsewhere.
func directoryApart(t *testing.T, f *fixture) {
	must.OK(t, f.directory(t, f.alex, "bea@example.org", ""))
	equal(t, "the UPN does not sign in", f.loginOf(t, "bea@example.org"), f.bea.ID)
}

func directoryRace(t *testing.T, f *fixture) {
	outcomes := race(func(i int) error {
		in := newAccount("racer"+string(rune('a'+i)), access.User, nil)
		in.UPN = upn
		return errOf(f.InsertUser(t.Context(), in, entry(audit.UserCreated, "user")))
	})
	equal(t, "who got it", outcomes[""], 1)
	equal(t, "the others", outcomes[fault.Conflict], racers-1)
}

func directorySwap(t *testing.T, f *fixture) {
	must.OK(t, f.directory(t, f.alex, upn, ""))
	must.OK(t, f.directory(t, f.bea, otherUPN, ""))
	refused(t, "a swap", f.directory(t, f.alex, otherUPN, ""), fault.Conflict)
	equal(t, "unchanged", must.Get(f.User(t.Context(), access.All(), f.alex.ID))(t).UPN, upn)
}
