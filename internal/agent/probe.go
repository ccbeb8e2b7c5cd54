package agent

import (
	"context"

	wire "github.com/keyward/keyward/api/agent"
	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// minTries is how many tries must be left before one is spent on a guess, so that
// a probe never blocks a PIN or PUK.
const minTries = 2

// probe finds which of at most three values the token holds, in a single turn
// (contract, "A token is never bricked", 3). The caller decides what to try and
// in which order.
func (s *server) probe(ctx context.Context, in *body[wire.ProbeRequest]) (*body[wire.ProbeResult], error) {
	b := &in.Body
	o := s.opener(ctx, b.Encrypted, b.Serial)
	open := map[piv.Field]func(string, secret.String) secret.String{
		piv.PIN: o.pin, piv.PUK: o.puk, piv.ManagementKey: o.managementKey,
	}[piv.Field(b.Field)]
	candidates := make([]secret.String, 0, len(b.Candidates))
	for _, c := range b.Candidates {
		candidates = append(candidates, open("candidates", c))
	}
	if o.err != nil {
		return nil, o.err
	}
	p := &prober{s.driver, b.Serial, wire.ProbeResult{}}
	err := s.hold(ctx, func(ctx context.Context) error {
		if piv.Field(b.Field) == piv.ManagementKey {
			return p.managementKey(ctx, candidates)
		}
		return p.code(ctx, piv.Field(b.Field), candidates)
	})
	if f, ok := fault.As(err); ok && p.result.Tried > 0 {
		err = f.WithExtra("tried", p.result.Tried)
	}
	if err != nil {
		return nil, err
	}
	return reply(p.result), nil
}

type prober struct {
	driver driver.Driver
	serial string
	result wire.ProbeResult
}

// managementKey tries keys by authenticating, which costs no tries.
func (p *prober) managementKey(ctx context.Context, candidates []secret.String) error {
	card, err := p.driver.Inspect(ctx, p.serial)
	if err != nil {
		return err
	}
	if err := ownKey(card); err != nil {
		return err
	}
	for i, c := range candidates {
		err := p.tryKey(ctx, card.ManagementKeyAlgorithm, c)
		if err != nil && !fault.Is(err, fault.WrongManagementKey) {
			return err
		}
		p.result.Tried++
		if err == nil {
			p.result.Match = &i
			return nil
		}
	}
	return nil
}

func (p *prober) tryKey(ctx context.Context, alg piv.Cipher, key secret.String) error {
	if len(key.Reveal()) != 2*alg.KeyBytes() { // cannot match, and confuses the tool
		return fault.New(fault.WrongManagementKey, "", "The token doesn't accept this management key. Find out which one it has.")
	}
	return p.driver.TryManagementKey(ctx, p.serial, alg, key)
}

// code tries PINs or PUKs by changing them to themselves.
func (p *prober) code(ctx context.Context, f piv.Field, candidates []secret.String) error {
	for i, c := range candidates {
		card, err := p.driver.Inspect(ctx, p.serial)
		if err != nil {
			return err
		}
		if i > 0 && !card.Version.AtLeast(piv.SinceMetadata) {
			return nil // only one try where the counters cannot be read
		}
		counter, wrong := card.PIN, fault.WrongPIN
		if f == piv.PUK {
			counter, wrong = card.PUK, fault.WrongPUK
		}
		if err := enough(f, counter); err != nil {
			return err
		}
		err = p.change(ctx, f, c)
		if fault.Is(err, fault.PINRefused) && c.Equal(f.Factory()) && counter.Default != nil && *counter.Default {
			err = nil // refused by the token's rules even to itself, but reported in use
		}
		if fault.Is(err, fault.PINRefused) {
			p.result.Tried++ // the token cannot hold a value that its rules refuse
			continue
		}
		if err != nil && !fault.Is(err, wrong) {
			return err
		}
		p.result.Tried++
		if err == nil {
			p.result.Match, p.result.RetriesLeft = &i, told(counter.Total)
			return nil
		}
		p.result.RetriesLeft = retriesLeft(err)
	}
	return nil
}

func (p *prober) change(ctx context.Context, f piv.Field, c secret.String) error {
	if f == piv.PUK {
		return p.driver.ChangePUK(ctx, p.serial, c, c)
	}
	return p.driver.ChangePIN(ctx, p.serial, c, c)
}

// enough returns an error when a wrong guess could block the PIN or PUK.
func enough(f piv.Field, c driver.Counter) error {
	switch {
	case c.Left < 0 || c.Left >= minTries:
		return nil
	case c.Left == 0 && f == piv.PUK:
		return fault.New(fault.PUKBlocked, "",
			"The PUK is blocked. Reset the tries with the management key and the PIN, or reset the token.").WithExtra("retries_left", 0)
	case c.Left == 0:
		return fault.New(fault.PINBlocked, "", "The PIN is blocked. Unblock it with the PUK.").WithExtra("retries_left", 0)
	}
	return fault.New(fault.RetriesLow, "",
		"Only one try is left, so nothing was tried. Type the value if you know it, or unblock the PIN with the PUK.").WithExtra(
		"retries_left", c.Left)
}

// retriesLeft reads the extension of wrong_pin and wrong_puk.
func retriesLeft(err error) *int {
	f, ok := fault.As(err)
	if !ok {
		return nil
	}
	n, ok := f.Extra["retries_left"].(int)
	if !ok {
		return nil
	}
	return &n
}
