package flow_test

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"testing"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// try returns nil when a value opens the card.
func (w *world) try(ctx context.Context, serial string, f piv.Field, v secret.String) error {
	switch f {
	case piv.PIN:
		return w.cards.ChangePIN(ctx, serial, v, v)
	case piv.PUK:
		return w.cards.ChangePUK(ctx, serial, v, v)
	default:
		return w.cards.TryManagementKey(ctx, serial, "", v)
	}
}

// checkSecrets checks that the card opens with what the vault holds, and with nothing
// that it calls superseded.
func (w *world) checkSecrets(t *testing.T, serial string) {
	t.Helper()
	d := w.service.document(t, serial)
	for _, f := range piv.Fields {
		for _, v := range d.Fields[f].Former {
			if err := w.try(t.Context(), serial, f, secret.New(v)); err == nil {
				t.Errorf("a superseded %s opens the card", f)
			} else if !fault.Is(err, wrong[f]) {
				t.Errorf("a superseded %s: %v", f, err)
			}
		}
		if err := w.try(t.Context(), serial, f, d.current(f)); err != nil {
			t.Errorf("the vault's %s does not open the card: %v", f, err)
		}
		if d.Fields[f].Factory {
			t.Errorf("the factory %s is still a candidate", f)
		}
	}
	on, err := w.clerk.Device(t.Context(), serial)
	if err != nil {
		t.Fatal(err)
	}
	if on.EnrolledAt == nil || on.Status != "active" || on.Secrets.RotationPending || d.Open {
		t.Errorf("on record the token is %s, enrolled %v, rotation pending %t", on.Status, on.EnrolledAt, on.Secrets.RotationPending)
	}
	if card, err := w.cards.Inspect(t.Context(), serial); err != nil || on.FirmwareVersion != card.Version.String() {
		t.Errorf("on record the token's firmware is %q, the card has %v (%v)", on.FirmwareVersion, card.Version, err)
	}
}

var wrong = map[piv.Field]fault.Code{
	piv.PIN: fault.WrongPIN, piv.PUK: fault.WrongPUK, piv.ManagementKey: fault.WrongManagementKey,
}

// state is what is compared before and after.
type state struct {
	pin         string // the vault's
	certificate string // the serial number of the one in 9a; empty: none
	key         string // the hash of the one in 9a; empty: none
}

func (w *world) state(t *testing.T, serial string) state {
	t.Helper()
	s := state{pin: w.service.document(t, serial).Fields[piv.PIN].Current}
	slot := w.slot(t, serial)
	if slot.Certificate != nil {
		s.certificate = hex.EncodeToString(slot.Certificate.SerialNumber.Bytes())
	}
	if slot.Key != nil {
		s.key = fingerprint(t, slot.Key)
	}
	return s
}

// slot reads 9a, finding its key by attestation if necessary.
func (w *world) slot(t *testing.T, serial string) driver.SlotState {
	t.Helper()
	card, err := w.cards.Inspect(t.Context(), serial)
	if err != nil {
		t.Fatal(err)
	}
	slot := card.Slots[piv.Authentication]
	if slot.Key == nil {
		chain, err := w.cards.Attest(t.Context(), serial, piv.Authentication)
		if err != nil {
			t.Fatal(err)
		}
		if len(chain) > 0 {
			slot.Key = chain[0].PublicKey
		}
	}
	return slot
}

// checkSlot checks that slot 9a holds a key with its own certificate, which is the only
// live one recorded and confirmed.
func (w *world) checkSlot(t *testing.T, serial string) {
	t.Helper()
	slot := w.slot(t, serial)
	if slot.Certificate == nil || slot.Key == nil {
		t.Fatal("slot 9a holds no certificate, or no key")
	}
	if fingerprint(t, slot.Key) != fingerprint(t, slot.Certificate.PublicKey) {
		t.Error("the certificate in slot 9a is for another key")
	}
	onCard, live := hex.EncodeToString(slot.Certificate.SerialNumber.Bytes()), 0
	for _, r := range w.records(t, serial) {
		if r.Status != "issued" {
			continue
		}
		live++
		if r.SerialNumber != onCard || r.InstalledAt == nil {
			t.Errorf("certificate %s is live; on the card is %s; confirmed %v", r.SerialNumber, onCard, r.InstalledAt)
		}
	}
	if live != 1 {
		t.Errorf("%d live certificates on record, want 1", live)
	}
}

func (w *world) records(t *testing.T, serial string) []client.Certificate {
	t.Helper()
	list, err := w.admin.DeviceCertificates(t.Context(), serial)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func fingerprint(t *testing.T, key any) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}
