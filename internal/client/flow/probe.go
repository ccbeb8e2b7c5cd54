package flow

import (
	"context"
	"slices"

	"github.com/keyward/keyward/internal/client"
)

// find tells which of the vault's values the card holds. It never spends the
// last tries: the agent refuses, and that is an outcome.
func (r *run) find(ctx context.Context, f client.Field) (client.Candidate, error) {
	list, err := r.candidates(ctx, f)
	if err != nil {
		return client.Candidate{}, err
	}
	r.tell(StepProbe, "Finding out which "+names[f]+" the card holds")
	for round := 0; ; round++ {
		res, err := r.Agent.Probe(ctx, r.Serial, f, values(list))
		if err != nil {
			return client.Candidate{}, named(f, err)
		}
		if res.Match != nil && *res.Match >= 0 && *res.Match < len(list) {
			return list[*res.Match], nil
		}
		if res.Tried >= len(list) {
			return client.Candidate{}, r.none(ctx, f)
		}
		// Only firmware that does not count its tries stops early.
		if again, err := r.another(ctx, f, round, res.RetriesLeft); err != nil {
			return client.Candidate{}, err
		} else if !again {
			return client.Candidate{}, r.tooFew(ctx, f)
		}
		list = list[max(res.Tried, 0):]
	}
}

// another asks before a second try is spent where the tries cannot be counted
// beforehand. The failed one told how many are left. There is no third.
func (r *run) another(ctx context.Context, f client.Field, round int, left *int) (bool, error) {
	if round > 0 || r.counts() {
		return false, nil
	}
	cost := "It costs one of usually three tries."
	if left != nil && *left < 2 {
		cost = "It is the last try: if this value is wrong too, the " + names[f] + " is blocked."
	}
	return r.ask(ctx, AskAnotherTry, "The first value on record was not the card's "+names[f]+". Try the next one? "+cost)
}

// tooFew ends a probe early. The vault is told, so that the next attempt does
// not begin with the value that was wrong.
func (r *run) tooFew(ctx context.Context, f client.Field) error {
	if err := r.observe(ctx, f, client.None); err != nil {
		return err
	}
	return low(f, nil)
}

// none reports that no value fits, so that others come first next time.
func (r *run) none(ctx context.Context, f client.Field) error {
	if err := r.observe(ctx, f, client.None); err != nil {
		return err
	}
	return unknown(f)
}

// candidates puts the vault's candidates into the order of trying, the
// factory's only where the card, or else the person, says that it is in use.
func (r *run) candidates(ctx context.Context, f client.Field) ([]client.Candidate, error) {
	list := slices.Clone(r.secrets.Candidates[f])
	if len(list) == 0 {
		list = []client.Candidate{{Kind: client.Current, Value: r.secrets.Of(f)}}
	}
	at := slices.IndexFunc(list, isFactory)
	switch told := r.defaults.Of(f); {
	case told != nil && *told:
		return r.onlyFactory(ctx, f, list, at)
	case told != nil:
		return slices.DeleteFunc(list, isFactory), nil
	case at < 0:
		return list, nil
	}
	return r.perhapsFactory(ctx, f, list, at)
}

// onlyFactory: the card says that the factory value is in use, so nothing
// else is worth a try. Where the vault does not expect it, the card was reset
// outside Keyward, and the vault is told.
func (r *run) onlyFactory(ctx context.Context, f client.Field, list []client.Candidate, at int) ([]client.Candidate, error) {
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

// perhapsFactory asks the person, once for all fields. A management key costs
// no tries, so nobody is asked about it.
func (r *run) perhapsFactory(ctx context.Context, f client.Field, list []client.Candidate, at int) ([]client.Candidate, error) {
	if f == client.ManagementKey {
		return list, nil
	}
	if r.fresh == nil {
		yes, err := r.ask(ctx, AskFactory, "This card does not tell whether it still has the factory's PIN and PUK. Is it new or freshly reset, and may the factory's values be tried once?")
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

// untouched tells that the card's fields before f, in the order of change,
// were the factory's when this attempt began: then f is as well.
func (r *run) untouched(f client.Field) bool {
	before := client.ManagementKey
	if f == client.PIN {
		before = client.PUK
	}
	return r.held[before].Kind == client.Factory
}

func isFactory(c client.Candidate) bool { return c.Kind == client.Factory }

func values(list []client.Candidate) []client.Sealed {
	v := make([]client.Sealed, len(list))
	for i, c := range list {
		v[i] = c.Value
	}
	return v
}
