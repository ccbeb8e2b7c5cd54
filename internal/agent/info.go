package agent

import (
	"context"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"

	wire "github.com/keyward/keyward/api/agent"
	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
)

// inspect waits for its turn and reads a token.
func (s *server) inspect(ctx context.Context, serial string) (card driver.Card, err error) {
	err = s.hold(ctx, func(ctx context.Context) (err error) {
		card, err = s.driver.Inspect(ctx, serial)
		return err
	})
	return card, err
}

func (s *server) info(ctx context.Context, in *looking) (*body[wire.PIVInfo], error) {
	card, err := s.look(ctx, in.Serial, piv.Slot(in.Attest))
	if err != nil {
		return nil, err
	}
	out := wire.PIVInfo{
		Serial: card.Serial, Version: card.Version.String(),
		PINRetries: told(card.PIN.Left), PUKRetries: told(card.PUK.Left),
		PINRetriesTotal: told(card.PIN.Total), PUKRetriesTotal: told(card.PUK.Total),
		ManagementKeyAlgorithm: string(card.ManagementKeyAlgorithm), ManagementKeyUnderPIN: card.ManagementKeyOnToken,
		Slots: make([]wire.Slot, 0, len(piv.Slots)),
	}
	for _, slot := range piv.Slots {
		state := card.Slots[slot]
		out.Slots = append(out.Slots, wire.Slot{
			Slot: string(slot), KeyAlgorithm: named(state.Type.ToolName()), PublicKeySHA256: keyHash(state.Key),
			PINPolicy: named(state.PINPolicy), TouchPolicy: named(state.TouchPolicy),
			Certificate: describe(state), Unreadable: state.Unreadable,
		})
	}
	return reply(out), nil
}

// look reads a token. If the metadata lacks the key of slot attest, look has the
// token attest it in the same turn. A key without an attestation stays unknown.
func (s *server) look(ctx context.Context, serial string, attest piv.Slot) (card driver.Card, err error) {
	err = s.hold(ctx, func(ctx context.Context) (err error) {
		if card, err = s.driver.Inspect(ctx, serial); err != nil {
			return err
		}
		slot, asked := card.Slots[attest]
		if !asked || slot.Key != nil || card.Version.AtLeast(piv.SinceMetadata) {
			return nil
		}
		slot.Key, err = slotKey(ctx, s.driver, serial, attest, slot, nil)
		if fault.Is(err, fault.Conflict) {
			return nil
		}
		if err == nil {
			slot.Type = piv.KeyTypeOf(slot.Key)
			card.Slots[attest] = slot
		}
		return err
	})
	return card, err
}

// keyHash identifies a public key as certificate records do; nil for no key, or
// one without a SubjectPublicKeyInfo.
func keyHash(key crypto.PublicKey) *string {
	if key == nil {
		return nil
	}
	spki, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return nil
	}
	return named(hash(spki))
}

func hash(spki []byte) string {
	sum := sha256.Sum256(spki)
	return hex.EncodeToString(sum[:])
}

func describe(s driver.SlotState) *wire.Certificate {
	c := s.Certificate
	if c == nil {
		return nil
	}
	return &wire.Certificate{
		Subject: c.Subject.String(), Issuer: c.Issuer.String(),
		SerialNumber: hex.EncodeToString(c.SerialNumber.Bytes()),
		NotBefore:    c.NotBefore.UTC(), NotAfter: c.NotAfter.UTC(),
		PublicKeySHA256: hash(c.RawSubjectPublicKeyInfo),
	}
}

func (s *server) checkDefaults(ctx context.Context, in *bySerial) (*body[wire.Defaults], error) {
	card, err := s.inspect(ctx, in.Serial)
	if err != nil {
		return nil, err
	}
	return reply(wire.Defaults{
		PINDefault: card.PIN.Default, PUKDefault: card.PUK.Default,
		ManagementKeyDefault: card.ManagementKeyDefault,
	}), nil
}

// told returns nil for a value that the token does not report.
func told(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}

func named(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// ownKey refuses tokens on which other software keeps the management key: the
// tool would take our management key for a PIN.
func ownKey(card driver.Card) error {
	if card.ManagementKeyOnToken {
		return fault.New(fault.Conflict, "key_under_pin",
			"Another program stored this token's management key on the token, protected by the PIN. Set up the token again, which "+
				"takes it over with the PIN, or undo it with the same program.")
	}
	return nil
}
