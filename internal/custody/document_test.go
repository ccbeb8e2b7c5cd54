package custody

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func fresh(t interface{ Fatalf(string, ...any) }) map[piv.Field]secret.String {
	f, err := GenerateAll()
	if err != nil {
		t.Fatalf("generate: %v", err)
	}
	return f
}

// world is a card and its document, which the protocol must keep consistent.
type world struct {
	t     *rapid.T
	doc   Document
	card  map[piv.Field]secret.String
	owner int64
	whose map[string]int64 // a value's owner when it was current
}

func (w *world) knows(f piv.Field, s secret.String) bool {
	v := w.doc.Fields[f]
	return v.Current.Equal(s) || (!v.Pending.Empty() && v.Pending.Equal(s)) || f.Factory().Equal(s) ||
		slices.ContainsFunc(v.Superseded, func(p Past) bool { return p.Value.Equal(s) })
}

// probe tries the candidates in order, as a client does.
func (w *world) probe(f piv.Field) Kind {
	for _, c := range w.doc.Candidates(f) {
		if c.Value.Equal(w.card[f]) {
			return c.Kind
		}
	}
	return NoMatch
}

func (w *world) must(err error) {
	if err != nil {
		w.t.Fatalf("unexpected: %v", err)
	}
}

// settle is step 3 of the protocol: find out what the card holds, then commit, abort
// or observe, until the vault's current value is the card's.
func (w *world) settle(f piv.Field) {
	for range 2*maxSuperseded + 4 {
		kind := w.probe(f)
		var err error
		switch r := w.doc.Rotation; {
		case kind == Pending:
			w.doc, _, err = w.doc.Settle(r.ID, []piv.Field{f}, Pending, t0)
		case kind == Current && r != nil && slices.Contains(r.Fields, f) && r.Settled[f] == "":
			w.doc, _, err = w.doc.Settle(r.ID, []piv.Field{f}, Current, t0)
		default:
			w.doc, _, err = w.doc.Observe(f, kind)
		}
		w.must(err)
		if kind == Factory {
			w.card[f] = w.doc.Fields[f].Current // a client goes on from there
			return
		}
		if w.doc.Fields[f].Current.Equal(w.card[f]) {
			return
		}
	}
	if whose := w.whose[w.card[f].Reveal()]; whose != Nobody && whose != w.doc.For && !w.card[f].Equal(f.Factory()) {
		return // another owner's: the card has to be reset
	}
	w.t.Fatalf("%s: the card's value was not found", f)
}

// TestCardIsNeverLost runs the protocol at random, with answers lost and steps
// skipped anywhere. After every step the card's value must be recorded, and in the
// end settling must find it.
func TestCardIsNeverLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := &world{t: rt, whose: map[string]int64{}, doc: NewDocument(fresh(rt), Nobody, t0), card: map[piv.Field]secret.String{}}
		for _, f := range piv.Fields {
			w.card[f] = f.Factory()
		}
		field := rapid.SampledFrom(piv.Fields)
		rt.Repeat(map[string]func(*rapid.T){
			"start": func(rt *rapid.T) {
				fields := InOrder(rapid.SliceOfN(field, 1, 3).Draw(rt, "fields"))
				next := fresh(rt)
				if doc, err := func() (Document, error) { return w.doc.Start(fields, next, 1, "a", t0) }(); err == nil {
					w.doc = doc
				} else if !fault.Is(err, fault.RotationPending) && !fault.Is(err, fault.Conflict) {
					rt.Fatalf("start: %v", err)
				}
			},
			"change the card from current to pending, answer kept or lost": func(rt *rapid.T) {
				f := field.Draw(rt, "field")
				v := w.doc.Fields[f]
				if v.Pending.Empty() || !v.Current.Equal(w.card[f]) {
					rt.Skip("nothing to change")
				}
				w.card[f] = v.Pending
				if rapid.Bool().Draw(rt, "answer kept") {
					var err error
					w.doc, _, err = w.doc.Settle(w.doc.Rotation.ID, []piv.Field{f}, Pending, t0)
					w.must(err)
				}
			},
			"enrol one field from the factory": func(rt *rapid.T) {
				f := field.Draw(rt, "field")
				if !f.Factory().Equal(w.card[f]) {
					rt.Skip("no factory value")
				}
				w.card[f] = w.doc.Fields[f].Current
			},
			"settle": func(rt *rapid.T) { w.settle(field.Draw(rt, "field")) },
			"enrolled": func(rt *rapid.T) {
				for _, f := range piv.Fields {
					if !w.doc.Fields[f].Current.Equal(w.card[f]) {
						rt.Skip("the card has not taken all")
					}
				}
				if doc, _, err := w.doc.Enrolled(); err == nil {
					w.doc = doc
				} else if !fault.Is(err, fault.RotationPending) {
					rt.Fatalf("enrolled: %v", err)
				}
			},
			"reset, of the vault alone or of the card too": func(rt *rapid.T) {
				if rapid.IntRange(0, 3).Draw(rt, "rare") != 0 {
					rt.Skip("rarely")
				}
				w.doc, _ = w.doc.Reset(fresh(rt), w.owner, t0)
				reset := rapid.Bool().Draw(rt, "card reset")
				for _, f := range piv.Fields {
					if reset || !w.knows(f, w.card[f]) && len(w.doc.Fields[f].Superseded) == keepSuperseded {
						w.card[f] = f.Factory() // for a value older than all those kept, only the card's reset helps
					}
				}
			},
			"a new owner": func(rt *rapid.T) {
				w.owner = rapid.Int64Range(0, 3).Draw(rt, "owner")
				w.doc, _ = w.doc.HandTo(fresh(rt), w.owner, t0)
				for _, f := range piv.Fields {
					for _, c := range w.doc.Candidates(f) {
						if c.Kind == Superseded && w.whose[c.Value.Reveal()] != Nobody && w.whose[c.Value.Reveal()] != w.owner {
							rt.Fatal("an owner is offered a value of another")
						}
					}
				}
			},
			"a misleading observation": func(rt *rapid.T) {
				f := field.Draw(rt, "field")
				kind := rapid.SampledFrom([]Kind{NoMatch, Factory, Current}).Draw(rt, "kind")
				doc, _, err := w.doc.Observe(f, kind)
				w.must(err)
				w.doc = doc
			},
			"": func(rt *rapid.T) { w.invariant(rt) },
		})
	})
}

func (w *world) invariant(rt *rapid.T) {
	for _, f := range piv.Fields {
		v := w.doc.Fields[f]
		for _, s := range []secret.String{v.Current, v.Pending} {
			w.whose[s.Reveal()] = w.doc.For
		}
		if v.Current.Empty() {
			rt.Fatalf("%s: no current value", f)
		}
		if !w.knows(f, w.card[f]) {
			rt.Fatalf("%s: the card's value is not on record", f)
		}
		list := w.doc.Candidates(f)
		if len(list) == 0 || len(list) > 3 {
			rt.Fatalf("%s: %d candidates", f, len(list))
		}
		for i, c := range list {
			if slices.ContainsFunc(list[:i], func(o Candidate) bool { return o.Kind == c.Kind || o.Value.Equal(c.Value) }) {
				rt.Fatalf("%s: candidate %d stands twice", f, i)
			}
		}
	}
	data, err := encode(w.doc)
	if err != nil {
		rt.Fatalf("encode: %v", err)
	}
	back, err := decode(data)
	if err != nil {
		rt.Fatalf("decode: %v", err)
	}
	if diff := cmp.Diff(plain(w.doc), plain(back)); diff != "" {
		rt.Fatalf("round trip (-want +got):\n%s", diff)
	}
}

// plain makes documents comparable.
func plain(d Document) any {
	type values struct {
		C, P    string
		S       []string
		Factory bool
		First   Kind
		N       int
	}
	fields := map[piv.Field]values{}
	for f, v := range d.Fields {
		p := values{v.Current.Reveal(), v.Pending.Reveal(), nil, v.Factory, v.First, v.Fruitless}
		for _, s := range v.Superseded {
			p.S = append(p.S, fmt.Sprint(s.Value.Reveal(), s.For, s.Age))
		}
		fields[f] = p
	}
	d.Fields = nil
	return []any{fields, d.Rotation, d.Closed, d.LastRotationID, d.ChangedAt, d.ResetOpen, d.For}
}

func TestSettleTwice(t *testing.T) {
	t.Parallel()
	doc := NewDocument(fresh(t), Nobody, t0)
	next := fresh(t)
	doc, err := doc.Start([]piv.Field{piv.PUK, piv.PIN}, next, 7, "jdoe", t0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := doc.Start([]piv.Field{piv.PIN}, fresh(t), 8, "other", t0); !fault.Is(err, fault.RotationPending) {
		t.Fatalf("second start: %v, want rotation_pending", err)
	}
	former := doc.Fields[piv.PIN].Current
	doc, changed, err := doc.Settle(1, []piv.Field{piv.PIN}, Pending, t0)
	if err != nil || !changed {
		t.Fatalf("commit pin: changed %v, %v", changed, err)
	}
	if doc.Rotation == nil {
		t.Fatal("the rotation closed with the PUK unsettled")
	}
	if _, changed, err := doc.Settle(1, []piv.Field{piv.PIN}, Pending, t0); err != nil || changed {
		t.Errorf("repeated commit: changed %v, %v; want nothing", changed, err)
	}
	if _, _, err := doc.Settle(1, []piv.Field{piv.PIN}, Current, t0); !fault.Is(err, fault.Conflict) {
		t.Errorf("abort after commit: %v, want conflict", err)
	}
	if _, _, err := doc.Settle(1, []piv.Field{piv.ManagementKey}, Pending, t0); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("a field outside the rotation: %v, want invalid_request", err)
	}
	doc, _, err = doc.Settle(1, nil, Current, t0)
	if err != nil || doc.Rotation != nil {
		t.Fatalf("abort of the rest: %v, open %v", err, doc.Rotation != nil)
	}
	pin, puk := doc.Fields[piv.PIN], doc.Fields[piv.PUK]
	if !pin.Current.Equal(next[piv.PIN]) || !pin.Superseded[0].Value.Equal(former) {
		t.Error("PIN: the pending value must be current, the former superseded")
	}
	if puk.Current.Equal(next[piv.PUK]) || !puk.Superseded[0].Value.Equal(next[piv.PUK]) {
		t.Error("PUK: the current value must stay, the pending one be superseded")
	}
	if _, changed, err := doc.Settle(1, []piv.Field{piv.PIN}, Pending, t0); err != nil || changed {
		t.Errorf("repeated commit after closing: changed %v, %v", changed, err)
	}
	if _, _, err := doc.Settle(2, nil, Pending, t0); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown rotation: %v, want not_found", err)
	}
}

func TestResetIsRepeatable(t *testing.T) {
	t.Parallel()
	doc := NewDocument(fresh(t), Nobody, t0)
	doc, changed := doc.Reset(fresh(t), 1, t0)
	if !changed {
		t.Fatal("the first reset changes nothing")
	}
	again, changed := doc.Reset(fresh(t), 1, t0)
	if changed || !again.Fields[piv.PIN].Current.Equal(doc.Fields[piv.PIN].Current) {
		t.Error("a repeated reset must keep the fresh values")
	}
	seen, _, err := doc.Observe(piv.PIN, Current)
	if err != nil {
		t.Fatal(err)
	}
	again, changed = seen.Reset(fresh(t), 1, t0)
	if !changed || again.Candidates(piv.PIN)[0].Kind != Factory {
		t.Error("after a repeated reset the factory value must be tried first")
	}
	other, changed := doc.Reset(fresh(t), 2, t0)
	if !changed || other.Fields[piv.PIN].Current.Equal(doc.Fields[piv.PIN].Current) {
		t.Error("another owner must get values that the former never saw")
	}
	enrolled, _, err := doc.Enrolled()
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(enrolled.Candidates(piv.PIN), func(c Candidate) bool { return c.Kind == Factory }) {
		t.Error("an enrolled token must not have the factory value as candidate")
	}
}

func TestGenerated(t *testing.T) {
	t.Parallel()
	for pin, want := range map[string]bool{
		"80123496": true, "80412396": false, "94321057": true, "73333159": true, "73335159": false, "12121212": true,
	} {
		if trivial(pin) != want {
			t.Errorf("%s is trivial: %v", pin, !want)
		}
	}
	for range 2000 {
		pin, err := Generate(piv.PIN)
		if err != nil {
			t.Fatal(err)
		}
		if trivial(pin.Reveal()) || len(pin.Reveal()) != 8 {
			t.Fatal("a generated PIN is trivial")
		}
	}
	key, err := Generate(piv.ManagementKey)
	if err != nil || len(key.Reveal()) != 48 {
		t.Fatalf("management key: %d characters, %v", len(key.Reveal()), err)
	}
}

func TestChosenPIN(t *testing.T) {
	t.Parallel()
	for pin, ok := range map[string]bool{
		"135790": true, "80214673": true, "12345": false, "123456789": false, "123456": false, "111122": true,
		"98761357": true, "13579a": false, "５１３５７９": false, "12345678": true, "": false,
	} {
		if err := CheckChosenPIN(secret.New(pin)); (err == nil) != ok {
			t.Errorf("PIN %q: %v, want accepted %v", pin, err, ok)
		}
	}
}
