package flow

import (
	"context"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// ChangePIN sets a new PIN on the card: the chosen one, or a random one when chosen is
// empty.
//
// An open rotation with a PIN is an earlier attempt. Without a chosen PIN, ChangePIN
// finishes it, and that is the change. With one, it settles the rotation first, whose
// PIN may be another.
func ChangePIN(ctx context.Context, o Options, chosen secret.String) (Result, error) {
	r, err := begin(ctx, o)
	if err != nil {
		return Result{}, err
	}
	if err := r.settleOpen(ctx, piv.ManagementKey, piv.PUK); err != nil {
		return Result{}, err
	}
	resumed := r.pending(piv.PIN) != ""
	if resumed && chosen.Empty() {
		return Result{Serial: o.Serial, Resumed: true}, r.finishPIN(ctx)
	}
	held, err := r.settle(ctx, piv.PIN)
	if err != nil {
		return Result{}, err
	}
	if err := r.rotation(ctx, chosen); err != nil {
		if r.inPlace(ctx, err, chosen, held.Value) {
			return Result{Serial: o.Serial, Resumed: resumed, Unchanged: !resumed}, nil
		}
		return Result{}, err
	}
	err = r.apply(ctx, chosen, func(next client.Sealed) error { return r.change(ctx, piv.PIN, held.Value, next) })
	return Result{Serial: o.Serial, Resumed: resumed}, err
}

// finishPIN completes an open rotation of the PIN.
func (r *run) finishPIN(ctx context.Context) error {
	held, err := r.find(ctx, piv.PIN)
	if err != nil {
		return err
	}
	if held.Kind == client.Pending {
		return r.commit(ctx, piv.PIN)
	}
	return r.apply(ctx, secret.String{}, func(next client.Sealed) error { return r.change(ctx, piv.PIN, held.Value, next) })
}
