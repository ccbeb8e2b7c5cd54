package storetest

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

func (f *fixture) revokeUnrecorded(t *testing.T, r vault.Revocation, key string) error {
	t.Helper()
	return f.RevokeUnrecorded(t.Context(), r, key, entry(audit.CertificateRevoked, "certificate"))
}

// unrecordedOf returns a serial number's revocation, and the number of its log entries.
func (f *fixture) unrecordedOf(t *testing.T, serial string) (cert.Unrecorded, int) {
	t.Helper()
	found := must.Get(f.UnrecordedRevocations(t.Context(), []string{serial, "0f"}))(t)
	told := must.Get(f.ListAudit(t.Context(), access.All(), audit.Filter{Target: serial}, page.Request{Limit: 10}))(t)
	equal(t, "found", len(found), 1)
	return found[serial], len(told.Items)
}

// unrecorded: the revocation of an unrecorded certificate is recorded, and published like any
// other.
func unrecorded(t *testing.T, f *fixture) {
	known := vault.Revocation{
		Serial: "0a", At: Now, Reason: vault.Superseded, Certificate: []byte{0, 1, 0xff}, NotAfter: Now.Add(time.Hour),
	}
	bare := vault.Revocation{Serial: "0b", At: Now.Add(time.Second), Reason: vault.Unspecified}
	for _, r := range []vault.Revocation{bare, known} {
		must.OK(t, f.revokeUnrecorded(t, r, ""))
		again := r
		again.At = Now.Add(time.Minute)
		refused(t, "again", f.revokeUnrecorded(t, again, ""), fault.Conflict)
		found, told := f.unrecordedOf(t, r.Serial)
		equal(t, "on record", found, cert.Unrecorded{Revocation: r})
		equal(t, "entries", told, 1)
	}
	equal(t, "unpublished", must.Get(f.UnpublishedUnrecorded(t.Context(), 0, 10))(t), []vault.Revocation{known, bare})
	equal(t, "the second", must.Get(f.UnpublishedUnrecorded(t.Context(), 1, 10))(t), []vault.Revocation{bare})
	must.OK(t, f.MarkPublished(t.Context(), []vault.Revocation{known}, Now))
	equal(t, "left", must.Get(f.UnpublishedUnrecorded(t.Context(), 0, 10))(t), []vault.Revocation{bare})
	found, _ := f.unrecordedOf(t, "0a")
	equal(t, "published", found.Published, true)
	equal(t, "no certificate", must.Get(f.KnownAmong(t.Context(), []string{"0a"}))(t), map[string]bool{})
}

// unrecordedCompromised: a compromise replaces another reason, and its key ends and is barred.
func unrecordedCompromised(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.certificate(t, f.record("aa", "abcd", ofKey("k")))
	r := vault.Revocation{Serial: "0a", At: Now, Reason: vault.Superseded, Certificate: []byte{1}, NotAfter: Now.Add(time.Hour)}
	must.OK(t, f.revokeUnrecorded(t, r, "k"))
	equal(t, "sound", must.Get(f.KeyCompromised(t.Context(), "k"))(t), false)
	must.OK(t, f.MarkPublished(t.Context(), []vault.Revocation{r}, Now))

	found := vault.Revocation{Serial: "0a", At: Now.Add(time.Minute), Reason: vault.KeyCompromise} // by its serial number alone
	must.OK(t, f.revokeUnrecorded(t, found, "k"))
	want := r
	want.Reason = vault.KeyCompromise
	now, told := f.unrecordedOf(t, "0a")
	equal(t, "on record", now, cert.Unrecorded{Revocation: want, Key: "k"})
	equal(t, "entries", told, 2)
	must.OK(t, f.MarkPublished(t.Context(), []vault.Revocation{r}, Now)) // published with its former reason
	equal(t, "to be published again", must.Get(f.UnpublishedUnrecorded(t.Context(), 0, 10))(t), []vault.Revocation{want})
	refused(t, "again", f.revokeUnrecorded(t, found, "k"), fault.Conflict)
	f.reasons(t, map[string]string{"aa": "keyCompromise"})
	equal(t, "compromised", must.Get(f.KeyCompromised(t.Context(), "k"))(t), true)
	f.certificate(t, f.record("bb", "abcd", ofKey("known before")))
	r.Serial = "0c"
	must.OK(t, f.revokeUnrecorded(t, r, "known before"))
	found.Serial = "0c"
	must.OK(t, f.revokeUnrecorded(t, found, "")) // this caller knows only the serial number
	f.reasons(t, map[string]string{"bb": "keyCompromise"})
	// With only the serial number the key is unknown: the certificate bars it later.
	found.Serial = "0d"
	must.OK(t, f.revokeUnrecorded(t, found, ""))
	refused(t, "again", f.revokeUnrecorded(t, found, ""), fault.Conflict)
	f.certificate(t, f.record("dd", "abcd", ofKey("known later")))
	must.OK(t, f.revokeUnrecorded(t, found, "known later"))
	refused(t, "once more", f.revokeUnrecorded(t, found, "known later"), fault.Conflict)
	f.reasons(t, map[string]string{"dd": "keyCompromise"})
	equal(t, "barred", must.Get(f.KeyCompromised(t.Context(), "known later"))(t), true)
	// Also if no recorded certificate has that key.
	bare := vault.Revocation{Serial: "0b", At: Now, Reason: vault.KeyCompromise}
	must.OK(t, f.revokeUnrecorded(t, bare, "other"))
	for _, key := range []string{"k", "other"} { // of a certificate on record, and of another
		equal(t, key+" compromised", must.Get(f.KeyCompromised(t.Context(), key))(t), true)
		refused(t, key+" before it is signed", errOf(f.LiveByCSR(t.Context(), requested("abcd", "9a", "csr"), key, Now)), fault.CSRRejected)
		record := f.record("cc", "abcd", ofKey(key))
		refused(t, key+" recorded", errOf2(f.InsertCertificate(t.Context(), record, entry("x.y", ""))), fault.CSRRejected)
	}
}

// certificatesDER returns recorded certificates.
func certificatesDER(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.certificate(t, f.record("aa", "abcd", func(c *cert.Certificate) { c.DER = []byte{1, 2, 0xff} }))
	f.certificate(t, f.record("bb", "abcd", func(c *cert.Certificate) { c.DER = []byte{3} }))
	must.OK(t, f.revokeUnrecorded(t, vault.Revocation{Serial: "0a", At: Now, Certificate: []byte{4}}, ""))
	equal(t, "found", must.Get(f.CertificatesDER(t.Context(), []string{"aa", "bb", "cc", "0a"}))(t),
		map[string][]byte{"aa": {1, 2, 0xff}, "bb": {3}})
}

// certificatesAfter returns those of a period, page by page.
func certificatesAfter(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	from := func(begin, end time.Duration) func(*cert.Certificate) {
		return func(c *cert.Certificate) { c.NotBefore, c.NotAfter = Now.Add(begin), Now.Add(end) }
	}
	f.certificate(t, f.record("a1", "abcd", from(-time.Hour, time.Hour)))
	f.certificate(t, f.record("a2", "abcd", from(-2*time.Hour, -time.Hour))) // over
	f.certificate(t, f.record("a3", "abcd", from(-time.Second, time.Hour)))  // young
	f.certificate(t, f.record("a4", "abcd", from(-time.Hour, time.Hour)))
	must.Get(f.RevokeCertificate(t.Context(), "a4", vault.Superseded, Now, entry("x.y", "")))(t)
	var found []string
	for after := int64(0); ; {
		page, last, err := f.CertificatesAfter(t.Context(), after, Now.Add(-time.Minute), Now, 1)
		must.OK(t, err)
		if len(page) == 0 {
			break
		}
		found, after = append(found, page...), last
	}
	equal(t, "found", found, []string{"a1", "a4"})
}

// revocationOf: how a certificate stands, with a record or without, and the mark that moves whenever
// that changes.
func revocationOf(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	marks := map[string]bool{}
	moved := func(when string) {
		t.Helper()
		mark := must.Get(f.RevocationMark(t.Context()))(t)
		equal(t, "the mark is new "+when, marks[mark], false)
		marks[mark] = true
	}
	stands := func(serial string, known bool, want *vault.Revocation) {
		t.Helper()
		got, revoked, err := f.RevocationOf(t.Context(), f.record(serial, "abcd").Issuer, serial)
		must.OK(t, err)
		equal(t, serial+" is known", got, known)
		equal(t, serial+" is revoked", revoked, want)
	}
	moved("at first")
	stands("aa", false, nil)
	f.certificate(t, f.record("aa", "abcd"))
	stands("aa", true, nil)
	must.Get(f.RevokeCertificate(t.Context(), "aa", vault.Superseded, Now, entry("x.y", "")))(t)
	moved("after a revocation")
	first := vault.Revocation{Serial: "aa", At: Now, Reason: vault.Superseded}
	stands("aa", true, &first)
	must.OK(t, f.MarkPublished(t.Context(), []vault.Revocation{first}, Now))
	moved("once that is published")
	must.Get(f.RevokeCertificate(t.Context(), "aa", vault.KeyCompromise, Now.Add(time.Hour), entry("x.y", "")))(t)
	moved("after another reason")
	stands("aa", true, &vault.Revocation{Serial: "aa", At: Now, Reason: vault.KeyCompromise})
	bare := vault.Revocation{Serial: "0b", At: Now, Reason: vault.Unspecified}
	must.OK(t, f.revokeUnrecorded(t, bare, ""))
	moved("after one without a record")
	stands("0b", true, &bare)
}
