package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var certificateCases = map[string]func(*testing.T, *fixture){
	"insert and read":                     certificateRead,
	"the token must stand as seen":        certificateToken,
	"the same CSR gives the live one":     certificateExisted,
	"a renewal takes the place of one":    certificateRenewed,
	"an expired or revoked one is no bar": certificateSuccessor,
	"a serial number is taken":            certificateTaken,
	"a profile has certificates":          certificateProfiles,
	"live of tokens":                      certificateLiveOf,
	"scope":                               certificateScope,
	"filters":                             certificateFilters,
	"filters by end and attestation":      certificateNarrowed,
	"a compromised key":                   certificateCompromised,
	"somebody is told":                    certificateTold,
	"not attested":                        certificateUnattested,
}

func certificateRead(t *testing.T, f *fixture) {
	f.device(t, "Abcd")
	in := f.record("aa01", "aBCD", func(c *cert.Certificate) {
		c.SANs = append(c.SANs, cert.SAN{Type: "uri", Value: `urn:x:"ü"`})
	})
	f.seen = f.newest(t)
	stored := f.certificate(t, in)
	in.ID, in.HWKeySerial, in.OwnerEmail = stored.ID, "Abcd", ""
	equal(t, "inserted", stored, in)
	got := must.Get(f.Certificate(t.Context(), access.All(), "aa01"))(t)
	equal(t, "read", got, in)
	got = must.Get(f.LiveByCSR(t.Context(), requested("abcd", "9a", in.CSRSHA256), in.PublicKeySHA256, Now))(t)
	equal(t, "by CSR", got, in)
	equal(t, "entries", f.logged(t), []string{"certificate.issued certificate aa01"})
	p := must.Get(f.ListCertificates(t.Context(), access.All(), cert.Filter{}, page.Request{Limit: 1}))(t)
	in.DER = nil
	equal(t, "listed without DER", p.Items, []cert.Certificate{in})
}

func certificateToken(t *testing.T, f *fixture) {
	for i, status := range hwkey.Statuses {
		serial := "key-" + string(status)
		f.device(t, serial, func(d *hwkey.Device) { d.Status = status })
		_, _, err := f.InsertCertificate(t.Context(), f.record("a"+string(rune('0'+i)), serial), entry("x.y", ""))
		if status == hwkey.Assigned || status == hwkey.Active {
			must.OK(t, err)
			continue
		}
		refused(t, string(status), err, fault.Conflict)
	}
	f.device(t, "abcd")
	f.device(t, "free", func(d *hwkey.Device) { d.OwnerID = nil })
	f.seen = f.newest(t)
	for _, c := range []struct {
		name, serial string
		owner        *int64
	}{{"another owner", "abcd", &f.bea.ID}, {"an owner gone", "abcd", nil}, {"an owner come",
		"free", &f.alex.ID}, {"no token", "nope", &f.alex.ID}} {
		_, _, err := f.InsertCertificate(t.Context(), f.record("bb", c.serial, func(r *cert.Certificate) { r.OwnerID = c.owner }),
			entry("x.y", ""))
		refused(t, c.name, err, fault.Conflict)
	}
	for name, change := range map[string]func(*cert.Certificate){
		"another UPN": func(r *cert.Certificate) { r.OwnerUPN = "alex@corp.example" },
		"another SID": func(r *cert.Certificate) { r.OwnerSID = "S-1-5-21-1" },
	} {
		_, _, err := f.InsertCertificate(t.Context(), f.record("bb", "abcd", change), entry("x.y", ""))
		refused(t, name, err, fault.Conflict)
	}
	equal(t, "entries of refusals", f.logged(t), nil)
	f.certificate(t, f.record("bb", "free", func(r *cert.Certificate) { r.OwnerID = nil }))
}

func requested(hwkeySerial, slot, sha256 string) cert.CSR {
	return cert.CSR{HWKeySerial: hwkeySerial, Slot: slot, SHA256: sha256}
}

func sameCSR(c *cert.Certificate) { c.CSRSHA256 = "same" }

func certificateExisted(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.device(t, "other")
	first := f.certificate(t, f.record("aa", "abcd", sameCSR))
	f.seen = f.newest(t)
	got, existed := must.Both(f.InsertCertificate(t.Context(), f.record("bb", "ABCD", sameCSR), entry("x.y", "")))(t)
	if !existed {
		t.Error("two live certificates of one CSR")
	}
	equal(t, "the first", got, first)
	equal(t, "entries", f.logged(t), nil)
	refused(t, "the second", errOf(f.Certificate(t.Context(), access.All(), "bb")), fault.NotFound)
	f.certificate(t, f.record("cc", "other", sameCSR)) // another token
	f.certificate(t, f.record("dd", "abcd", sameCSR, func(c *cert.Certificate) { c.Slot = "9c" }))
	f.certificate(t, f.record("ee", "abcd", sameCSR, func(c *cert.Certificate) { c.Profile = "logon" }))
	live := must.Get(f.LiveByCSR(t.Context(), cert.CSR{HWKeySerial: "abcd", Slot: "9a", SHA256: "same", Profile: "logon"}, "its key", Now))(t)
	equal(t, "the live one of the profile", live.SerialNumber, "ee")
}

// certificateProfiles: a profile lives as long as its last certificate, revoked or not.
func certificateProfiles(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.certificate(t, f.record("aa", "abcd", func(c *cert.Certificate) { c.Profile = "vpn" }))
	must.Get(f.RevokeCertificate(t.Context(), "aa", vault.Unspecified, Now, entry("x.y", "")))(t)
	end := must.Get(f.Certificate(t.Context(), access.All(), "aa"))(t).NotAfter
	for _, c := range []struct {
		name string
		at   time.Time
		want bool
	}{{"vpn", Now, true}, {"vpn", end, false}, {"mail", Now, false}} {
		equal(t, c.name, must.Get(f.ProfileAlive(t.Context(), c.name, c.at))(t), c.want)
	}
}

func certificateSuccessor(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.certificate(t, f.record("aa", "abcd", sameCSR, func(c *cert.Certificate) { c.NotAfter = Now }))
	refused(t, "expired", errOf(f.LiveByCSR(t.Context(), requested("abcd", "9a", "same"), "its key", Now)), fault.NotFound)
	f.certificate(t, f.record("bb", "abcd", sameCSR))
	must.Get(f.RevokeCertificate(t.Context(), "bb", vault.Unspecified, Now, entry("x.y", "")))(t)
	refused(t, "revoked", errOf(f.LiveByCSR(t.Context(), requested("abcd", "9a", "same"), "its key", Now)), fault.NotFound)
	f.certificate(t, f.record("cc", "abcd", sameCSR))
	equal(t, "the live one", must.Get(f.LiveByCSR(t.Context(), requested("abcd", "9a", "same"), "its key", Now))(t).SerialNumber, "cc")
	for _, c := range []struct{ serial, slot, csr string }{{"nope", "9a", "same"}, {"abcd", "9c", "same"}, {"abcd", "9a", "other"}} {
		refused(t, c.serial+c.slot+c.csr, errOf(f.LiveByCSR(t.Context(), requested(c.serial, c.slot, c.csr), "its key", Now)), fault.NotFound)
	}
}

// certificateCompromised: the key of a certificate that ended for another reason may be used again;
// a compromised one may not, by any token or owner.
func certificateCompromised(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.device(t, "other", ofUserIn(f.bea.ID, f.b.ID))
	key := func(name string) func(*cert.Certificate) {
		return func(c *cert.Certificate) { c.PublicKeySHA256 = name }
	}
	f.certificate(t, f.record("aa", "abcd", key("ended")))
	f.certificate(t, f.record("bb", "abcd", key("lost")))
	must.Get(f.RevokeCertificate(t.Context(), "aa", vault.Superseded, Now, entry("x.y", "")))(t)
	equal(t, "compromised before", must.Get(f.KeyCompromised(t.Context(), "lost"))(t), false)
	must.Get(f.RevokeCertificate(t.Context(), "bb", vault.KeyCompromise, Now, entry("x.y", "")))(t)
	for name, want := range map[string]bool{"ended": false, "lost": true, "los": false, "never seen": false} {
		equal(t, "compromised: "+name, must.Get(f.KeyCompromised(t.Context(), name))(t), want)
	}
	live := f.certificate(t, f.record("cc", "abcd", key("ended"), sameCSR))
	equal(t, "the live one", must.Get(f.LiveByCSR(t.Context(), requested("abcd", "9a", "same"), "ended", Now))(t).ID, live.ID)
	for _, csr := range []string{"same", "another"} {
		refused(t, "a compromised key's", errOf(f.LiveByCSR(t.Context(), requested("abcd", "9a", csr), "lost", Now)), fault.CSRRejected)
	}
	f.seen = f.newest(t)
	refused(t, "the same token", errOf2(f.InsertCertificate(t.Context(), f.record("dd", "abcd", key("lost")), entry("x.y", ""))),
		fault.CSRRejected)
	refused(t, "another organization", errOf2(f.InsertCertificate(t.Context(), f.record("ee", "other", key("lost"), func(c *cert.Certificate) {
		c.OwnerID, c.OrganizationID = &f.bea.ID, &f.b.ID
	}), entry("x.y", ""))), fault.CSRRejected)
	equal(t, "entries of refusals", f.logged(t), nil)
	refused(t, "its record", errOf(f.Certificate(t.Context(), access.All(), "dd")), fault.NotFound)
}

// certificateTold: a message is written with the record, or not at all.
func certificateTold(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	message := notify.Message{To: notify.Audience{UserID: f.alex.ID}, Kind: notify.CertificateIssued, Message: "look", At: Now}
	for range 2 { // the second time it is there already
		must.Both(f.InsertCertificate(t.Context(), f.record("aa", "abcd", sameCSR), entry("x.y", ""), message))(t)
	}
	list := must.Get(f.ListNotices(t.Context(), f.alex.ID, notify.Filter{}, page.Request{Limit: 10}))(t)
	equal(t, "told", names(list.Items, func(n notify.Notice) string { return string(n.Kind) + " " + n.Message }),
		[]string{"certificate_issued look"})
}

func certificateUnattested(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.certificate(t, f.record("aa", "abcd", func(c *cert.Certificate) { c.Attestation = nil }))
	if a := must.Get(f.Certificate(t.Context(), access.All(), "aa"))(t).Attestation; a != nil {
		t.Errorf("attested: %+v", a)
	}
}

func certificateTaken(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.certificate(t, f.record("aa", "abcd"))
	f.seen = f.newest(t)
	refused(t, "taken", errOf2(f.InsertCertificate(t.Context(), f.record("aa", "abcd", sameCSR), entry("x.y", ""))), fault.Conflict)
	equal(t, "entries", f.logged(t), nil)
}

func certificateLiveOf(t *testing.T, f *fixture) {
	f.device(t, "key-1")
	f.device(t, "key-2")
	f.device(t, "key-3")
	f.certificate(t, f.record("aa", "key-1"))
	f.certificate(t, f.record("bb", "key-1", func(c *cert.Certificate) { c.Slot = "9c" }))
	f.certificate(t, f.record("cc", "key-1", func(c *cert.Certificate) { c.NotAfter = Now }))
	f.certificate(t, f.record("dd", "key-2"))
	f.certificate(t, f.record("ee", "key-3"))
	must.Get(f.RevokeCertificate(t.Context(), "ee", vault.Unspecified, Now, entry("x.y", "")))(t)
	live := must.Get(f.LiveOf(t.Context(), []string{"key-1", "KEY-2", "key-3", "nope"}, Now))(t)
	got := map[string][]string{}
	for serial, list := range live {
		got[serial] = names(list, func(c cert.Certificate) string {
			if len(c.DER) != 0 {
				t.Error("with DER")
			}
			return c.SerialNumber
		})
	}
	equal(t, "live", got, map[string][]string{"key-1": {"bb", "aa"}, "KEY-2": {"dd"}})
	live = must.Get(f.LiveOf(t.Context(), nil, Now))(t)
	equal(t, "of none", len(live), 0)
}

func certificateScope(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.certificate(t, f.record("aa", "abcd"))
	// The token moves on; the certificate keeps its owner.
	f.editDevice(t, "abcd", ofUserIn(f.bea.ID, f.b.ID))
	for name, s := range map[string]access.Scope{"all": access.All(), "organization": inOrganization(f.a), "owner": ofUser(f.alex)} {
		equal(t, name, len(must.Get(f.Certificate(t.Context(), s, "aa"))(t).DER), 4)
	}
	for name, s := range map[string]access.Scope{"other organization": inOrganization(f.b), "another": ofUser(f.bea), "none": {}} {
		refused(t, name, errOf(f.Certificate(t.Context(), s, "aa")), fault.NotFound)
	}
	refused(t, "absent", errOf(f.Certificate(t.Context(), access.All(), "ff")), fault.NotFound)
}

func certificateFilters(t *testing.T, f *fixture) {
	f.device(t, "key-1")
	f.device(t, "Spare", func(d *hwkey.Device) { d.OwnerID, d.OrganizationID = &f.bea.ID, &f.b.ID })
	ofBea := func(c *cert.Certificate) { c.OwnerID, c.OrganizationID, c.CommonName = &f.bea.ID, &f.b.ID, "Bea_1" }
	f.certificate(t, f.record("aa", "key-1"))
	f.certificate(t, f.record("ab", "key-1", func(c *cert.Certificate) { c.NotAfter = Now }))
	f.certificate(t, f.record("cc", "spare", ofBea))
	f.certificate(t, f.record("dd", "spare", ofBea, func(c *cert.Certificate) { c.NotAfter = Now.Add(time.Minute) }))
	must.Get(f.RevokeCertificate(t.Context(), "cc", vault.Unspecified, Now, entry("x.y", audit.System)))(t)
	for _, c := range []struct {
		name   string
		scope  access.Scope
		filter cert.Filter
		want   string
	}{
		{"all, newest first", access.All(), cert.Filter{}, "dd cc ab aa"},
		{"unknown token", access.All(), cert.Filter{HWKeySerial: "nope"}, ""},
		{"owner", access.All(), cert.Filter{OwnerID: &f.alex.ID}, "ab aa"},
		{"organization filter", access.All(), cert.Filter{OrganizationID: &f.b.ID, Status: cert.Issued}, "dd"},
		{"part of a common name", access.All(), cert.Filter{Q: "EA_"}, "dd cc"},
		{"part of a token's serial", access.All(), cert.Filter{Q: "EY-"}, "ab aa"},
		{"start of a serial number", access.All(), cert.Filter{Q: "A"}, "dd cc ab aa"},
		{"start, not middle", access.All(), cert.Filter{Q: "AB"}, "ab"},
		{"search stays in scope", inOrganization(f.a), cert.Filter{Q: "bea"}, ""},
	} {
		c.filter.Now = Now
		rows := walk(t, 1, func(p page.Request) (page.Page[cert.Certificate], error) {
			return f.ListCertificates(t.Context(), c.scope, c.filter, p)
		})
		equal(t, c.name, strings.Join(names(rows, func(c cert.Certificate) string { return c.SerialNumber }), " "), c.want)
	}
}

// certificateRenewed: a renewal is recorded beside the live certificate that it names, once, and
// that one stays valid.
func certificateRenewed(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	renews := func(serial string) func(*cert.Certificate) {
		return func(c *cert.Certificate) { c.CSRSHA256, c.Renews = "same", serial }
	}
	f.certificate(t, f.record("aa", "abcd", sameCSR))
	got := f.certificate(t, f.record("bb", "abcd", renews("aa")))
	equal(t, "returned", got.Renews, "")
	again, existed := must.Both(f.InsertCertificate(t.Context(), f.record("cc", "abcd", renews("aa")), entry("x.y", "")))(t)
	equal(t, "the second of two at once", existed, true)
	equal(t, "it gets the first's", again.SerialNumber, "bb")
	live := must.Get(f.LiveByCSR(t.Context(), requested("abcd", "9a", "same"), "key bb", Now))(t)
	equal(t, "the live one", live.SerialNumber, "bb")
	equal(t, "the former one", must.Get(f.Certificate(t.Context(), access.All(), "aa"))(t).Status, cert.Issued)
}
