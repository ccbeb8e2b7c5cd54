package agent

import (
	"context"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
)

// spareTries is how many tries of a PIN must be left before one is spent on
// the factory value that nobody claims to be the present one.
const spareTries = 3

// notBlindly refuses to take the factory's PIN or PUK for the present one
// where the caller names none and the token says that it is another: each such
// call would cost a try, and three block the token (contract, section 11).
// Firmware before 5.3 does not say. There a PIN is tried while tries are to
// spare, and a PUK, whose tries cannot even be counted, never.
func (s *server) notBlindly(ctx context.Context, serial string, f piv.Field, named bool) error {
	if named {
		return nil
	}
	card, err := s.driver.Inspect(ctx, serial)
	if err != nil {
		return err
	}
	if factorySpares(f, card) {
		return nil
	}
	if f == piv.PUK {
		return fault.New(fault.CurrentRequired, "current_puk",
			"This token doesn't report whether it has the factory PUK, and a wrong one uses up a try. Send the current PUK as current_puk.")
	}
	return fault.New(fault.CurrentRequired, "current_pin",
		"This token doesn't report whether it has the factory PIN, and a wrong one uses up a try. Send the current PIN as current_pin.")
}

// factorySpares tells whether the factory value may be taken for the present
// one.
func factorySpares(f piv.Field, card driver.Card) bool {
	if f == piv.PUK {
		return card.PUK.Default != nil && *card.PUK.Default
	}
	if card.PIN.Default != nil {
		return *card.PIN.Default
	}
	return card.PIN.Left >= spareTries
}
