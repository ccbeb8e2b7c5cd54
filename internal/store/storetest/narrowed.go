package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// day is the unit of the filters by time.
const day = 24 * time.Hour

// narrowed is tokens, people and certificates that differ in all that lists are narrowed by.
func (f *fixture) narrowed(t *testing.T) {
	t.Helper()
	ago := func(days int) *time.Time { return ptr(Now.AddDate(0, 0, -days)) }
	bea := func(d *hwkey.Device) { d.OwnerID, d.OrganizationID = &f.bea.ID, &f.b.ID }
	f.device(t, "nfc", func(d *hwkey.Device) {
		d.Model, d.FirmwareVersion, d.Status = "YubiKey 5 NFC", "5.4.3", hwkey.Active
		d.EnrolledAt, d.LastSeenAt, d.SecretsChangedAt = ago(400), ago(40), ago(400)
	})
	f.device(t, "new", func(d *hwkey.Device) { d.Model, d.FirmwareVersion, d.LastSeenAt = "YubiKey 5C NFC", "5.7.1", ago(30) })
	f.device(t, "ten", bea, func(d *hwkey.Device) {
		d.FirmwareVersion, d.Status, d.LastSeenAt, d.SecretsChangedAt = "5.10.0", hwkey.Retired, ago(1), ago(500)
	})
	f.device(t, "bare", func(d *hwkey.Device) { d.OwnerID, d.Status, d.Model = nil, hwkey.InStock, "100%" })
	lost := func(d *hwkey.Device) { d.Status = hwkey.Lost }
	f.device(t, "lost", bea, lost, func(d *hwkey.Device) { d.FirmwareVersion = "4.3.5" })

	ends := func(at time.Duration) func(*cert.Certificate) {
		return func(c *cert.Certificate) { c.NotAfter = Now.Add(at) }
	}
	ofBea := func(c *cert.Certificate) { c.OwnerID, c.OrganizationID = &f.bea.ID, &f.b.ID }
	bare := func(c *cert.Certificate) { c.Attestation = nil }
	f.certificate(t, f.record("a1", "nfc", ends(10*day)))
	f.certificate(t, f.record("a2", "nfc", ends(30*day), bare))
	f.certificate(t, f.record("a3", "new", ends(0)))
	f.editDevice(t, "lost", func(d *hwkey.Device) { d.Status = hwkey.Assigned })
	f.certificate(t, f.record("b1", "lost", ofBea, ends(20*day)))
	f.certificate(t, f.record("b2", "lost", ofBea, ends(5*day)))
	f.editDevice(t, "lost", lost)
	must.Get(f.RevokeCertificate(t.Context(), "b2", vault.Unspecified, Now, entry("x.y", audit.System)))(t)
}

func deviceNarrowed(t *testing.T, f *fixture) {
	f.narrowed(t)
	for _, c := range []struct {
		name   string
		scope  access.Scope
		filter hwkey.Filter
		want   string
	}{
		{"part of the model", access.All(), hwkey.Filter{Model: "5c nfc"}, "new"},
		{"a model is no pattern", access.All(), hwkey.Filter{Model: "0%"}, "bare"},
		{"model elsewhere", inOrganization(f.b), hwkey.Filter{Model: "nfc"}, ""},
		{"firmware", access.All(), hwkey.Filter{Firmware: ptr("5.4.3")}, "nfc"},
		{"firmware is not a part", access.All(), hwkey.Filter{Firmware: ptr("5.4")}, ""},
		{"unknown firmware", access.All(), hwkey.Filter{Firmware: ptr("")}, "bare"},
		{"below, as numbers", access.All(), hwkey.Filter{FirmwareBelow: "5.9"}, "lost new nfc"},
		{"below excludes", access.All(), hwkey.Filter{FirmwareBelow: "5.4.3"}, "lost"},
		{"below all", access.All(), hwkey.Filter{FirmwareBelow: "4"}, ""},
		{"below in an organization", inOrganization(f.a), hwkey.Filter{FirmwareBelow: "5.7"}, "nfc"},
		{"nobody's", access.All(), hwkey.Filter{Owned: ptr(false)}, "bare"},
		{"somebody's", inOrganization(f.a), hwkey.Filter{Owned: ptr(true)}, "new nfc"},
		{"never set up", access.All(), hwkey.Filter{Enrolled: ptr(false), Status: hwkey.Assigned}, "new"},
		{"set up", access.All(), hwkey.Filter{Enrolled: ptr(true)}, "nfc"},
		{"not seen since", access.All(), hwkey.Filter{SeenBefore: Now.AddDate(0, 0, -30)}, "lost bare nfc"},
		{"seen since", access.All(), hwkey.Filter{SeenFrom: Now.AddDate(0, 0, -30)}, "ten new"},
		{"old secrets, but retired", access.All(), hwkey.Filter{SecretsBefore: Now.AddDate(-1, 0, 0)}, "nfc"},
		{"old secrets elsewhere", inOrganization(f.b), hwkey.Filter{SecretsBefore: Now.AddDate(-1, 0, 0)}, ""},
		{"expiring", access.All(), hwkey.Filter{ExpiringDays: 20}, "lost nfc"},
		{"expiring sooner", access.All(), hwkey.Filter{ExpiringDays: 19, Sort: "serial"}, "nfc"},
		{"expiring in an organization", inOrganization(f.b), hwkey.Filter{ExpiringDays: 30}, "lost"},
		{"one's own", ofUser(f.alex), hwkey.Filter{ExpiringDays: 30, FirmwareBelow: "6", Model: "key"}, "nfc"},
	} {
		c.filter.Now = Now
		rows := walk(t, 1, func(p page.Request) (page.Page[hwkey.Device], error) {
			return f.ListDevices(t.Context(), c.scope, c.filter, p)
		})
		equal(t, c.name, strings.Join(names(rows, func(d hwkey.Device) string { return d.Serial }), " "), c.want)
	}
}

func userNarrowed(t *testing.T, f *fixture) {
	f.narrowed(t)
	begun := func(name string, change func(*account.User)) {
		u := newAccount(name, access.User, &f.a.ID)
		change(&u)
		must.Get(f.InsertUser(t.Context(), u, entry(audit.UserCreated, "user")))(t)
	}
	begun("invited", func(u *account.User) { u.PasswordHash = "" })
	begun("outside", func(u *account.User) { u.PasswordHash, u.AuthSource = "", account.OIDC })
	begun("former", func(u *account.User) { u.PasswordHash, u.IsActive = "", false })
	begun("regular", func(u *account.User) { u.LastLoginAt = &Now })
	for _, c := range []struct {
		name   string
		scope  access.Scope
		filter account.UserFilter
		want   string
	}{
		{"without a token: a lost one is none", access.All(), account.UserFilter{Tokens: ptr(false), IsActive: ptr(true)},
			"regular outside invited bea manager admin"},
		{"with a token", access.All(), account.UserFilter{Tokens: ptr(true)}, "alex"},
		{"with a token elsewhere", inOrganization(f.b), account.UserFilter{Tokens: ptr(true)}, ""},
		{"invited", access.All(), account.UserFilter{State: account.YetInvited}, "invited"},
		{"invited elsewhere", inOrganization(f.b), account.UserFilter{State: account.YetInvited}, ""},
		{"never signed in", inOrganization(f.a), account.UserFilter{State: account.NeverSignedIn}, "outside invited alex manager"},
		{"expiring", access.All(), account.UserFilter{ExpiringDays: 20}, "bea alex"},
		{"expiring in an organization", inOrganization(f.a), account.UserFilter{ExpiringDays: 20, Sort: "username"}, "alex"},
		{"expiring sooner", access.All(), account.UserFilter{ExpiringDays: 9}, ""},
	} {
		c.filter.Now = Now
		rows := walk(t, 1, func(p page.Request) (page.Page[account.User], error) {
			return f.ListUsers(t.Context(), c.scope, c.filter, p)
		})
		equal(t, c.name, strings.Join(names(rows, func(u account.User) string { return u.Username }), " "), c.want)
	}
}

func certificateNarrowed(t *testing.T, f *fixture) {
	f.narrowed(t)
	for _, c := range []struct {
		name   string
		scope  access.Scope
		filter cert.Filter
		want   string
	}{
		{"a window", access.All(), cert.Filter{ExpiresFrom: Now.Add(10 * day), ExpiresBefore: Now.Add(30 * day)}, "b1 a1"},
		{"a window in an organization", inOrganization(f.a), cert.Filter{ExpiresFrom: Now.Add(10 * day), ExpiresBefore: Now.Add(30 * day)}, "a1"},
		{"valid from", access.All(), cert.Filter{Status: cert.Issued, ExpiresFrom: Now.Add(15 * day)}, "b1 a2"},
		{"attested", access.All(), cert.Filter{Attested: ptr(true), Status: cert.Issued}, "b1 a1"},
		{"not attested", access.All(), cert.Filter{Attested: ptr(false)}, "a2"},
		{"not attested elsewhere", inOrganization(f.b), cert.Filter{Attested: ptr(false)}, ""},
	} {
		for _, sort := range []page.Sort{cert.NewestFirst, cert.EndsLast} {
			c.filter.Now, c.filter.Sort = Now, sort
			rows := walk(t, 1, func(p page.Request) (page.Page[cert.Certificate], error) {
				return f.ListCertificates(t.Context(), c.scope, c.filter, p)
			})
			equal(t, c.name+string(sort), len(rows), len(strings.Fields(c.want)))
			if sort == cert.NewestFirst {
				equal(t, c.name, strings.Join(names(rows, func(c cert.Certificate) string { return c.SerialNumber }), " "), c.want)
			}
		}
		weeks := must.Get(f.CountByWeek(t.Context(), c.scope, c.filter, Now.UTC().Truncate(cert.Week), 10))(t)
		var n int64
		for _, count := range weeks.Counts {
			n += count
		}
		equal(t, c.name+", by week", n, int64(len(strings.Fields(c.want))))
	}
}
