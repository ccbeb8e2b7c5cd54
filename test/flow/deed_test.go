package flow_test

import (
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// serve has the server do something.
func (w *world) serve(t *testing.T, tok *token, what string) {
	t.Helper()
	switch what {
	case "reset":
		must(t, w.admin.Reset(t.Context(), tok.serial, "test"))
	case "revoke", "compromise":
		reason := map[string]string{"revoke": "superseded", "compromise": "keyCompromise"}[what]
		_, err := w.admin.Revoke(t.Context(), w.state(t, tok.serial).certificate, reason)
		must(t, err)
	case "rotation", "rotation taken":
		w.rotation(t, tok.serial, what == "rotation taken")
	default:
		t.Fatalf("the server knows no %q", what)
	}
}

// harm changes a card outside Keyward.
func (w *world) harm(t *testing.T, tok *token, d cardAction) {
	t.Helper()
	ctx, serial := t.Context(), tok.serial
	value := func(f piv.Field, v string) secret.String {
		switch v {
		case "", "record":
			return w.service.document(t, serial).current(f)
		case "first":
			return secret.New(tok.first.pin)
		}
		return secret.New(v)
	}
	if d.PIN != "" {
		must(t, w.cards.ChangePIN(ctx, serial, value(piv.PIN, d.From), value(piv.PIN, d.PIN)))
	}
	if d.PUK != "" {
		must(t, w.cards.ChangePUK(ctx, serial, value(piv.PUK, d.From), value(piv.PUK, d.PUK)))
	}
	for field, left := range d.Tries {
		w.spend(t, serial, piv.Field(field), left)
	}
	if d.Reset {
		must(t, tok.card.FactoryReset())
	}
	switch d.Power {
	case "off":
		tok.card.PowerOff()
	case "on":
		tok.card.PowerOn()
	}
	if d.Protect {
		must(t, w.cards.Protect(serial, secret.New(piv.FactoryManagementKey), secret.New("0102030405060708090a0b0c0d0e0f101112131415161718")))
	}
	if d.Slot != "" {
		w.occupy(t, tok, d.Slot)
	}
}

// occupy stores something in slot 9a, or in 9d, outside Keyward.
func (w *world) occupy(t *testing.T, tok *token, what string) {
	t.Helper()
	key := secret.New(piv.FactoryManagementKey)
	if tok.first.certificate != "" {
		key = w.service.document(t, tok.serial).current(piv.ManagementKey)
	}
	switch what {
	case "imported":
		must(t, w.cards.ImportKey(t.Context(), tok.serial, piv.Authentication, key, w.keys[len(w.keys)-1]))
	case "imported into 9d":
		must(t, w.cards.ImportKey(t.Context(), tok.serial, piv.KeyManagement, key, w.keys[len(w.keys)-1]))
	case "P-256":
		must(t, w.cards.GenerateP256(t.Context(), tok.serial, piv.Authentication, key))
	case "foreign":
		public, err := w.cards.GenerateKey(t.Context(), tok.serial, piv.Authentication, key, driver.NewKey{})
		must(t, err)
		template := &x509.Certificate{SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: "somebody else's"},
			NotAfter: time.Now().Add(time.Hour)}
		der, err := x509.CreateCertificate(rand.Reader, template, template, public, w.keys[len(w.keys)-1])
		must(t, err)
		cert, err := x509.ParseCertificate(der)
		must(t, err)
		must(t, w.cards.ImportCertificate(t.Context(), tok.serial, piv.Authentication, key, secret.String{}, cert))
	default:
		t.Fatalf("nobody puts %q into a slot", what)
	}
}

// tries reads how many tries of PIN or PUK are left.
func (w *world) tries(t *testing.T, serial string, f piv.Field) int {
	t.Helper()
	c, err := w.cards.Inspect(t.Context(), serial)
	must(t, err)
	return map[piv.Field]driver.Counter{piv.PIN: c.PIN, piv.PUK: c.PUK}[f].Left
}

// spend uses up tries of a PIN or PUK until left are left.
func (w *world) spend(t *testing.T, serial string, f piv.Field, left int) {
	t.Helper()
	now := w.tries(t, serial, f)
	if now < left {
		t.Fatalf("%d tries of the %s are left, so not %d", now, f, left)
	}
	for range now - left {
		_ = w.try(t.Context(), serial, f, secret.New("00000000"))
	}
}

// look compares the actual with the expected state.
func (w *world) look(t *testing.T, tok *token, want expected) {
	t.Helper()
	for field, left := range want.Tries {
		if got := w.tries(t, tok.serial, piv.Field(field)); got != left {
			t.Fatalf("%d tries of the %s are left, want %d", got, field, left)
		}
	}
	now := w.state(t, tok.serial)
	differs := func(what, want, was, is string) {
		t.Helper()
		if same := was == is; want == "same" && !same || want == "changed" && same {
			t.Errorf("the %s is to be %s", what, want)
		}
	}
	differs("certificate", want.Certificate, tok.first.certificate, now.certificate)
	differs("key", want.Key, tok.first.key, now.key)
	differs("PIN", want.PIN, tok.first.pin, now.pin)
	if digits := want.PIN; digits != "" && digits != "same" && digits != "changed" && digits != now.pin {
		t.Error("the PIN on record is not the one that is expected")
	}
	if want.PIN != "" {
		must(t, w.try(t.Context(), tok.serial, piv.PIN, secret.New(now.pin)))
	}
	if want.Blocked != "" {
		must(t, w.try(t.Context(), tok.serial, piv.PIN, secret.New(want.Blocked)))
	}
	if want.Records != nil {
		if n := len(w.records(t, tok.serial)); n != *want.Records {
			t.Errorf("there were %d certificates, want %d", n, *want.Records)
		}
	}
	if want.Fruitless != nil {
		if diff := cmp.Diff(*want.Fruitless, w.service.document(t, tok.serial).Fields[piv.PIN].Fruitless); diff != "" {
			t.Errorf("fruitless probes of the PIN (-want +got): %s", diff)
		}
	}
	if want.Empty && now != (state{pin: now.pin}) {
		t.Error("slot 9a is not empty")
	}
	if want.Remember {
		tok.first = now
	}
}
