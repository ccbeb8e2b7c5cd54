package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// restoreTokens: afterwards the facts of both sides are there.
func restoreTokens(t *testing.T, r *restored) {
	r.device(t, "both", func(d *hwkey.Device) { d.Label, d.SecretsCounter = "then", 3 })
	lost := r.device(t, "lost", func(d *hwkey.Device) { d.SecretsCounter = 4 })
	r.certificate(t, r.record("0b", "both"))
	r.certificate(t, r.record("0c", "lost"))
	b := r.Backup(t)
	r.Execute(t, "DELETE FROM certificates WHERE serial_number = '0c'", fmt.Sprint("DELETE FROM hwkeys WHERE id = ", lost.ID))
	both := r.editDevice(t, "both", func(d *hwkey.Device) { d.Label, d.SecretsCounter, d.Status = "now", 9, hwkey.Active })
	since := r.device(t, "since")
	r.certificate(t, r.record("0d", "since"))
	must.Both(r.edit(t, r.alex, func(u *account.User) { u.OrganizationID = &r.b.ID }))(t)
	moved := func(d *hwkey.Device) { // with their owner
		d.OrganizationID, d.OrganizationName = &r.b.ID, "Bolt"
	}
	report := r.restore(t, b)

	device := func(serial string) hwkey.Device {
		t.Helper()
		return must.Get(r.Device(t.Context(), access.All(), serial))(t)
	}
	lost.SecretsCounter = 0 // its document is still to come
	both.Label = "then"     // it describes the token; its status is today's
	for _, d := range []hwkey.Device{both, since, lost} {
		moved(&d)
		equal(t, d.Serial, device(d.Serial), d)
	}
	for _, serial := range []string{"0b", "0c", "0d"} {
		c := must.Get(r.Certificate(t.Context(), access.All(), serial))(t)
		equal(t, serial, fmt.Sprint(c.Status, *c.OrganizationID), fmt.Sprint("issued", r.b.ID))
	}
	equal(t, "hwkeys", table(t, report, "hwkeys"), "1 1 1 0")
	equal(t, "kept", report.Kept, map[restore.Kept]int64{restore.Accounts: 1, restore.Tokens: 1})
	equal(t, "certificates", table(t, report, "certificates"), "1 0 2 0")
	equal(t, "nothing to publish", report.Unpublished, 0)
}

// restoreRevocations: none is undone, whichever side has it.
func restoreRevocations(t *testing.T, r *restored) {
	r.device(t, "abcd")
	serials := []string{"01", "02", "03", "04", "05", "06", "07", "08"}
	for _, serial := range serials {
		r.certificate(t, r.record(serial, "abcd", func(c *cert.Certificate) { c.NotAfter = after.Add(time.Hour) }))
	}
	r.certificate(t, r.record("09", "abcd", ofKey("stolen"), func(c *cert.Certificate) { c.NotAfter = after.Add(time.Hour) }))
	revoke := func(serial string, reason vault.Reason, at time.Time) {
		t.Helper()
		must.Get(r.RevokeCertificate(t.Context(), serial, reason, at, entry(audit.CertificateRevoked, "certificate")))(t)
	}
	never := "status = 'issued', revoked_at = NULL, revocation_reason = '', published_at = NULL"
	revoke("02", vault.Superseded, Now)    // in the backup alone
	revoke("03", vault.Superseded, Now)    // in both
	revoke("04", vault.Superseded, Now)    // earlier in the backup
	revoke("05", vault.KeyCompromise, Now) // for another reason since
	must.OK(t, r.MarkPublished(t.Context(), carried("02", "03", "04"), Now))
	must.OK(t, r.revokeUnrecorded(t, vault.Revocation{Serial: "0e", At: Now, Reason: vault.Superseded}, ""))
	must.OK(t, r.revokeUnrecorded(t, vault.Revocation{Serial: "0f", At: Now, Reason: vault.KeyCompromise}, "stolen"))
	r.Execute(t, fmt.Sprintf(`INSERT INTO unrecorded_revocations (serial_number, revoked_at, revocation_reason, not_after,
		public_key_sha256, der) VALUES ('06', %d, 'superseded', 0, '', '')`, Now.UnixMicro()))
	// 09 has a compromised key, and is only in the backup
	r.Execute(t, "UPDATE certificates SET "+never+" WHERE serial_number = '09'")
	// only the backup knows that 01 was installed
	r.Execute(t, fmt.Sprintf("UPDATE certificates SET installed_at = %d WHERE serial_number = '01'", Now.UnixMicro()))
	b := r.Backup(t)
	later := Now.Add(time.Hour)
	r.Execute(t, "UPDATE certificates SET installed_at = NULL WHERE serial_number = '01'")
	revoke("01", vault.Superseded, later) // since
	must.OK(t, r.MarkPublished(t.Context(), carried("01"), later))
	r.Execute(t, "UPDATE certificates SET "+never+" WHERE serial_number = '02'",
		fmt.Sprint("UPDATE certificates SET revoked_at = ", later.UnixMicro(), " WHERE serial_number = '04'"),
		fmt.Sprint("UPDATE certificates SET revocation_reason = 'superseded', published_at = ", later.UnixMicro(), " WHERE serial_number = '05'"),
		"DELETE FROM unrecorded_revocations WHERE serial_number <> '0e'")
	must.OK(t, r.MarkPublished(t.Context(), []vault.Revocation{{Serial: "0e", Reason: vault.Superseded}}, Now))
	must.OK(t, r.revokeUnrecorded(t, vault.Revocation{Serial: "08", At: later, Reason: vault.Superseded}, ""))
	must.OK(t, r.MarkPublished(t.Context(), []vault.Revocation{{Serial: "08", Reason: vault.Superseded}}, Now))
	report := r.restore(t, b)

	for serial, want := range map[string]string{
		"01": fmt.Sprint("revoked superseded ", later), "02": fmt.Sprint("revoked superseded ", Now),
		"03": fmt.Sprint("revoked superseded ", Now), "04": fmt.Sprint("revoked superseded ", Now),
		"05": fmt.Sprint("revoked keyCompromise ", Now), "06": fmt.Sprint("revoked superseded ", Now),
		"07": "issued ", "08": fmt.Sprint("revoked superseded ", later), "09": fmt.Sprint("revoked keyCompromise ", after),
	} {
		c := must.Get(r.Certificate(t.Context(), access.All(), serial))(t)
		got := fmt.Sprint(c.Status, " ", c.RevocationReason)
		if c.RevokedAt != nil {
			got += fmt.Sprint(" ", *c.RevokedAt)
		}
		equal(t, serial, got, want)
	}
	equal(t, "installed", *must.Get(r.Certificate(t.Context(), access.All(), "01"))(t).InstalledAt, Now)
	serialsOf := func(list []vault.Revocation) (out []string) {
		for _, r := range list {
			out = append(out, r.Serial)
		}
		slices.Sort(out)
		return out
	}
	equal(t, "to be published", serialsOf(must.Get(r.UnpublishedRevocations(t.Context(), 0, 50))(t)),
		[]string{"02", "04", "05", "06", "08", "09"})
	equal(t, "of no record", serialsOf(must.Get(r.UnpublishedUnrecorded(t.Context(), 0, 50))(t)), []string{"06", "0f"})
	equal(t, "reported", report.Unpublished, 8)
	equal(t, "the key", must.Get(r.KeyCompromised(t.Context(), "stolen"))(t), true)
}
