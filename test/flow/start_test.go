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

// token creates a token in a scenario's initial state. It uses no agent and no flow,
// which spend most of their time on 4096-bit RSA: the card is set directly to the
// vault's values.
func (w *world) token(t *testing.T, s start) *token {
	t.Helper()
	tok := w.newCard(t, s)
	if s.Is == "" {
		tok.first = w.state(t, tok.serial)
		return tok
	}
	ctx, serial := t.Context(), tok.serial
	d := w.service.document(t, serial)
	key, pin := d.current(piv.ManagementKey), d.current(piv.PIN)
	algorithm := piv.AES192
	if s.Firmware != "" { // an old one
		algorithm = piv.TDES
	}
	must(t, w.cards.ChangeManagementKey(ctx, serial, secret.New(piv.FactoryManagementKey), key, algorithm))
	must(t, w.cards.ChangePUK(ctx, serial, secret.New(piv.FactoryPUK), d.current(piv.PUK)))
	must(t, w.cards.ChangePIN(ctx, serial, secret.New(piv.FactoryPIN), pin))
	if s.Is == "certified" {
		w.certify(t, serial, key, pin)
	}
	must(t, w.clerk.Enrolled(ctx, serial, tok.card.Firmware().String()))
	for range s.Former {
		_, err := w.clerk.CommitRotation(ctx, serial, w.rotation(t, serial, true), []piv.Field{piv.PIN})
		must(t, err)
	}
	tok.first = w.state(t, serial)
	return tok
}

// rotation begins a change of the PIN, which the card takes or not.
func (w *world) rotation(t *testing.T, serial string, taken bool) int64 {
	t.Helper()
	n, err := w.clerk.StartRotation(t.Context(), serial, client.NewRotation{Fields: []piv.Field{piv.PIN}})
	must(t, err)
	if pin := w.service.document(t, serial).Fields[piv.PIN]; taken {
		must(t, w.cards.ChangePIN(t.Context(), serial, secret.New(pin.Current), secret.New(pin.Pending)))
	}
	return n.ID
}

// certify gives slot 9a a key and a certificate.
func (w *world) certify(t *testing.T, serial string, key, pin secret.String) {
	t.Helper()
	ctx := t.Context()
	public, err := w.cards.GenerateKey(ctx, serial, piv.Authentication, key, driver.NewKey{})
	must(t, err)
	der, err := w.cards.Request(ctx, serial, piv.Authentication, pin, public, driver.Subject{CommonName: "alice"})
	must(t, err)
	signed, err := w.clerk.SignCSR(ctx, serial, client.CSR{
		CSR: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})), Slot: "9a",
	})
	must(t, err)
	block, _ := pem.Decode([]byte(signed.Certificate))
	cert, err := x509.ParseCertificate(block.Bytes)
	must(t, err)
	must(t, w.cards.ImportCertificate(ctx, serial, piv.Authentication, key, secret.String{}, cert))
	must(t, w.clerk.Installed(ctx, signed.SerialNumber))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
