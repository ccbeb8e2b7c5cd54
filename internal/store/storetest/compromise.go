package storetest

import (
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

var compromiseCases = map[string]func(*testing.T, *fixture){
	"found later, after another reason":   compromisedLater,
	"found later, while it is published":  compromisedWhilePublished,
	"found later, of an expired one":      compromisedExpired,
	"every certificate of the key ends":   compromisedSiblings,
	"a lost token's keys":                 compromisedByLoss,
	"a lost token's former owner is past": compromisedFormerOwner,
}

func ofKey(name string) func(*cert.Certificate) {
	return func(c *cert.Certificate) { c.PublicKeySHA256 = name }
}

func (f *fixture) compromise(t *testing.T, serialNumber string, at time.Time) (cert.Certificate, error) {
	t.Helper()
	return f.RevokeCertificate(t.Context(), serialNumber, vault.KeyCompromise, at, entry(audit.CertificateRevoked, "certificate"))
}

// reasons checks the recorded reasons, by serial number.
func (f *fixture) reasons(t *testing.T, want map[string]string) {
	t.Helper()
	for serial, reason := range want {
		equal(t, "reason of "+serial, must.Get(f.Certificate(t.Context(), access.All(), serial))(t).RevocationReason, reason)
	}
}

func compromisedLater(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	want := f.certificate(t, f.record("aa", "abcd", ofKey("stolen")))
	must.Get(f.RevokeCertificate(t.Context(), "aa", vault.Superseded, Now, entry("x.y", "")))(t)
	must.OK(t, f.MarkPublished(t.Context(), carried("aa"), Now))
	f.seen = f.newest(t)
	got := must.Get(f.compromise(t, "aa", Now.Add(time.Hour)))(t)
	want.Status, want.RevokedAt, want.RevocationReason = cert.Revoked, ptr(Now), "keyCompromise"
	equal(t, "returned", got, want)
	equal(t, "the key", must.Get(f.KeyCompromised(t.Context(), "stolen"))(t), true)
	equal(t, "entries", f.logged(t), []string{"certificate.revoked certificate aa"})
	refused(t, "again", errOf(f.compromise(t, "aa", Now)), fault.Conflict)
	_, err := f.RevokeCertificate(t.Context(), "aa", vault.Unspecified, Now, entry("x.y", ""))
	refused(t, "for another reason", err, fault.Conflict)
	list := must.Get(f.UnpublishedRevocations(t.Context(), 0, 10))(t)
	equal(t, "to publish", len(list), 1)
	equal(t, "when", list[0].At, Now)
	equal(t, "why", list[0].Reason, vault.KeyCompromise)
}

// compromisedWhilePublished: a revocation published with the former reason does not count as
// published with the new one.
func compromisedWhilePublished(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.certificate(t, f.record("aa", "abcd"))
	must.Get(f.RevokeCertificate(t.Context(), "aa", vault.Superseded, Now, entry("x.y", "")))(t)
	under := must.Get(f.UnpublishedRevocations(t.Context(), 0, 10))(t)
	must.Get(f.compromise(t, "aa", Now))(t)
	must.OK(t, f.MarkPublished(t.Context(), under, Now))
	left := must.Get(f.UnpublishedRevocations(t.Context(), 0, 10))(t)
	equal(t, "left", names(left, func(r vault.Revocation) string { return cert.ReasonName(r.Reason) }), []string{"keyCompromise"})
	must.OK(t, f.MarkPublished(t.Context(), left, Now))
	equal(t, "then", len(must.Get(f.UnpublishedRevocations(t.Context(), 0, 10))(t)), 0)
}

func compromisedExpired(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.certificate(t, f.record("aa", "abcd", ofKey("old"), func(c *cert.Certificate) { c.NotAfter = Now }))
	at := Now.Add(time.Hour)
	equal(t, "revoked at", must.Get(f.compromise(t, "aa", at))(t).RevokedAt, &at)
	refused(t, "its key", errOf2(f.InsertCertificate(t.Context(), f.record("bb", "abcd", ofKey("old")), entry("x.y", ""))), fault.CSRRejected)
}

// compromisedSiblings: live certificates of the key end with it, wherever they are, and each
// organization reads of its own.
func compromisedSiblings(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.device(t, "other", ofUserIn(f.bea.ID, f.b.ID))
	elsewhere := func(c *cert.Certificate) { c.OwnerID, c.OrganizationID = &f.bea.ID, &f.b.ID }
	at := Now.Add(time.Minute)
	f.certificate(t, f.record("aa", "abcd", ofKey("shared")))
	f.certificate(t, f.record("bb", "abcd", ofKey("shared"), func(c *cert.Certificate) { c.Slot = "9c" }))
	f.certificate(t, f.record("cc", "other", ofKey("shared"), elsewhere, sameCSR))
	f.certificate(t, f.record("dd", "other", ofKey("its own"), elsewhere))
	f.certificate(t, f.record("ee", "abcd", ofKey("shared"), func(c *cert.Certificate) { c.NotAfter = at })) // over by then
	f.seen = f.newest(t)
	must.Get(f.compromise(t, "aa", at))(t)
	f.reasons(t, map[string]string{"aa": "keyCompromise", "bb": "keyCompromise", "cc": "keyCompromise", "dd": "", "ee": ""})
	equal(t, "entries", len(f.logged(t)), 3)
	for who, want := range map[int64]string{f.alex.ID: "abcd 9c bb keyCompromise", f.bea.ID: "other 9a cc keyCompromise"} {
		list := must.Get(f.ListNotices(t.Context(), who, notify.Filter{}, page.Request{Limit: 9}))(t).Items
		equal(t, "told", names(list, func(n notify.Notice) string {
			return n.Params["serial"] + " " + n.Params["slot"] + " " + n.Params["certificate"] + " " + n.Params["reason"]
		}), []string{want})
	}
	p := must.Get(f.ListAudit(t.Context(), inOrganization(f.b), audit.Filter{Action: "certificate.revoked"}, page.Request{Limit: 10}))(t)
	equal(t, "entries there", names(p.Items, func(e audit.Entry) string { return e.TargetID + " " + e.Reason }), []string{"cc keyCompromise"})
	equal(t, "to publish", len(must.Get(f.UnpublishedRevocations(t.Context(), 0, 10))(t)), 3)
	again := f.record("ff", "other", ofKey("shared"), elsewhere, sameCSR)
	refused(t, "the same CSR", errOf2(f.InsertCertificate(t.Context(), again, entry("x.y", ""))), fault.CSRRejected)
	refused(t, "installed", errOf(f.InstallCertificate(t.Context(), "cc", at, entry("x.y", ""), entry("x.y", ""))), fault.Conflict)
}

// compromisedByLoss: the last key of each slot, however its certificate ended, and whatever else
// has such a key.
func compromisedByLoss(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.device(t, "other")
	at := Now.Add(time.Minute)
	in := func(slot string) func(*cert.Certificate) { return func(c *cert.Certificate) { c.Slot = slot } }
	f.certificate(t, f.record("a1", "abcd")) // replaced, and so is its key
	f.certificate(t, f.record("a2", "abcd", ofKey("in 9a")))
	f.certificate(t, f.record("a3", "abcd", in("9c")))
	f.certificate(t, f.record("a4", "abcd", in("9d"), func(c *cert.Certificate) { c.NotAfter = at })) // over by then
	f.certificate(t, f.record("b1", "other", ofKey("in 9a")))
	f.certificate(t, f.record("b2", "other"))
	for _, serial := range []string{"a1", "a3"} {
		must.Get(f.RevokeCertificate(t.Context(), serial, vault.Superseded, Now, entry("x.y", "")))(t)
	}
	f.seen = f.newest(t)
	f.editDevice(t, "abcd", func(d *hwkey.Device) { d.Status = hwkey.Lost }, endsCertificates(vault.KeyCompromise, at))
	f.reasons(t, map[string]string{"a1": "superseded", "a2": "keyCompromise", "a3": "keyCompromise", "a4": "keyCompromise",
		"b1": "keyCompromise", "b2": ""})
	equal(t, "entries", len(f.logged(t)), 5)
}

func compromisedFormerOwner(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.certificate(t, f.record("aa", "abcd"))
	must.Get(f.RevokeCertificate(t.Context(), "aa", vault.CessationOfOperation, Now, entry("x.y", "")))(t)
	f.editDevice(t, "abcd", ofUserIn(f.bea.ID, f.b.ID))
	f.editDevice(t, "abcd", func(d *hwkey.Device) { d.Status = hwkey.Lost }, endsCertificates(vault.KeyCompromise, Now))
	f.reasons(t, map[string]string{"aa": "cessationOfOperation"})
}
