package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var revocationCases = map[string]func(*testing.T, *fixture){
	"revoke":                         revoke,
	"every reason comes back":        revokeReasons,
	"install":                        install,
	"an installed one supersedes":    installSupersedes,
	"a revoked one is not installed": installRevoked,
	"unpublished, then published":    publish,
	"many are published at once":     publishMany,
	"issued among":                   issuedAmong,
	"without a record":               unrecorded,
	"without a record, compromised":  unrecordedCompromised,
	"the certificates themselves":    certificatesDER,
	"those of a time":                certificatesAfter,
	"how one stands":                 revocationOf,
}

func revoke(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	want := f.certificate(t, f.record("aa", "abcd"))
	f.seen = f.newest(t)
	at := Now.Add(time.Minute)
	got := must.Get(f.RevokeCertificate(t.Context(), "aa", vault.KeyCompromise, at, entry(audit.CertificateRevoked, "certificate")))(t)
	want.Status, want.RevokedAt, want.RevocationReason = cert.Revoked, &at, "keyCompromise"
	equal(t, "returned", got, want)
	_, err := f.RevokeCertificate(t.Context(), "aa", vault.Superseded, at.Add(time.Hour), entry("x.y", ""))
	refused(t, "again", err, fault.Conflict)
	refused(t, "absent", errOf(f.RevokeCertificate(t.Context(), "ff", vault.Superseded, at, entry("x.y", ""))), fault.NotFound)
	got = must.Get(f.Certificate(t.Context(), access.All(), "aa"))(t)
	equal(t, "read", got, want)
	equal(t, "entries", f.logged(t), []string{"certificate.revoked certificate aa"})
}

func revokeReasons(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	reasons := []vault.Reason{vault.Unspecified, vault.KeyCompromise, vault.CACompromise, vault.AffiliationChanged, vault.Superseded,
		vault.CessationOfOperation, vault.PrivilegeWithdrawn, vault.AACompromise}
	for i, r := range reasons {
		serial := fmt.Sprintf("a%d", i)
		f.certificate(t, f.record(serial, "abcd"))
		must.Get(f.RevokeCertificate(t.Context(), serial, r, Now, entry("x.y", "")))(t)
	}
	list := must.Get(f.UnpublishedRevocations(t.Context(), 0, 100))(t)
	got := []vault.Reason{}
	for _, r := range list {
		got = append(got, r.Reason)
	}
	equal(t, "reasons", got, reasons)
}

func install(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	want := f.certificate(t, f.record("aa", "abcd"))
	f.seen = f.newest(t)
	at := Now.Add(time.Minute)
	want.InstalledAt = &at
	for i := range 2 { // the first time counts
		got := must.Get(f.InstallCertificate(t.Context(), "aa", at.Add(time.Duration(i)*time.Hour),
			entry(audit.CertificateInstalled, "certificate"), entry(audit.CertificateRevoked, "certificate")))(t)
		equal(t, "certificate", got, want)
	}
	equal(t, "entries", f.logged(t), []string{"certificate.installed certificate aa"})
	refused(t, "absent", errOf(f.InstallCertificate(t.Context(), "ff", at, entry("x.y", ""), entry("x.y", ""))), fault.NotFound)
}

func installSupersedes(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.device(t, "other")
	at := Now.Add(time.Minute)
	f.certificate(t, f.record("a1", "abcd"))
	f.certificate(t, f.record("a2", "abcd", func(c *cert.Certificate) { c.NotAfter = at })) // over by then
	f.certificate(t, f.record("a3", "abcd", func(c *cert.Certificate) { c.Slot = "9c" }))
	f.certificate(t, f.record("a4", "other"))
	f.certificate(t, f.record("a5", "abcd"))
	f.certificate(t, f.record("a6", "abcd")) // issued after it
	f.seen = f.newest(t)
	_, err := f.InstallCertificate(t.Context(), "a5", at, entry(audit.CertificateInstalled, "certificate"),
		entry(audit.CertificateRevoked, "certificate"))
	must.OK(t, err)
	for serial, want := range map[string]string{"a1": "superseded", "a2": "", "a3": "", "a4": "", "a5": "", "a6": ""} {
		equal(t, serial, must.Get(f.Certificate(t.Context(), access.All(), serial))(t).RevocationReason, want)
	}
	equal(t, "entries", f.logged(t), []string{"certificate.installed certificate a5", "certificate.revoked certificate a1"})
	list := must.Get(f.UnpublishedRevocations(t.Context(), 0, 10))(t)
	equal(t, "to publish", list, []vault.Revocation{{
		Serial: "a1", At: at, Reason: vault.Superseded, Certificate: []byte{0, 1, 0xff, 0xfe}, NotAfter: Now.Add(time.Hour)}})
}

func installRevoked(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.certificate(t, f.record("aa", "abcd"))
	f.certificate(t, f.record("bb", "abcd"))
	must.Get(f.RevokeCertificate(t.Context(), "bb", vault.Unspecified, Now, entry("x.y", "")))(t)
	f.seen = f.newest(t)
	refused(t, "revoked", errOf(f.InstallCertificate(t.Context(), "bb", Now, entry("x.y", ""), entry("x.y", ""))), fault.Conflict)
	equal(t, "entries", f.logged(t), nil)
	live := must.Get(f.LiveOf(t.Context(), []string{"abcd"}, Now))(t)
	equal(t, "what was there", live["abcd"][0].SerialNumber, "aa")
}

// carried are revocations that were published without a reason.
func carried(serialNumbers ...string) []vault.Revocation {
	list := make([]vault.Revocation, len(serialNumbers))
	for i, serial := range serialNumbers {
		list[i] = vault.Revocation{Serial: serial}
	}
	return list
}

func publish(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	for i, serial := range []string{"aa", "bb", "cc"} { // the last is revoked first
		f.certificate(t, f.record(serial, "abcd"))
		must.Get(f.RevokeCertificate(t.Context(), serial, vault.Unspecified, Now.Add(-time.Duration(i)*time.Minute), entry("x.y", "")))(t)
	}
	f.certificate(t, f.record("dd", "abcd"))
	unpublished := func(skip, limit int) []string {
		t.Helper()
		list := must.Get(f.UnpublishedRevocations(t.Context(), skip, limit))(t)
		return names(list, func(r vault.Revocation) string { return r.Serial })
	}
	equal(t, "oldest first", unpublished(0, 10), []string{"cc", "bb", "aa"})
	equal(t, "limit", unpublished(0, 2), []string{"cc", "bb"})
	equal(t, "behind the first", unpublished(1, 1), []string{"bb"})
	must.OK(t, f.MarkPublished(t.Context(), carried("cc", "aa", "dd", "ff"), Now))
	must.OK(t, f.MarkPublished(t.Context(), carried("cc"), Now.Add(time.Hour)))
	must.OK(t, f.MarkPublished(t.Context(), nil, Now))
	equal(t, "left", unpublished(0, 10), []string{"bb"})
	c := must.Get(f.Certificate(t.Context(), access.All(), "cc"))(t)
	equal(t, "published at, the first time", c.PublishedAt, ptr(Now))
	c = must.Get(f.Certificate(t.Context(), access.All(), "dd"))(t)
	equal(t, "not revoked", c.PublishedAt, nil)
}

// publishMany names more serial numbers than one statement takes, with recorded ones at both ends
// and among the many others.
func publishMany(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	var named, recorded []string
	for i := range 1300 {
		serial := fmt.Sprintf("%04x", 0x1000+i)
		named = append(named, serial)
		if i%100 == 0 || i == 511 || i == 512 || i == 1299 {
			f.certificate(t, f.record(serial, "abcd"))
			recorded = append(recorded, serial)
		}
	}
	issued := must.Get(f.IssuedAmong(t.Context(), named))(t)
	slices.Sort(issued)
	equal(t, "issued", issued, recorded)
	for _, serial := range recorded {
		must.Get(f.RevokeCertificate(t.Context(), serial, vault.Unspecified, Now, entry("x.y", "")))(t)
	}
	must.OK(t, f.MarkPublished(t.Context(), carried(named...), Now))
	equal(t, "unpublished", len(must.Get(f.UnpublishedRevocations(t.Context(), 0, 1000))(t)), 0)
}

func issuedAmong(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.certificate(t, f.record("aa", "abcd"))
	f.certificate(t, f.record("bb", "abcd"))
	f.certificate(t, f.record("cc", "abcd"))
	must.Get(f.RevokeCertificate(t.Context(), "bb", vault.Unspecified, Now, entry("x.y", "")))(t)
	got := must.Get(f.IssuedAmong(t.Context(), []string{"aa", "bb", "ff"}))(t)
	equal(t, "issued", got, []string{"aa"})
	got = must.Get(f.IssuedAmong(t.Context(), nil))(t)
	equal(t, "of none", got, nil)
	known := must.Get(f.KnownAmong(t.Context(), []string{"aa", "bb", "ff"}))(t)
	equal(t, "on record", known, map[string]bool{"aa": true, "bb": true})
}
