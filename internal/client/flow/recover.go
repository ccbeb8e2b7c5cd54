package flow

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// Recover is a way out of Unknown for a PIN: the user types the card's PIN, and the
// card gets the chosen one, which may be the same, or a random one. As in every change,
// the new PIN is pending in the vault before the card gets it.
//
// An open rotation with a PIN is an earlier attempt, which Recover completes first. The
// card may already have taken its PIN, so that one is tried second.
func Recover(ctx context.Context, o Options, typed, chosen secret.String) (Result, error) {
	r, err := begin(ctx, o)
	if err != nil {
		return Result{}, err
	}
	if err := r.settleOpen(ctx, piv.ManagementKey, piv.PUK); err != nil {
		return Result{}, err
	}
	held, err := r.typedPIN(ctx, typed)
	if err != nil {
		return Result{}, err
	}
	resumed, first := r.pending(piv.PIN) != "", chosen
	if resumed {
		first = secret.String{}
	} else if err := r.rotation(ctx, chosen); err != nil {
		return Result{Serial: o.Serial}, r.onRecord(ctx, err, chosen, held)
	}
	var last client.Sealed
	err = r.apply(ctx, first, func(next client.Sealed) error {
		last = next
		return r.replaceTyped(ctx, held, next, resumed)
	})
	if err == nil && resumed && !chosen.Empty() {
		err = r.changeTo(ctx, chosen, last)
	}
	return Result{Serial: o.Serial, Resumed: resumed}, err
}

// replaceTyped changes the PIN from the typed one, or from a recorded one if the card
// holds that.
func (r *run) replaceTyped(ctx context.Context, typed, next client.Sealed, resumed bool) error {
	err := r.change(ctx, piv.PIN, typed, next)
	if err == nil {
		return nil
	}
	pending := client.Sealed("")
	if resumed {
		pending = next
	}
	known, err := r.holdsKnown(ctx, err, pending)
	if err != nil || known == next {
		return err
	}
	return r.change(ctx, piv.PIN, known, next)
}

// typedPIN seals the typed PIN. It does not try it beforehand: that would take two
// tries, and the user may have only one left, in which case typedPIN asks.
func (r *run) typedPIN(ctx context.Context, typed secret.String) (client.Sealed, error) {
	left := r.info.PINRetries
	if left != nil && *left == 0 {
		return "", blocked(piv.PIN, nil)
	}
	if left != nil && *left == 1 {
		yes, err := r.ask(ctx, AskAnotherTry,
			"Only one try is left. If the PIN that you entered is wrong, the PIN will be blocked. Try it anyway?")
		if err != nil {
			return "", err
		}
		if !yes {
			return "", declined(piv.PIN)
		}
	}
	return client.Seal(r.agentKey.PublicKey, r.Serial, piv.PIN, typed)
}

// wrongTyped turns the card's refusal of the typed PIN into an outcome. left is the
// number of tries, if it has become known since.
func wrongTyped(err error, left *int) error {
	f, ok := fault.As(err)
	if !ok || f.Code != fault.WrongPIN {
		return err
	}
	if left == nil {
		if n, err := strconv.Atoi(fmt.Sprint(f.Extra["retries_left"])); err == nil {
			left = &n
		}
	}
	o := &Stop{Code: WrongPIN, Field: piv.PIN, Cause: err, RetriesLeft: left,
		Text: "The PIN that you entered is not the token's.", WaysOut: []string{wayType, wayUnblock, wayReset}}
	if left != nil {
		o.Text += fmt.Sprintf(" Tries left: %d.", *left)
	}
	return o
}

// holdsKnown returns the recorded value that the card holds if it refused the typed PIN
// because an earlier attempt's response was lost: the pending PIN, or the current one
// unless the vault has seen that it is wrong.
func (r *run) holdsKnown(ctx context.Context, refusal error, pending client.Sealed) (client.Sealed, error) {
	known := pending
	if known == "" && !r.doubtful(piv.PIN) {
		known = r.secrets.Of(piv.PIN)
	}
	if known == "" || !fault.Is(refusal, fault.WrongPIN) {
		return "", wrongTyped(refusal, nil)
	}
	r.tell(StepProbe, "Checking whether the token has the PIN on record")
	res, err := r.Agent.Probe(ctx, r.Serial, piv.PIN, []client.Sealed{known})
	switch {
	case fault.Is(err, fault.RetriesLow) || fault.Is(err, fault.PINBlocked):
		return "", wrongTyped(refusal, nil)
	case err != nil:
		return "", err
	case res.Match != nil && *res.Match == 0:
		return known, nil
	}
	return "", wrongTyped(refusal, res.RetriesLeft)
}

var pinDigits = regexp.MustCompile(`^\d{6,8}$`)

// onRecord handles a chosen PIN that the service refused (refusal), perhaps because it
// is the recorded one. It sets the recorded PIN on the card, which then shows whether
// that is the chosen one.
func (r *run) onRecord(ctx context.Context, refusal error, chosen secret.String, held client.Sealed) error {
	if digits := chosen.Reveal(); !aboutPIN(refusal) || !pinDigits.MatchString(digits) || digits == piv.FactoryPIN {
		return refusal
	}
	present := r.secrets.Of(piv.PIN)
	// The vault records that first: after a lost response nothing else would show that the
	// card may hold it.
	if err := r.observe(ctx, piv.PIN, client.Current); err != nil {
		return err
	}
	if err := r.change(ctx, piv.PIN, held, present); err != nil {
		if !fault.Is(err, fault.WrongPIN) {
			return named(piv.PIN, err)
		}
		if _, err := r.holdsKnown(ctx, err, ""); err != nil {
			if o, ok := errors.AsType[*Stop](err); ok && o.Code == WrongPIN { // undo the observation above
				if err := r.observe(ctx, piv.PIN, client.None); err != nil {
					return err
				}
			}
			return err
		}
	}
	if !r.inPlace(ctx, refusal, chosen, present) {
		return refusal
	}
	return nil
}
