package flow

import (
	"context"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// factoryTries is the factory total for both PIN and PUK.
const factoryTries = 3

// SetRetries resets the tries of PIN and PUK with the management key and the PIN, which
// the user types if the vault does not have it. PIN and PUK then have factory values,
// and Enroll comes next.
//
// The vault records that first: cards before firmware 5.3 do not report factory values, and
// after a lost response nothing else would show them.
func SetRetries(ctx context.Context, o Options, typed secret.String) (Result, error) {
	r, err := begin(ctx, o)
	if err != nil {
		return Result{}, err
	}
	key, err := r.settle(ctx, piv.ManagementKey)
	if err != nil {
		return Result{}, err
	}
	// If the card has the factory PIN again, an earlier attempt's response was lost.
	factory := r.defaults.Of(piv.PIN)
	byHand := !typed.Empty() && (factory == nil || !*factory)
	var pin client.Sealed
	if byHand {
		pin, err = r.typedPIN(ctx, typed)
	} else {
		var held client.Candidate
		held, err = r.settle(ctx, piv.PIN)
		pin = held.Value
	}
	if err != nil {
		return Result{}, err
	}
	r.tell(StepRetries, "Setting the tries of PIN and PUK; both get their factory values")
	for _, f := range []piv.Field{piv.PUK, piv.PIN} {
		if err := r.observe(ctx, f, client.Factory); err != nil {
			return Result{}, err
		}
	}
	err = r.Agent.SetRetries(ctx, r.Serial, key.Value, pin, factoryTries, factoryTries)
	if byHand {
		err = wrongTyped(err, nil)
	}
	return Result{Serial: o.Serial}, named(piv.PIN, err)
}
