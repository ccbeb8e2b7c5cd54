package agent

import (
	"context"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
)

// spareTries is how many PIN tries must be left before one may be spent on the
// factory value, which the caller did not name.
const spareTries = 3

// notBlindly refuses to assume the factory PIN or PUK where the caller names none
// and the token reports another: each such call would cost a try, and three block
// the token (contract, section 11). Firmware before 5.3 does not report it.
// There, the factory PIN is tried only while spareTries are left, and the factory
// PUK never, since its tries cannot be read.
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

// factorySpares reports whether the factory value may be assumed.
func factorySpares(f piv.Field, card driver.Card) bool {
	if f == piv.PUK {
		return card.PUK.Default != nil && *card.PUK.Default
	}
	if card.PIN.Default != nil {
		return *card.PIN.Default
	}
	return card.PIN.Left >= spareTries
}
