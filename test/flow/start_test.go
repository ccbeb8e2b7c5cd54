package flow_test

import (
	"crypto/x509"
	"encoding/pem"
	"testing"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// handOver enrols a token without agent and flow, which spends most of its
// time on RSA with 4096 bits: the card is set directly to what the vault
// releases to the auditor.
func (w *world) handOver(t *testing.T, serial string, s scenario) state {
	t.Helper()
	ctx := t.Context()
	released, err := w.audits.backend.Secrets(ctx, serial, client.Release{Fields: piv.Fields})
	if err != nil {
		t.Fatal(err)
	}
	pin := w.open(t, serial, piv.PIN, released.PIN)
	puk := w.open(t, serial, piv.PUK, released.PUK)
	key := w.open(t, serial, piv.ManagementKey, released.ManagementKey)
	algorithm := piv.AES192
	if s.firmware == old {
		algorithm = piv.TDES
	}
	for _, err := range []error{
		w.cards.ChangeManagementKey(ctx, serial, secret.New(piv.FactoryManagementKey), key, algorithm),
		w.cards.ChangePUK(ctx, serial, secret.New(piv.FactoryPUK), puk),
		w.cards.ChangePIN(ctx, serial, secret.New(piv.FactoryPIN), pin),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before := state{pin: pin.Reveal()}
	if s.slot {
		before.certificate = w.certify(t, serial, key, pin)
	}
	if err := w.audits.backend.Enrolled(ctx, serial); err != nil {
		t.Fatal(err)
	}
	return before
}

// certify gives slot 9a a key and a certificate.
func (w *world) certify(t *testing.T, serial string, key, pin secret.String) string {
	t.Helper()
	ctx := t.Context()
	public, err := w.cards.GenerateKey(ctx, serial, piv.Authentication, key, driver.Policies{})
	if err != nil {
		t.Fatal(err)
	}
	der, err := w.cards.Request(ctx, serial, piv.Authentication, pin, public, driver.Subject{CommonName: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	signed, err := w.audits.backend.SignCSR(ctx, serial, client.CSR{
		CSR: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})), Slot: "9a",
	})
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode([]byte(signed.Certificate))
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cards.ImportCertificate(ctx, serial, piv.Authentication, key, secret.String{}, cert); err != nil {
		t.Fatal(err)
	}
	if err := w.audits.backend.Installed(ctx, signed.SerialNumber); err != nil {
		t.Fatal(err)
	}
	return signed.SerialNumber
}
