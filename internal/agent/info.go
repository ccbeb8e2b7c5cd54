package agent

import (
	"context"
	"encoding/hex"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
)

// inspect reads a token in its turn.
func (s *server) inspect(ctx context.Context, serial string) (card driver.Card, err error) {
	err = s.hold(ctx, func(ctx context.Context) (err error) {
		card, err = s.driver.Inspect(ctx, serial)
		return err
	})
	return card, err
}

func (s *server) info(ctx context.Context, in *bySerial) (*body[infoBody], error) {
	card, err := s.inspect(ctx, in.Serial)
	if err != nil {
		return nil, err
	}
	out := infoBody{
		Serial: card.Serial, Version: card.Version.String(),
		PINRetries: told(card.PIN.Left), PUKRetries: told(card.PUK.Left),
		ManagementKeyAlgorithm: string(card.ManagementKeyAlgorithm),
		Slots:                  make([]slotBody, 0, len(driver.Slots)),
	}
	for _, slot := range driver.Slots {
		state := card.Slots[slot]
		out.Slots = append(out.Slots, slotBody{
			Slot: string(slot), KeyAlgorithm: named(state.Algorithm),
			PINPolicy: named(state.PINPolicy), TouchPolicy: named(state.TouchPolicy),
			Certificate: describe(state),
		})
	}
	return reply(out), nil
}

func describe(s driver.SlotState) *certificateBody {
	c := s.Certificate
	if c == nil {
		return nil
	}
	return &certificateBody{
		Subject: c.Subject.String(), Issuer: c.Issuer.String(),
		SerialNumber: hex.EncodeToString(c.SerialNumber.Bytes()),
		NotBefore:    c.NotBefore.UTC(), NotAfter: c.NotAfter.UTC(),
	}
}

func (s *server) checkDefaults(ctx context.Context, in *bySerial) (*body[defaultsBody], error) {
	card, err := s.inspect(ctx, in.Serial)
	if err != nil {
		return nil, err
	}
	return reply(defaultsBody{
		PINDefault: card.PIN.Default, PUKDefault: card.PUK.Default,
		ManagementKeyDefault: card.ManagementKeyDefault,
	}), nil
}

// told is null for what a token does not tell.
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

// ownKey refuses tokens whose management key other software keeps on the
// token: the tool would then take our management key for a PIN.
func ownKey(card driver.Card) error {
	if card.ManagementKeyOnToken {
		return fault.New(fault.Conflict, "Other software keeps this token's management key on the token itself, under the PIN. Undo that with that software, or reset the token.")
	}
	return nil
}
