package agent

import (
	"context"

	wire "github.com/keyward/keyward/api/agent"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// done returns the response to a change: success, or the error.
func done(err error) (*body[wire.Success], error) {
	if err != nil {
		return nil, err
	}
	return reply(wire.Success{Success: true}), nil
}

func (s *server) setPIN(ctx context.Context, in *body[wire.SetPINRequest]) (*body[wire.Success], error) {
	b := &in.Body
	o := s.opener(ctx, b.Encrypted, b.Serial)
	next := o.pin("pin", b.PIN)
	current := o.optional(o.pin, "current_pin", b.CurrentPIN, piv.FactoryPIN)
	if o.err != nil {
		return nil, o.err
	}
	return done(s.hold(ctx, func(ctx context.Context) error {
		if err := s.notBlindly(ctx, b.Serial, piv.PIN, b.CurrentPIN != nil); err != nil {
			return err
		}
		return s.driver.ChangePIN(ctx, b.Serial, current, next)
	}))
}

func (s *server) setPUK(ctx context.Context, in *body[wire.SetPUKRequest]) (*body[wire.Success], error) {
	b := &in.Body
	o := s.opener(ctx, b.Encrypted, b.Serial)
	next := o.puk("puk", b.PUK)
	current := o.optional(o.puk, "current_puk", b.CurrentPUK, piv.FactoryPUK)
	if o.err != nil {
		return nil, o.err
	}
	return done(s.hold(ctx, func(ctx context.Context) error {
		if err := s.notBlindly(ctx, b.Serial, piv.PUK, b.CurrentPUK != nil); err != nil {
			return err
		}
		return s.driver.ChangePUK(ctx, b.Serial, current, next)
	}))
}

func (s *server) unblockPIN(ctx context.Context, in *body[wire.UnblockPINRequest]) (*body[wire.Success], error) {
	b := &in.Body
	o := s.opener(ctx, b.Encrypted, b.Serial)
	puk, next := o.puk("puk", b.PUK), o.pin("pin", b.PIN)
	if o.err != nil {
		return nil, o.err
	}
	return done(s.hold(ctx, func(ctx context.Context) error {
		return s.driver.UnblockPIN(ctx, b.Serial, puk, next)
	}))
}

func (s *server) setRetries(ctx context.Context, in *body[wire.SetRetriesRequest]) (*body[wire.Success], error) {
	b := &in.Body
	o := s.opener(ctx, b.Encrypted, b.Serial)
	key, pin := o.managementKey("management_key", b.ManagementKey), o.pin("pin", b.PIN)
	if o.err != nil {
		return nil, o.err
	}
	return done(s.hold(ctx, func(ctx context.Context) error {
		card, err := s.driver.Inspect(ctx, b.Serial)
		if err != nil {
			return err
		}
		if err := ownKey(card); err != nil {
			return err
		}
		return s.driver.SetRetries(ctx, b.Serial, key, pin, b.PINRetries, b.PUKRetries)
	}))
}

func (s *server) rotateManagementKey(ctx context.Context, in *body[wire.RotateManagementKeyRequest]) (*body[wire.Success], error) {
	b := &in.Body
	o := s.opener(ctx, b.Encrypted, b.Serial)
	next := o.managementKey("management_key", b.ManagementKey)
	current := o.optional(o.managementKey, "current_management_key", b.CurrentManagementKey, piv.FactoryManagementKey)
	pin := o.optional(o.pin, "pin", b.PIN, "")
	if o.err != nil {
		return nil, o.err
	}
	return done(s.hold(ctx, func(ctx context.Context) error {
		card, err := s.driver.Inspect(ctx, b.Serial)
		if err != nil {
			return err
		}
		alg, err := chooseCipher(piv.Cipher(b.Algorithm), next, card.Version)
		if err != nil {
			return err
		}
		if card.ManagementKeyOnToken && !pin.Empty() {
			return s.driver.TakeManagementKey(ctx, b.Serial, pin, next, alg)
		}
		if err := ownKey(card); err != nil {
			return err
		}
		return s.driver.ChangeManagementKey(ctx, b.Serial, current, next, alg)
	}))
}

// chooseCipher fits a cipher to the key and the firmware (contract, "Hardware
// tokens and custody").
func chooseCipher(asked piv.Cipher, key secret.String, v piv.Version) (piv.Cipher, error) {
	bytes := len(key.Reveal()) / 2
	if asked == "" {
		switch bytes {
		case 16:
			asked = piv.AES128
		case 32:
			asked = piv.AES256
		default:
			asked = v.Cipher()
		}
	}
	if asked != piv.TDES && !v.AtLeast(piv.SinceAES) {
		return "", fault.Invalid(fault.Wrong("algorithm", "tdes_only", "must be TDES: this token's firmware knows no other"))
	}
	if asked.KeyBytes() != bytes {
		return "", fault.Invalid(fault.Wrong("management_key", "length_of_other_algorithm", "has the wrong length for the algorithm"))
	}
	return asked, nil
}
