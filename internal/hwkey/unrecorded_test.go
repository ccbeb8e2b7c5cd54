package hwkey_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/vaulttest"
)

// stranger is a certificate of the CA that is in neither record nor log.
func (i *issuing) stranger(t *testing.T) (vault.Issued, *rsa.PrivateKey) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	issued, err := vaulttest.Sign(t.Context(), i.engine, vault.SignRequest{CSR: vaulttest.NewCSR(t, key), CommonName: "alex"})
	must(t, err)
	return issued, key
}

func (i *issuing) revokeAny(t *testing.T, r cert.RevokeAny) (cert.Ended, error) {
	t.Helper()
	return i.certs.RevokeUnrecorded(t.Context(), i.admin, r)
}

// onCRL returns the serial numbers on the published CRL.
func (i *issuing) onCRL(t *testing.T) (serials []string) {
	t.Helper()
	must(t, i.engine.Revoked(t.Context(), func(r vault.Revocation) error { serials = append(serials, r.Serial); return nil }))
	return serials
}

// told counts the audit entries of a certificate's revocation.
func (i *issuing) told(t *testing.T, serial string) int {
	t.Helper()
	f := audit.Filter{Action: string(audit.CertificateRevoked), Target: serial}
	list, err := i.db.ListAudit(t.Context(), access.All(), f, page.Request{Limit: 50})
	must(t, err)
	return len(list.Items)
}

// TestRevokeUnrecorded: a certificate without a record is revoked, by itself and by
// its serial number, once, with its entry; later also as compromised, which bars its key.
func TestRevokeUnrecorded(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		first, key := i.stranger(t)
		second, _ := i.stranger(t)
		for serial, r := range map[string]cert.RevokeAny{
			first.Serial:  {Certificate: cert.PEM(first.Certificate.Raw), Reason: "superseded"},
			second.Serial: {SerialNumber: second.Serial, Reason: "superseded"}, // the remote one keeps it
		} {
			ended, err := i.revokeAny(t, r)
			must(t, err)
			if ended.SerialNumber != serial || ended.Reason != "superseded" || ended.OnRecord || ended.RevokedAt.IsZero() {
				t.Errorf("%+v", ended)
			}
			_, err = i.revokeAny(t, r)
			code(t, "again", err, fault.Conflict)
			if !slices.Contains(i.onCRL(t), serial) || i.told(t, serial) != 1 {
				t.Errorf("on the CRL: %v; %d entries", i.onCRL(t), i.told(t, serial))
			}
		}
		ended, err := i.revokeAny(t, cert.RevokeAny{SerialNumber: first.Serial, Reason: "keyCompromise"})
		if err != nil || ended.Reason != "keyCompromise" || i.told(t, first.Serial) != 2 {
			t.Errorf("found compromised: %+v, %v, %d entries", ended, err, i.told(t, first.Serial))
		}
		_, err = i.certs.Sign(t.Context(), i.alex, access.All(), "key-1", cert.SignRequest{CSR: csrOf(t, "alex", key)})
		code(t, "its key", err, fault.CSRRejected)
		must(t, i.certs.PublishRevocations(t.Context()))
		if revoked := i.onCRL(t); len(revoked) != 2 {
			t.Errorf("in the end on the CRL: %v", revoked)
		}
	})
}

// TestRevokeUnrecordedOnRecord: a certificate with a record is revoked there.
func TestRevokeUnrecordedOnRecord(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		signed, err := i.sign(t)
		must(t, err)
		r := cert.RevokeAny{Certificate: cert.PEM(signed.Certificate.DER), Reason: "superseded"}
		ended, err := i.revokeAny(t, r)
		if err != nil || !ended.OnRecord || ended.SerialNumber != signed.Certificate.SerialNumber {
			t.Errorf("%+v, %v", ended, err)
		}
		found, err := i.db.Certificate(t.Context(), access.All(), ended.SerialNumber)
		if err != nil || found.Status != cert.Revoked || found.RevocationReason != "superseded" {
			t.Errorf("on record it is %s, %v", found.Status, err)
		}
		_, err = i.revokeAny(t, r)
		code(t, "again", err, fault.Conflict)
	})
}

// TestRevokeUnrecordedAway: while the vault is away the revocation is recorded; it
// is published when the vault is back.
func TestRevokeUnrecordedAway(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		ca, _ := i.watched()
		issued, _ := i.stranger(t)
		ca.revoke = func([]vault.Revocation) error { return vault.ErrUnavailable }
		r := cert.RevokeAny{Certificate: cert.PEM(issued.Certificate.Raw)}
		for range 2 { // asking again only waits
			_, err := i.revokeAny(t, r)
			code(t, "away", err, fault.VaultUnavailable)
		}
		ca.revoke = nil
		must(t, i.certs.PublishRevocations(t.Context()))
		if revoked := i.onCRL(t); !slices.Equal(revoked, []string{issued.Serial}) || i.told(t, issued.Serial) != 1 {
			t.Errorf("%v, %d entries", revoked, i.told(t, issued.Serial))
		}
		_, err := i.revokeAny(t, r)
		code(t, "published", err, fault.Conflict)
	})
}

// TestRevokeUnrecordedRefused: certificates that are not the CA's, or not properly
// named, are refused, and nothing is revoked.
func TestRevokeUnrecordedRefused(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		active, err := vault.ActiveCA(t.Context(), i.engine)
		must(t, err)
		own := active.Chain[0]
		ca, err := x509.ParseCertificate(own)
		must(t, err)
		forger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		must(t, err)
		template := &x509.Certificate{SerialNumber: big.NewInt(4711), NotAfter: i.now().Add(time.Hour)}
		der, err := x509.CreateCertificate(rand.Reader, template, &x509.Certificate{Subject: ca.Subject}, forger.Public(), forger)
		must(t, err)
		for name, c := range map[string]struct {
			r    cert.RevokeAny
			code fault.Code
		}{
			"nothing":             {cert.RevokeAny{}, fault.InvalidRequest},
			"both":                {cert.RevokeAny{Certificate: cert.PEM(own), SerialNumber: "4711"}, fault.InvalidRequest},
			"no PEM":              {cert.RevokeAny{Certificate: "MIIB"}, fault.InvalidRequest},
			"no certificate":      {cert.RevokeAny{Certificate: cert.PEM([]byte{0x30, 0})}, fault.InvalidRequest},
			"no serial number":    {cert.RevokeAny{SerialNumber: "0x4711"}, fault.InvalidRequest},
			"no reason":           {cert.RevokeAny{SerialNumber: "4711", Reason: "certificateHold"}, fault.InvalidRequest},
			"another's signature": {cert.RevokeAny{Certificate: cert.PEM(der)}, fault.CertificateRejected},
			"the CA":              {cert.RevokeAny{Certificate: cert.PEM(own)}, fault.CertificateRejected},
			"the CA's number":     {cert.RevokeAny{SerialNumber: fmt.Sprintf("%x", ca.SerialNumber.Bytes())}, fault.CertificateRejected},
		} {
			_, err := i.revokeAny(t, c.r)
			code(t, name, err, c.code)
			if f, ok := fault.As(err); ok && len(f.Fields) != 1 {
				t.Errorf("%s: which field? %+v", name, f)
			}
		}
		_, err = i.revokeAny(t, cert.RevokeAny{SerialNumber: "4711"}) // never issued, or not stored
		if f, ok := fault.As(err); i.knows && err != nil || !i.knows && (!ok || f.Reason != "certificate_required" || len(f.Fields) != 1) {
			t.Errorf("a number that the vault does not keep: %v", err)
		}
		if revoked := i.onCRL(t); len(revoked) != map[bool]int{true: 1}[i.knows] {
			t.Errorf("%v", revoked)
		}
	})
}

// TestListUnrecorded: logged issuances without a record are listed, newest first,
// with their outcome, and can be revoked.
func TestListUnrecorded(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		list := func(p page.Request) page.Page[cert.UnrecordedIssuance] {
			t.Helper()
			found, err := i.certs.ListUnrecorded(t.Context(), p)
			must(t, err)
			return found
		}
		_, err := i.another(t, "key-2")
		must(t, err)
		i.way.signed = func() error { return vault.ErrSlow }
		for _, serial := range []string{"key-3", "key-4"} {
			_, err := i.another(t, serial)
			code(t, "signing", err, fault.VaultUnavailable)
		}
		i.way.signed = nil
		all := page.Request{Limit: 50}
		if found := list(all); len(found.Items) != 0 {
			t.Errorf("what may be on its way: %+v", found.Items)
		}
		must(t, i.certs.Issuances.Flush(t.Context()))
		i.turn(2 * time.Minute)
		if found := list(all); len(found.Items) != 2 || found.Items[0].Outcome != "" || found.Items[0].HWKeySerial != "key-4" {
			t.Errorf("open: %+v", found.Items)
		}
		i.reconcile(t, 9*time.Minute)
		seen, err := intentlog.VerifyIssuances(t.Context(), i.engine, i.db, i.now())
		if err != nil || seen.Recorded != 1 || seen.Unrecorded[intentlog.Discarded] != 2 {
			t.Errorf("verified: %+v, %v", seen, err)
		}
		found := list(page.Request{Limit: 1})
		if len(found.Items) != 1 || found.NextCursor == nil || found.Total != 2 {
			t.Fatalf("the first page: %+v", found)
		}
		first := found.Items[0]
		if first.HWKeySerial != "key-4" || first.Outcome != intentlog.Discarded || first.Username != "alex" || first.SerialNumber == "" {
			t.Errorf("%+v", first)
		}
		next, err := page.Parse(1, *found.NextCursor)
		must(t, err)
		if second := list(next); len(second.Items) != 1 || second.Items[0].HWKeySerial != "key-3" || second.NextCursor != nil {
			t.Errorf("the second page: %+v", second)
		}
		_, err = i.revokeAny(t, cert.RevokeAny{SerialNumber: first.SerialNumber})
		code(t, "what is discarded", err, fault.Conflict)
		_, err = i.revokeAny(t, cert.RevokeAny{SerialNumber: first.SerialNumber, Reason: "keyCompromise"})
		must(t, err)
		if again := list(all); again.Items[0].Revoked == nil || again.Items[0].Revoked.Reason != vault.KeyCompromise {
			t.Errorf("revoked: %+v", again.Items[0])
		}
	})
}
