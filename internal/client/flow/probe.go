package flow

import (
	"context"
	"fmt"
	"slices"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
)

// find returns the vault's value that the card holds. It never spends the last try: the
// agent refuses, which is an outcome. It leaves two of a PIN's tries to the user,
// unless the user agrees to go on (see spendable).
func (r *run) find(ctx context.Context, f piv.Field) (client.Candidate, error) {
	list, err := r.candidates(ctx, f)
	if err != nil {
		return client.Candidate{}, err
	}
	r.tell(StepProbe, "Checking which "+names[f]+" the token has")
	left := r.info.PINRetries
	if f == piv.PIN && left != nil && *left == 0 {
		return client.Candidate{}, blocked(f, nil)
	}
	for tried := 0; ; {
		batch := list
		if f == piv.PIN && left != nil {
			batch = list[:r.spendable(list, *left, tried == 0)]
		}
		if len(batch) == 0 || tried > 0 && !r.counts() {
			if asked, yes, err := r.another(ctx, f, tried, left); err != nil {
				return client.Candidate{}, err
			} else if !yes {
				return client.Candidate{}, r.tooFew(ctx, f, tried, left, asked)
			}
			batch = list[:1] // the user agreed to one try
		}
		res, err := r.Agent.Probe(ctx, r.Serial, f, values(batch))
		if err != nil {
			return client.Candidate{}, r.stopped(ctx, f, err)
		}
		if res.Match != nil && *res.Match >= 0 && *res.Match < len(batch) {
			return batch[*res.Match], nil
		}
		if res.Tried >= len(list) {
			return client.Candidate{}, r.none(ctx, f)
		}
		list = list[max(res.Tried, 0):]
		if res.RetriesLeft != nil { // unknown after a value that the card's rules refuse
			left = res.RetriesLeft
		}
		tried++
	}
}

// reserve is how many tries of a PIN are left to the user: one to mistype it, and one
// to type it.
const reserve = 2

// spendable returns how many of the list's PINs may be tried, in order, without asking.
// A wrong one costs a try that the user needs if none is right. These are free: the tries
// beyond the reserve; the vault's first value, unless the last probe matched none of
// its values; and both values of an open change, since the card holds one of them.
func (r *run) spendable(list []client.Candidate, left int, first bool) int {
	doubted := slices.Contains(r.secrets.Doubted, piv.PIN)
	open := r.pending(piv.PIN) != "" && !doubted
	for i, c := range list {
		expected := first && i == 0 && !doubted || open && (c.Kind == client.Current || c.Kind == client.Pending)
		if !expected && left-i-1 < reserve {
			return i
		}
	}
	return len(list)
}

// another asks before spending a try that the user may need, or that cannot be counted
// beforehand: a failed one reports how many are left. There is no third try of the
// latter kind.
func (r *run) another(ctx context.Context, f piv.Field, tried int, left *int) (asked, yes bool, err error) {
	if tried > 1 && !r.counts() {
		return false, false, nil
	}
	cost := "The next one uses one of usually three tries."
	switch {
	case left != nil && *left < 2 && (f == piv.PIN || r.counts()):
		return false, false, nil // the agent would refuse
	case left != nil && *left < 2:
		cost = "Only one try is left. If the next value is wrong too, the " + names[f] + " will be blocked."
	case left != nil:
		cost = fmt.Sprintf("The next one uses one of the %d tries left.", *left)
	}
	if err := r.stillCurrent(ctx, f); err != nil {
		return false, false, err
	}
	yes, err = r.ask(ctx, AskAnotherTry, "None of the values tried so far is the token's "+names[f]+". "+cost+" Try it anyway?")
	return true, yes, err
}

// tooFew ends a probe early, also after the user declined. It reports the tried values
// to the vault, so that the next attempt does not begin with one that was wrong.
func (r *run) tooFew(ctx context.Context, f piv.Field, tried int, left *int, asked bool) error {
	if tried > 0 {
		if err := r.observe(ctx, f, client.None); err != nil {
			return err
		}
	}
	if asked {
		return declined(f)
	}
	if f == piv.PIN && (left == nil || *left >= reserve) {
		return kept(nil)
	}
	return low(f, nil)
}

// stopped turns the agent's refusal of a probe into an outcome. If the agent had tried
// a value, stopped reports to the vault that it was wrong.
func (r *run) stopped(ctx context.Context, f piv.Field, err error) error {
	if e, ok := fault.As(err); ok && e.Code == fault.RetriesLow && e.Extra["tried"] != nil {
		if err := r.observe(ctx, f, client.None); err != nil {
			return err
		}
	}
	return named(f, err)
}

// none reports that no value matches, so that others come first next time.
func (r *run) none(ctx context.Context, f piv.Field) error {
	if err := r.observe(ctx, f, client.None); err != nil {
		return err
	}
	return unknown(f)
}

// candidates orders the vault's candidates for the probe. It includes the factory value
// only if the card, or else the user, says that it is in use.
func (r *run) candidates(ctx context.Context, f piv.Field) ([]client.Candidate, error) {
	list := slices.Clone(r.secrets.Candidates[f])
	if len(list) == 0 {
		list = []client.Candidate{{Kind: client.Current, Value: r.secrets.Of(f)}}
	}
	at := slices.IndexFunc(list, isFactory)
	switch told := r.defaults.Of(f); {
	case told != nil && *told:
		return r.onlyFactory(ctx, f, list, at)
	case told != nil:
		return r.likeOthers(f, r.workedLast(f, slices.DeleteFunc(list, isFactory))), nil
	case at < 0:
		return list, nil
	}
	return r.perhapsFactory(ctx, f, list, at)
}

// onlyFactory: the card reports the factory value, so nothing else is worth a try. If
// the vault does not expect it, the card was reset outside Keyward, and onlyFactory
// reports that to the vault.
func (r *run) onlyFactory(ctx context.Context, f piv.Field, list []client.Candidate, at int) ([]client.Candidate, error) {
	if at < 0 {
		if err := r.observe(ctx, f, client.Factory); err != nil {
			return nil, err
		}
		if err := r.readSecrets(ctx); err != nil {
			return nil, err
		}
		list = r.secrets.Candidates[f]
		if at = slices.IndexFunc(list, isFactory); at < 0 {
			return list, nil
		}
	}
	return list[at : at+1], nil
}

// perhapsFactory asks the user, once for all fields. It does not ask about a management
// key, which costs no tries.
func (r *run) perhapsFactory(ctx context.Context, f piv.Field, list []client.Candidate, at int) ([]client.Candidate, error) {
	if f == piv.ManagementKey {
		return list, nil
	}
	if r.fresh == nil {
		yes, err := r.ask(ctx, AskFactory,
			"This token doesn't say whether it still has the factory PIN and PUK. Is it new or freshly reset, so that the "+
				"factory values can be tried once?")
		if err != nil {
			return nil, err
		}
		r.fresh = &yes
	}
	factory := list[at]
	list = slices.Delete(list, at, at+1)
	switch {
	case !*r.fresh:
	case r.untouched(f):
		list = slices.Insert(list, 0, factory)
	default:
		list = slices.Insert(list, min(1, len(list)), factory)
	}
	return list, nil
}

// workedLast moves the current value to the front if the last probe matched nothing and
// the card has all its tries: someone has entered the right value since, so it may have
// been changed back.
func (r *run) workedLast(f piv.Field, list []client.Candidate) []client.Candidate {
	i := slices.IndexFunc(list, func(c client.Candidate) bool { return c.Kind == client.Current })
	if f == piv.ManagementKey || i <= 0 || !slices.Contains(r.secrets.Doubted, f) || !r.info.Full(f) {
		return list
	}
	current := list[i]
	return slices.Insert(slices.Delete(list, i, i+1), 0, current)
}

// likeOthers moves the superseded value to the front if the preceding field of the card
// held a superseded one when this attempt began: only a reset changes all three
// together, and this one did not reach the card.
func (r *run) likeOthers(f piv.Field, list []client.Candidate) []client.Candidate {
	i := slices.IndexFunc(list, func(c client.Candidate) bool { return c.Kind == client.Superseded })
	if f == piv.ManagementKey || i <= 0 || r.held[before(f)].Kind != client.Superseded {
		return list
	}
	former := list[i]
	return slices.Insert(slices.Delete(list, i, i+1), 0, former)
}

// before returns the field that is changed before f.
func before(f piv.Field) piv.Field {
	if f == piv.PIN {
		return piv.PUK
	}
	return piv.ManagementKey
}

// untouched reports whether the card's field before f held the factory value when this
// attempt began: then f does as well.
func (r *run) untouched(f piv.Field) bool {
	return r.held[before(f)].Kind == client.Factory
}

func isFactory(c client.Candidate) bool { return c.Kind == client.Factory }

func values(list []client.Candidate) []client.Sealed {
	v := make([]client.Sealed, len(list))
	for i, c := range list {
		v[i] = c.Value
	}
	return v
}
