package storetest

import (
	"fmt"
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

var certificateOrderCases = map[string]func(*testing.T, *fixture){
	"every order of every filter": certificateOrders,
	"the owner":                   certificateOwner,
	"by the week of their end":    certificateWeeks,
}

// certificateOrders compares the lists with filtering and sorting by hand. Two end at once.
func certificateOrders(t *testing.T, f *fixture) {
	f.device(t, "Key-1", func(d *hwkey.Device) { d.Status = hwkey.Active })
	f.device(t, "Key-2")
	f.device(t, "Key-3", func(d *hwkey.Device) { d.OwnerID, d.OrganizationID, d.Status = &f.bea.ID, &f.b.ID, hwkey.Active })
	for _, c := range []struct {
		serial, token, slot, name string
		hours, fate               int
	}{
		{"01", "Key-1", "9a", "bea", 3, 0}, {"02", "Key-1", "9c", "alex", -1, 1}, {"03", "Key-1", "9d", "cleo", 1, 2},
		{"04", "Key-2", "9a", "alex", 1, 1}, {"05", "Key-2", "9c", "bea", -2, 0}, {"06", "Key-3", "9a", "alex", 2, 3},
		{"07", "Key-3", "9c", "cleo", -3, 0}, {"08", "Key-3", "9d", "bea", 1, 1},
	} {
		f.fate(t, f.certificate(t, f.record(c.serial, c.token, func(r *cert.Certificate) {
			r.Slot, r.CommonName, r.NotAfter = c.slot, c.name, Now.Add(time.Duration(c.hours)*time.Hour)
			if c.token == "Key-3" {
				r.OwnerID, r.OrganizationID = &f.bea.ID, &f.b.ID
			}
		})), c.fate)
	}
	soon := Now.Add(2 * time.Hour)
	for _, c := range []struct {
		scope  access.Scope
		filter cert.Filter
		want   string
	}{
		{access.All(), cert.Filter{Sort: cert.NewestFirst}, "08 07 06 05 04 03 02 01"},
		{access.All(), cert.Filter{Sort: cert.OldestFirst}, "01 02 03 04 05 06 07 08"},
		{access.All(), cert.Filter{Sort: cert.EndsFirst}, "07 05 02 03 04 08 06 01"},
		{access.All(), cert.Filter{Sort: cert.EndsLast}, "01 06 08 04 03 02 05 07"},
		{access.All(), cert.Filter{Sort: cert.NamesFirst}, "02 04 06 01 05 08 03 07"},
		{access.All(), cert.Filter{Sort: cert.NamesLast}, "07 03 08 05 01 06 04 02"},
		{access.All(), cert.Filter{Status: cert.Issued, Sort: cert.EndsFirst}, "04 08 01"},
		{access.All(), cert.Filter{Status: cert.Expired, Sort: cert.EndsLast}, "02 05 07"},
		{access.All(), cert.Filter{Status: cert.Revoked, Sort: cert.OldestFirst}, "03 06"},
		{access.All(), cert.Filter{Status: cert.Expired, Lapsed: true, Sort: cert.EndsFirst}, "07 02"},
		{access.All(), cert.Filter{Installed: ptr(true), Sort: cert.EndsFirst}, "02 04 08 06"},
		{access.All(), cert.Filter{Installed: ptr(false), Status: cert.Issued}, "01"},
		{access.All(), cert.Filter{ExpiresBefore: soon, Sort: cert.EndsFirst}, "07 05 02 03 04 08"},
		{access.All(), cert.Filter{ExpiresBefore: soon, Status: cert.Issued, Sort: cert.EndsLast}, "08 04"},
		{access.All(), cert.Filter{HWKeySerial: "KEY-1", Sort: cert.NamesFirst}, "02 01 03"},
		{inOrganization(f.a), cert.Filter{Sort: cert.EndsFirst}, "05 02 03 04 01"},
		{inOrganization(f.a), cert.Filter{Status: cert.Revoked, Sort: cert.EndsLast}, "03"},
		{inOrganization(f.b), cert.Filter{Status: cert.Expired, Sort: cert.NamesFirst}, "07"},
		{ofUser(f.bea), cert.Filter{Sort: cert.NamesLast}, "07 08 06"},
		{ofUser(f.bea), cert.Filter{Installed: ptr(true), Status: cert.Issued, Sort: cert.EndsFirst}, "08"},
		{access.Scope{}, cert.Filter{Sort: cert.EndsFirst}, ""},
	} {
		c.filter.Now = Now
		for _, limit := range []int{1, 2, 9} {
			rows := walk(t, limit, func(p page.Request) (page.Page[cert.Certificate], error) {
				return f.ListCertificates(t.Context(), c.scope, c.filter, p)
			})
			got := names(rows, func(c cert.Certificate) string { return c.SerialNumber })
			equal(t, fmt.Sprintf("%+v %+v", c.scope, c.filter), strings.Join(got, " "), c.want)
		}
	}
}

// fate marks the certificate as installed, revokes it, both or neither.
func (f *fixture) fate(t *testing.T, c cert.Certificate, which int) cert.Certificate {
	t.Helper()
	var err error
	if which&1 != 0 {
		c, err = f.InstallCertificate(t.Context(), c.SerialNumber, Now, entry(audit.CertificateInstalled, "certificate"), entry("x.y", ""))
		must.OK(t, err)
	}
	if which&2 != 0 {
		c = must.Get(f.RevokeCertificate(t.Context(), c.SerialNumber, vault.Unspecified, Now, entry("x.y", "")))(t)
	}
	return c
}

func certificateOwner(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.device(t, "free", func(d *hwkey.Device) { d.OwnerID = nil })
	f.certificate(t, f.record("aa", "abcd"))
	f.certificate(t, f.record("bb", "free", func(c *cert.Certificate) { c.OwnerID = nil }))
	// The token goes to another owner, and the first owner's name changes.
	f.editDevice(t, "abcd", ofUserIn(f.bea.ID, f.b.ID))
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.Username = "alexandra" }))(t)
	p := must.Get(f.ListCertificates(t.Context(), access.All(), cert.Filter{}, page.Request{Limit: 9}))(t)
	equal(t, "listed", names(p.Items, func(c cert.Certificate) string { return c.SerialNumber + " " + c.OwnerUsername }),
		[]string{"bb ", "aa alexandra"})
	c := must.Get(f.Certificate(t.Context(), access.All(), "aa"))(t)
	equal(t, "one", fmt.Sprint(*c.OwnerID, c.OwnerUsername), fmt.Sprint(f.alex.ID, "alexandra"))
}

func certificateWeeks(t *testing.T, f *fixture) {
	first := Now.UTC().Truncate(cert.Week)
	f.device(t, "mine")
	f.device(t, "theirs", func(d *hwkey.Device) { d.OwnerID, d.OrganizationID = &f.bea.ID, &f.b.ID })
	for i, c := range []struct {
		token string
		ends  time.Time
		fate  int
	}{
		{"mine", Now, 0},                                     // expired
		{"mine", Now.Add(time.Microsecond), 0},               // this week
		{"mine", first.Add(cert.Week - time.Microsecond), 1}, // this week, on its token
		{"theirs", first.Add(cert.Week), 0},                  // the next
		{"mine", first.Add(2*cert.Week + time.Hour), 2},      // revoked
		{"theirs", first.Add(2*cert.Week + time.Hour), 1},
		{"mine", first.Add(3 * cert.Week), 0}, // beyond
	} {
		made := f.certificate(t, f.record(fmt.Sprintf("%04x", i+1), c.token, func(r *cert.Certificate) {
			r.NotAfter, r.Slot, r.CommonName = c.ends, []string{"9a", "9c", "9d", "9e"}[i%4], c.token
			if c.token == "theirs" {
				r.OwnerID, r.OrganizationID = &f.bea.ID, &f.b.ID
			}
		}))
		f.fate(t, made, c.fate)
	}
	for _, c := range []struct {
		what   string
		scope  access.Scope
		filter cert.Filter
		want   []int64
	}{
		{"all", access.All(), cert.Filter{}, []int64{2, 1, 1}},
		{"valid", access.All(), cert.Filter{Status: cert.Issued}, []int64{2, 1, 1}},
		{"revoked", access.All(), cert.Filter{Status: cert.Revoked}, []int64{0, 0, 0}},
		{"an organization", inOrganization(f.a), cert.Filter{}, []int64{2, 0, 0}},
		{"one's own", ofUser(f.bea), cert.Filter{}, []int64{0, 1, 1}},
		{"nobody", access.Scope{}, cert.Filter{}, []int64{0, 0, 0}},
		{"not confirmed", access.All(), cert.Filter{Installed: ptr(false)}, []int64{1, 1, 0}},
		{"confirmed", access.All(), cert.Filter{Installed: ptr(true)}, []int64{1, 0, 1}},
		{"of a token", access.All(), cert.Filter{HWKeySerial: "THEIRS"}, []int64{0, 1, 1}},
		{"searched", access.All(), cert.Filter{Q: "their"}, []int64{0, 1, 1}},
		{"searched in vain", access.All(), cert.Filter{Q: "nobody"}, []int64{0, 0, 0}},
		{"searched in an organization", inOrganization(f.a), cert.Filter{Q: "mine"}, []int64{2, 0, 0}},
		{"one's own, searched", ofUser(f.bea), cert.Filter{Q: "e"}, []int64{0, 1, 1}},
		{"searched, of a token", access.All(), cert.Filter{Q: "e", HWKeySerial: "THEIRS"}, []int64{0, 1, 1}},
		{"searched, confirmed", access.All(), cert.Filter{Q: "e", Installed: ptr(true)}, []int64{1, 0, 1}},
		{"searched, soon", access.All(), cert.Filter{Q: "e", ExpiresBefore: first.Add(cert.Week)}, []int64{2, 0, 0}},
		{"soon", access.All(), cert.Filter{ExpiresBefore: first.Add(cert.Week)}, []int64{2, 0, 0}},
	} {
		c.filter.Now = Now
		equal(t, c.what, must.Get(f.CountByWeek(t.Context(), c.scope, c.filter, first, 3))(t),
			cert.Weeks{First: first, Counts: c.want, AreExact: true})
	}
}
