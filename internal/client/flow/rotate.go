package flow

import (
	"context"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// proposals is how many random PINs a card may refuse before a person has to
// look.
const proposals = 3

// rotation makes a new PIN pending. When somebody else opened a rotation
// meanwhile, that one is taken.
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
	// The PIN of another's change is not the one that the person chose.
	if r.pending(piv.PIN) == "" || !chosen.Empty() {
		return &Outcome{Code: Changed, Cause: err,
			Text:    "Someone else started changing this token's secrets in the meantime.",
			WaysOut: []string{"Run the same command again. It first settles that change."}}
	}
	return nil
}

// inPlace tells whether the service refused the chosen PIN (refusal) because
// the card has it already, which is what a repeated flow finds after a lost
// answer. The card decides: the held PIN comes second, so that a wrong first
// try is made good.
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

// changeTo gives the card the chosen PIN after an earlier attempt's, which it
// holds now.
func (r *run) changeTo(ctx context.Context, chosen secret.String, held client.Sealed) error {
	if err := r.rotation(ctx, chosen); err != nil {
		if r.inPlace(ctx, err, chosen, held) {
			return nil
		}
		return err
	}
	return r.apply(ctx, chosen, func(next client.Sealed) error { return r.change(ctx, piv.PIN, held, next) })
}

// aboutPIN tells whether a request was refused for its PIN alone.
func aboutPIN(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Code == fault.InvalidRequest && len(f.Fields) == 1 && f.Fields[0].Field == string(piv.PIN)
}

// apply puts pending PINs on the card by how until it takes one, and commits
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
		// The card is as before.
		r.tell(StepRotation, "The token rejected that PIN. Nothing has changed")
		if err := r.abort(ctx, piv.PIN); err != nil {
			return err
		}
		if !chosen.Empty() || n == proposals {
			return &Outcome{Code: PINRefused, Field: piv.PIN, Cause: err,
				Text:    "The token's own rules reject this PIN. The old one still works.",
				WaysOut: []string{"Choose another PIN, without sequences such as 1234 or repeated digits."}}
		}
		if err := r.rotation(ctx, chosen); err != nil {
			return err
		}
	}
}
