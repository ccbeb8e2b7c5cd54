package flow_test

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"testing"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/envelope"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// held are a token's secrets as the vault has them, opened with the auditor's
// key.
type held struct {
	current    map[piv.Field]secret.String
	superseded map[piv.Field][]secret.String
}

func (w *world) open(t *testing.T, serial string, f piv.Field, s client.Sealed) secret.String {
	t.Helper()
	plain, err := envelope.Open(w.key, serial, piv.Field(f), string(s))
	if err != nil {
		t.Fatalf("the released %s does not open: %v", f, err)
	}
	return plain
}

// release reads the vault through the API.
func (w *world) release(t *testing.T, serial string) held {
	t.Helper()
	s, err := w.audits.backend.Secrets(t.Context(), serial, client.Release{Fields: piv.Fields, Candidates: true})
	if err != nil {
		t.Fatal(err)
	}
	if s.Pending != nil {
		t.Errorf("rotation %d is still open", s.Pending.RotationID)
	}
	h := held{map[piv.Field]secret.String{}, map[piv.Field][]secret.String{}}
	for _, f := range piv.Fields {
		h.current[f] = w.open(t, serial, f, s.Of(f))
		for _, c := range s.Candidates[f] {
			switch c.Kind {
			case client.Superseded:
				h.superseded[f] = append(h.superseded[f], w.open(t, serial, f, c.Value))
			case client.Factory:
				t.Errorf("the factory %s is still a candidate", f)
			}
		}
	}
	return h
}

// try gives nil when a value opens the card.
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

// checkSecrets proves that the card opens with what the vault holds, and with
// nothing that it calls superseded.
func (w *world) checkSecrets(t *testing.T, serial string) held {
	t.Helper()
	h := w.release(t, serial)
	for _, f := range piv.Fields {
		for _, v := range h.superseded[f] {
			if err := w.try(t.Context(), serial, f, v); err == nil {
				t.Errorf("a superseded %s opens the card", f)
			} else if !fault.Is(err, wrong[f]) {
				t.Errorf("a superseded %s: %v", f, err)
			}
		}
		if err := w.try(t.Context(), serial, f, h.current[f]); err != nil {
			t.Errorf("the vault's %s does not open the card: %v", f, err)
		}
	}
	d, err := w.audits.backend.Device(t.Context(), serial)
	if err != nil {
		t.Fatal(err)
	}
	if d.EnrolledAt == nil || d.Status != "active" || d.Secrets.RotationPending {
		t.Errorf("on record the token is %s, enrolled %v, rotation pending %t", d.Status, d.EnrolledAt, d.Secrets.RotationPending)
	}
	return h
}

var wrong = map[piv.Field]fault.Code{
	piv.PIN: fault.WrongPIN, piv.PUK: fault.WrongPUK, piv.ManagementKey: fault.WrongManagementKey,
}

// checkSlot proves that slot 9a holds a key with its own certificate, which
// is the only live one on record and confirmed. It returns the serial number.
func (w *world) checkSlot(t *testing.T, serial string) string {
	t.Helper()
	card, err := w.cards.Inspect(t.Context(), serial)
	if err != nil {
		t.Fatal(err)
	}
	slot := card.Slots[piv.Authentication]
	if slot.Certificate == nil {
		t.Fatal("slot 9a holds no certificate")
	}
	key := slot.Key
	if key == nil { // the card tells its key by attestation only
		chain, err := w.cards.Attest(t.Context(), serial, piv.Authentication)
		if err != nil || len(chain) == 0 {
			t.Fatalf("no attestation of slot 9a: %v", err)
		}
		key = chain[0].PublicKey
	}
	if fingerprint(t, key) != fingerprint(t, slot.Certificate.PublicKey) {
		t.Error("the certificate in slot 9a is for another key")
	}
	records, err := w.audits.backend.DeviceCertificates(t.Context(), serial)
	if err != nil {
		t.Fatal(err)
	}
	onCard, live := hex.EncodeToString(slot.Certificate.SerialNumber.Bytes()), 0
	for _, r := range records {
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
	return onCard
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
