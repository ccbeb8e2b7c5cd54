package flow

import (
	"context"
	"slices"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/piv"
)

// Key says which key a renewal gets its certificate for.
type Key int

// The choices.
const (
	KeyOfSlot Key = iota // the certificate's own in 9d, which decrypts what was encrypted for it; a new one elsewhere
	KeepKey
	NewKey
)

// keeps reports whether the slot's key stays. Only its certificate's own does without being asked for:
// another may have been imported, and known to somebody else.
func (k Key) keeps(name string, s slot) bool {
	return k == KeepKey || k == KeyOfSlot && name == string(piv.KeyManagement) && !s.otherKey()
}

// Renew gives the slot a new certificate. The old one stays valid until the new one is on
// the card; then the service revokes it as superseded.
//
// If an earlier attempt died after generating its key, Renew finishes it with that key,
// and that is the renewal.
func Renew(ctx context.Context, o Options, key Key) (Result, error) {
	r, err := begin(ctx, o)
	if err != nil {
		return Result{}, err
	}
	if err := r.settleOpen(ctx, piv.PUK); err != nil {
		return Result{}, err
	}
	for _, f := range []piv.Field{piv.ManagementKey, piv.PIN} {
		held, err := r.settle(ctx, f)
		if err != nil {
			return Result{}, err
		}
		if held.Kind == client.Factory {
			return Result{}, notEnrolled(f)
		}
	}
	s, err := r.readSlot(ctx)
	if err != nil {
		return Result{}, err
	}
	if s.present == nil {
		return Result{}, &Stop{Code: NotEnrolled, Text: "Slot " + r.Slot + " holds no certificate from Keyward, so there is nothing to renew.",
			WaysOut: []string{"Get it one: keyward token enroll."}}
	}
	subject, err := r.ready(ctx, s)
	if err != nil {
		return Result{}, err
	}
	if result, done, err := r.finishRenewal(ctx, s, subject, key); done || err != nil {
		return result, err
	}
	return r.renew(ctx, subject, key.keeps(r.Slot, s))
}

// finishRenewal completes what an earlier attempt left: a new key next to the old
// certificate, or a certificate issued for the slot's key that is not on the card, or
// not confirmed.
//
// One that kept the key is not finished for whoever wants a new one.
func (r *run) finishRenewal(ctx context.Context, s slot, subject client.Subject, key Key) (result Result, done bool, err error) {
	left := unconfirmed(s)
	if key == NewKey {
		left = slices.DeleteFunc(left, func(c client.Certificate) bool {
			return c.SerialNumber != s.present.SerialNumber && c.PublicKeySHA256 == s.present.PublicKeySHA256
		})
	}
	// A key of another type would not be signed: the renewal generates a new one.
	unfinished := s.otherKey() && told(s.KeyAlgorithm) == r.wanted.Type.ToolName() && !r.compromised
	if len(left) == 0 && !unfinished {
		return Result{}, false, nil
	}
	c, err := r.csr(ctx, reuseKey, subject)
	if err != nil {
		return Result{}, false, err
	}
	for _, l := range left {
		switch {
		case l.PublicKeySHA256 != c.PublicKeySHA256:
			continue
		case l.SerialNumber == s.present.SerialNumber:
			result, err = r.confirm(ctx, l)
		default:
			result, err = r.issue(ctx, c)
		}
		result.Resumed = true
		return result, true, err
	}
	// A key without an attestation is not an earlier attempt's.
	if unfinished && len(c.Attestation) > 0 {
		result, err = r.issue(ctx, c)
		result.Resumed = true
		return result, true, err
	}
	return Result{}, false, nil
}

// unconfirmed returns the slot's live certificates that are not confirmed to be on a
// card.
func unconfirmed(s slot) []client.Certificate {
	var list []client.Certificate
	for _, c := range s.records {
		if live(&c) && c.InstalledAt == nil {
			list = append(list, c)
		}
	}
	return list
}

func (r *run) renew(ctx context.Context, subject client.Subject, keepKey bool) (Result, error) {
	m := overwrite
	if keepKey && r.compromised {
		return Result{}, &Stop{Code: NotReady, Reasons: []string{keyCompromised},
			Text:    "This key was compromised, so it can never get another certificate.",
			WaysOut: []string{"Renew with a new key (--new-key)."}}
	}
	if keepKey {
		m = reuseKey
	} else if r.Slot == string(piv.KeyManagement) {
		if err := r.mayOverwrite(ctx,
			"Slot 9d holds a decryption key. With a new key, you can no longer read what was encrypted for the current one. "+
				"Create a new key?"); err != nil {
			return Result{}, err
		}
	}
	c, err := r.csr(ctx, m, subject)
	if err != nil {
		return Result{}, err
	}
	r.tell(StepSign, "Having the certificate issued")
	signed, err := r.signAs(ctx, c, true)
	if err != nil {
		return Result{}, err
	}
	return r.install(ctx, signed)
}
