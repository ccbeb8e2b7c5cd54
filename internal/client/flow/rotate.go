package flow

import (
	"context"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// proposals is how many random PINs a card may refuse before the flow stops.
const proposals = 3

// rotation makes a new PIN pending. If someone else opened a rotation meanwhile, it
// uses that one.
func (r *run) rotation(ctx context.Context, chosen secret.String) error {
	r.tell(StepRotation, "Storing a new PIN in the vault")
	err := r.registered(ctx, func() error {
		got, err := r.Backend.StartRotation(ctx, r.Serial, client.NewRotation{Fields: []piv.Field{piv.PIN}, PIN: chosen, Reason: r.Reason})
		if err == nil {
			r.wrote(got.Version)
			r.secrets.Pending = &client.OpenRotation{RotationID: got.ID, SealedFields: client.Values{PIN: got.Next.PIN}}
		}
		return err
	})
	if !fault.Is(err, fault.RotationPending) {
		return err
	}
	if err := r.readSecrets(ctx); err != nil {
		return err
	}
	// The PIN of someone else's change is not the one that the user chose.
	if r.pending(piv.PIN) == "" || !chosen.Empty() {
		return &Stop{Code: Changed, Cause: err,
			Text:    "Someone else started changing this token's secrets in the meantime.",
			WaysOut: []string{"Run the same command again. It first settles that change."}}
	}
	return nil
}

// inPlace reports whether the service refused the chosen PIN (refusal) because the card
// already has it, as after a lost response. The card decides: the held PIN is tried
// second, which restores the tries if the first was wrong.
func (r *run) inPlace(ctx context.Context, refusal error, chosen secret.String, held client.Sealed) bool {
	if !aboutPIN(refusal) || chosen.Empty() {
		return false
	}
	typed, err := client.Seal(r.agentKey.PublicKey, r.Serial, piv.PIN, chosen)
	if err != nil {
		return false
	}
	res, err := r.Agent.Probe(ctx, r.Serial, piv.PIN, []client.Sealed{typed, held})
	return err == nil && res.Match != nil && *res.Match == 0
}

// changeTo sets the chosen PIN after an earlier attempt's, which the card now holds.
func (r *run) changeTo(ctx context.Context, chosen secret.String, held client.Sealed) error {
	if err := r.rotation(ctx, chosen); err != nil {
		if r.inPlace(ctx, err, chosen, held) {
			return nil
		}
		return err
	}
	return r.apply(ctx, chosen, func(next client.Sealed) error { return r.change(ctx, piv.PIN, held, next) })
}

// aboutPIN reports whether a request was refused only for its PIN.
func aboutPIN(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Code == fault.InvalidRequest && len(f.Fields) == 1 && f.Fields[0].Field == string(piv.PIN)
}

// apply sets pending PINs on the card with how until the card accepts one, and commits
// it.
func (r *run) apply(ctx context.Context, chosen secret.String, how func(next client.Sealed) error) error {
	for n := 1; ; n++ {
		err := how(r.pending(piv.PIN))
		if err == nil {
			return r.commit(ctx, piv.PIN)
		}
		if !fault.Is(err, fault.PINRefused) {
			return named(piv.PIN, err)
		}
		// The card is unchanged.
		r.tell(StepRotation, "The token rejected that PIN. Nothing has changed")
		if err := r.abort(ctx, piv.PIN); err != nil {
			return err
		}
		if !chosen.Empty() || n == proposals {
			return &Stop{Code: PINRefused, Field: piv.PIN, Cause: err,
				Text:    "The token's own rules reject this PIN. The old one still works.",
				WaysOut: []string{"Choose another PIN, without sequences such as 1234 or repeated digits."}}
		}
		if err := r.rotation(ctx, chosen); err != nil {
			return err
		}
	}
}
