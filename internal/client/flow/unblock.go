package flow

import (
	"context"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// Unblock sets a new PIN with the PUK, whatever the state of the current one. It never
// tries a PIN, and the PUK only if enough tries are left.
//
// It uses the open rotation's pending PIN, or opens a rotation. After a lost response
// it repeats the same, which the card accepts. With a chosen PIN, it first completes an
// open rotation, and then changes to the chosen one.
func Unblock(ctx context.Context, o Options, chosen secret.String) (Result, error) {
	r, err := begin(ctx, o)
	if err != nil {
		return Result{}, err
	}
	if err := r.settleOpen(ctx, piv.ManagementKey); err != nil {
		return Result{}, err
	}
	puk, err := r.settle(ctx, piv.PUK)
	if err != nil {
		return Result{}, err
	}
	resumed := r.pending(piv.PIN) != ""
	if !resumed {
		if err := r.rotation(ctx, chosen); err != nil {
			return r.unblockPresent(ctx, err, chosen, puk.Value)
		}
	}
	var last client.Sealed
	err = r.apply(ctx, chosen, func(next client.Sealed) error {
		r.tell(StepPIN, "Setting a new PIN with the PUK")
		last = next
		return r.Agent.UnblockPIN(ctx, r.Serial, puk.Value, next)
	})
	if err != nil || chosen.Empty() || !resumed {
		return Result{Serial: o.Serial, Resumed: resumed}, err
	}
	return Result{Serial: o.Serial, Resumed: true}, r.changeTo(ctx, chosen, last)
}

// unblockPresent handles a chosen PIN that the service refused, perhaps because it is
// already the current one. It sets the vault's current PIN, which is right in any case,
// and then the card shows whether that is the chosen one.
func (r *run) unblockPresent(ctx context.Context, refusal error, chosen secret.String, puk client.Sealed) (Result, error) {
	if !aboutPIN(refusal) || chosen.Empty() {
		return Result{}, refusal
	}
	present := r.secrets.PIN
	r.tell(StepPIN, "Setting the current PIN again with the PUK")
	if err := r.Agent.UnblockPIN(ctx, r.Serial, puk, present); err != nil {
		return Result{}, named(piv.PUK, err)
	}
	if err := r.observe(ctx, piv.PIN, client.Current); err != nil {
		return Result{}, err
	}
	if !r.inPlace(ctx, refusal, chosen, present) {
		return Result{}, refusal
	}
	return Result{Serial: r.Serial, Resumed: true}, nil
}
