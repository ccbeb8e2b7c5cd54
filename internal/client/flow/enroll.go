package flow

import (
	"context"
	"errors"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/piv"
)

// Enroll takes a card from the factory values, or from whichever candidate it holds, to
// the vault's, and gives the slot a key and a certificate. It skips what is already
// done.
func Enroll(ctx context.Context, o Options) (Result, error) {
	r, err := begin(ctx, o)
	if err != nil {
		return Result{}, err
	}
	for _, f := range piv.Fields {
		if err := r.enrollField(ctx, f); err != nil {
			return Result{}, err
		}
	}
	result, err := r.enrollSlots(ctx)
	if err != nil {
		return Result{}, err
	}
	if r.device.EnrolledAt != nil && !r.touched() {
		return result, nil
	}
	result.Unchanged = false
	r.tell(StepEnrolled, "Recording that the token is set up")
	return result, r.Backend.Enrolled(ctx, r.Serial, r.info.Version)
}

// enrollSlots fills the slot, or those of the plan.
func (r *run) enrollSlots(ctx context.Context) (Result, error) {
	if len(r.Plan) == 0 {
		return r.enrollSlot(ctx)
	}
	all := Result{Serial: r.Serial, Unchanged: true}
	r.planned = true
	for _, slot := range r.Plan {
		r.Slot = slot
		one, err := r.enrollSlot(ctx)
		if o, ok := errors.AsType[*Stop](err); ok && o.Code == Occupied && slot == string(piv.KeyManagement) {
			all.Kept = append(all.Kept, slot)
			continue
		}
		if err != nil {
			return all, err
		}
		all.Resumed, all.Unchanged = all.Resumed || one.Resumed, all.Unchanged && one.Unchanged
		if all.Slot == "" {
			all.Slot, all.CertificateSerialNumber, all.NotAfter = one.Slot, one.CertificateSerialNumber, one.NotAfter
			continue
		}
		all.Others = append(all.Others, InSlot{one.Slot, one.CertificateSerialNumber, one.NotAfter})
	}
	return all, nil
}

// enrollField brings one secret to the vault's value. The PUK comes before the PIN, so
// a PIN without tries is set with the PUK, which is then proven. A PIN with tries left
// to the user is not: the user may know it.
func (r *run) enrollField(ctx context.Context, f piv.Field) error {
	if f == piv.ManagementKey && r.info.ManagementKeyUnderPIN {
		return r.takeOver(ctx)
	}
	err := r.bring(ctx, f)
	o, ok := errors.AsType[*Stop](err)
	if f != piv.PIN || !ok || (o.Code != PINBlocked && o.Code != RetriesLow) || o.Kept {
		return err
	}
	r.tell(StepPIN, "The PIN has no tries to spare, so it is set with the PUK")
	target := r.target(piv.PIN)
	if err := r.Agent.UnblockPIN(ctx, r.Serial, r.proven[piv.PUK], target.Value); err != nil {
		return named(piv.PUK, err)
	}
	r.held[f] = client.Candidate{Kind: client.Superseded}
	return r.took(ctx, f, target, true)
}

// takeOver replaces a management key that another program keeps on the card under the
// PIN. By now the PIN is the vault's or the factory's: a user who set another one
// enters it first (Recover).
func (r *run) takeOver(ctx context.Context) error {
	pin, err := r.find(ctx, piv.PIN)
	if err != nil {
		return err
	}
	target := r.target(piv.ManagementKey)
	r.tell(StepManagementKey, "Replacing the management key that another program stored on the token")
	if err := r.Agent.TakeManagementKey(ctx, r.Serial, pin.Value, target.Value); err != nil {
		return named(piv.PIN, err)
	}
	return r.took(ctx, piv.ManagementKey, target, true)
}

// touched reports whether any secret was not the vault's when this attempt began.
func (r *run) touched() bool {
	for _, f := range piv.Fields {
		if r.held[f].Kind != client.Current {
			return true
		}
	}
	return false
}
