package flow

import (
	"context"
	"slices"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
)

// settle finds what the card holds for a field and records it in the vault, changing
// nothing on the card. Afterwards the field is in no open rotation.
func (r *run) settle(ctx context.Context, f piv.Field) (client.Candidate, error) {
	held, err := r.find(ctx, f)
	if err != nil {
		return held, err
	}
	r.held[f], r.proven[f] = held, held.Value
	return held, r.record(ctx, f, held)
}

// record tells the vault what the card holds.
//
// The order matters for a superseded value: "superseded" means the first of them, and
// an abort puts the pending value there. So it is observed first.
func (r *run) record(ctx context.Context, f piv.Field, held client.Candidate) error {
	open := r.pending(f) != ""
	switch held.Kind {
	case client.Pending:
		return r.commit(ctx, f)
	case client.Current:
		if !open && !r.doubtful(f) {
			return nil
		}
	}
	if !open || held.Kind != client.Current {
		r.tell(StepSettle, "Recording that the token has the "+string(held.Kind)+" "+names[f])
		if err := r.observe(ctx, f, held.Kind); err != nil {
			return err
		}
	}
	if !open {
		return nil
	}
	r.tell(StepSettle, "Abandoning the interrupted change of the "+names[f]+": the token did not take it")
	return r.abort(ctx, f)
}

// observe reports what a probe found. It returns Changed if someone else changed the
// secrets since they were read: the probe did not know that.
func (r *run) observe(ctx context.Context, f piv.Field, matched client.Kind) error {
	d, err := r.Backend.Observe(ctx, r.Serial, client.Observation{Field: f, Matched: matched, Version: r.secrets.Version})
	if fault.Is(err, fault.SecretsChanged) {
		return overtaken(f, err)
	}
	if err != nil {
		return err
	}
	r.wrote(d.Secrets.Version)
	return nil
}

// stillCurrent returns Changed if someone else changed the secrets since they were
// read, which explains why the card holds none of them.
func (r *run) stillCurrent(ctx context.Context, f piv.Field) error {
	d, err := r.Backend.Device(ctx, r.Serial)
	if err == nil && d.Secrets.Version != r.secrets.Version {
		err = overtaken(f, nil)
	}
	return err
}

func overtaken(f piv.Field, cause error) error {
	return &Stop{Code: Changed, Field: f, Cause: cause,
		Text:    "Someone else has changed this token's secrets.",
		WaysOut: []string{"Run the same command again. It first checks what the token has."}}
}

// wrote updates the secrets' version after a write of this attempt, so that the writes
// of others stand out.
func (r *run) wrote(version int) { r.secrets.Version = min(version, r.secrets.Version+1) }

// doubtful reports whether the vault would try another value before the current one, or
// the last probe matched none.
func (r *run) doubtful(f piv.Field) bool {
	list := r.secrets.Candidates[f]
	return len(list) > 0 && list[0].Kind != client.Current || slices.Contains(r.secrets.Doubted, f)
}

// commit reports that the card holds the pending value.
func (r *run) commit(ctx context.Context, f piv.Field) error {
	r.tell(StepSettle, "Recording the new "+names[f])
	d, err := r.Backend.CommitRotation(ctx, r.Serial, r.secrets.Pending.RotationID, []piv.Field{f})
	if err != nil {
		return err
	}
	r.wrote(d.Secrets.Version)
	r.closed(f)
	return nil
}

// abort reports that the card did not take the pending value.
func (r *run) abort(ctx context.Context, f piv.Field) error {
	d, err := r.Backend.AbortRotation(ctx, r.Serial, r.secrets.Pending.RotationID, []piv.Field{f})
	if err != nil {
		return err
	}
	r.wrote(d.Secrets.Version)
	r.closed(f)
	return nil
}

// settleOpen settles those of the fields that are in the open rotation.
func (r *run) settleOpen(ctx context.Context, fields ...piv.Field) error {
	for _, f := range fields {
		if r.pending(f) == "" {
			continue
		}
		if _, err := r.settle(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// target returns the value that a field should get: the open rotation's, else the
// current one.
func (r *run) target(f piv.Field) client.Candidate {
	if v := r.pending(f); v != "" {
		return client.Candidate{Kind: client.Pending, Value: v}
	}
	return client.Candidate{Kind: client.Current, Value: r.secrets.Of(f)}
}

// bring changes the field on the card from whatever it holds to the target, and records
// it.
func (r *run) bring(ctx context.Context, f piv.Field) error {
	held, err := r.find(ctx, f)
	if err != nil {
		return err
	}
	r.held[f] = held
	return r.move(ctx, f, held)
}

func (r *run) move(ctx context.Context, f piv.Field, held client.Candidate) error {
	target := r.target(f)
	if held.Kind != target.Kind {
		if err := r.change(ctx, f, held.Value, target.Value); err != nil {
			return named(f, err)
		}
	}
	return r.took(ctx, f, target, held.Kind != target.Kind)
}

// took records that the card now holds the target.
func (r *run) took(ctx context.Context, f piv.Field, target client.Candidate, changed bool) error {
	r.proven[f] = target.Value
	if target.Kind == client.Pending {
		return r.commit(ctx, f)
	}
	if !changed && !r.doubtful(f) {
		return nil
	}
	r.tell(StepSettle, "Recording that the token has the vault's "+names[f])
	return r.observe(ctx, f, client.Current)
}

// change replaces one value on the card with another.
func (r *run) change(ctx context.Context, f piv.Field, from, to client.Sealed) error {
	switch f {
	case piv.PIN:
		r.tell(StepPIN, "Setting the PIN")
		return r.Agent.SetPIN(ctx, r.Serial, from, to)
	case piv.PUK:
		r.tell(StepPUK, "Setting the PUK")
		return r.Agent.SetPUK(ctx, r.Serial, from, to)
	default:
		r.tell(StepManagementKey, "Setting the management key")
		return r.Agent.RotateManagementKey(ctx, r.Serial, from, to)
	}
}
