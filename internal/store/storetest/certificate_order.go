package storetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/user"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var certificateOrderCases = map[string]func(*testing.T, *fixture){
	"every order of every filter": certificateOrders,
	"the owner":                   certificateOwner,
	"by the week of their end":    certificateWeeks,
}

// certificateOrders holds every list, page after page, to what filtering and
// sorting the rows without the store gives. Many end at the same moment.
func certificateOrders(t *testing.T, f *fixture) {
	r := rand.New(rand.NewPCG(7, 7)) // #nosec G404 -- a test that can be repeated
	var all []cert.Certificate
	idle := map[string]bool{}
	for i := range 60 { // each in a slot of its own: none supersedes another
		token := fmt.Sprint("Key-", i/4)
		theirs := i/4%3 == 0
		if i%4 == 0 {
			f.device(t, token, func(d *hwkey.Device) {
				d.Status = hwkey.Active
				if i/4%4 == 1 {
					d.Status, idle[token] = hwkey.Assigned, true
				}
				if theirs {
					d.OwnerID, d.OrganizationID = &f.bea.ID, &f.b.ID
				}
			})
		}
		c := f.certificate(t, f.record(fmt.Sprintf("%04x", i), token, func(c *cert.Certificate) {
			c.CommonName = []string{"alex", "bea", "cleo"}[r.IntN(3)]
			c.NotAfter, c.Slot = Now.Add(time.Duration(r.IntN(7)-3)*time.Hour), []string{"9a", "9c", "9d", "9e"}[i%4]
			if theirs {
				c.OwnerID, c.OrganizationID = &f.bea.ID, &f.b.ID
			}
		}))
		all = append(all, f.fate(t, c, r.IntN(4)))
	}
	scopes := map[string]access.Scope{"all": access.All(), "organization": inOrganization(f.a), "own": ofUser(f.bea), "nobody": {}}
	for name, scope := range scopes {
		for _, status := range []cert.Status{"", cert.Issued, cert.Expired, cert.Revoked} {
			for _, installed := range []*bool{nil, ptr(true), ptr(false)} {
				for _, before := range []time.Time{{}, Now.Add(2 * time.Hour)} {
					for _, sort := range []page.Sort{
						cert.NewestFirst, cert.OldestFirst, cert.EndsFirst, cert.EndsLast, cert.NamesFirst, cert.NamesLast,
					} {
						filter := cert.Filter{Status: status, Installed: installed, ExpiresBefore: before, Sort: sort, Now: Now}
						if r.IntN(4) == 0 {
							filter.HWKeySerial = fmt.Sprint("KEY-", r.IntN(15))
						}
						if r.IntN(4) == 0 {
							filter.Lapsed, filter.Status = true, cert.Expired
						}
						rows := walk(t, 1+r.IntN(5), func(p page.Request) (page.Page[cert.Certificate], error) {
							return f.ListCertificates(t.Context(), scope, filter, p)
						})
						what := fmt.Sprint(name, " ", status, " installed ", installed != nil && *installed,
							installed != nil, " ", !before.IsZero(), " ", sort, " ", filter.HWKeySerial, " lapsed ", filter.Lapsed)
						equal(t, what, names(rows, bySerial), names(expected(all, idle, scope, filter), bySerial))
					}
				}
			}
		}
	}
}

func bySerial(c cert.Certificate) string { return c.SerialNumber }

// fate lets a token have taken the certificate, revokes it, both or neither.
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

// expected filters and sorts by the words of the API. idle are tokens that are not active.
func expected(all []cert.Certificate, idle map[string]bool, s access.Scope, f cert.Filter) []cert.Certificate {
	var out []cert.Certificate
	for _, c := range all {
		seen := s.Reach == access.Everything || s.Reach == access.Organization && *c.OrganizationID == s.OrganizationID ||
			s.Reach == access.Own && *c.OwnerID == s.UserID
		status := c.Status
		if status == cert.Issued && !Now.Before(c.NotAfter) {
			status = cert.Expired
		}
		if seen && (f.Status == "" || f.Status == status) && (f.HWKeySerial == "" || strings.EqualFold(f.HWKeySerial, c.HWKeySerial)) &&
			(f.Installed == nil || *f.Installed == (c.InstalledAt != nil)) && (f.ExpiresBefore.IsZero() || c.NotAfter.Before(f.ExpiresBefore)) &&
			(!f.Lapsed || !idle[c.HWKeySerial]) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b cert.Certificate) int {
		switch f.Sort {
		case cert.OldestFirst:
			return cmp.Compare(a.ID, b.ID)
		case cert.EndsFirst:
			return cmp.Or(a.NotAfter.Compare(b.NotAfter), cmp.Compare(a.ID, b.ID))
		case cert.EndsLast:
			return cmp.Or(b.NotAfter.Compare(a.NotAfter), cmp.Compare(b.ID, a.ID))
		case cert.NamesFirst:
			return cmp.Or(cmp.Compare(a.CommonName, b.CommonName), cmp.Compare(a.ID, b.ID))
		case cert.NamesLast:
			return cmp.Or(cmp.Compare(b.CommonName, a.CommonName), cmp.Compare(b.ID, a.ID))
		default:
			return cmp.Compare(b.ID, a.ID)
		}
	})
	return out
}

func certificateOwner(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.device(t, "free", func(d *hwkey.Device) { d.OwnerID = nil })
	f.certificate(t, f.record("aa", "abcd"))
	f.certificate(t, f.record("bb", "free", func(c *cert.Certificate) { c.OwnerID = nil }))
	// The token goes to somebody else, the name of the first owner changes.
	f.editDevice(t, "abcd", ofUserIn(f.bea.ID, f.b.ID))
	must.Both(f.edit(t, f.alex, func(u *user.User) { u.Username = "alexandra" }))(t)
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
