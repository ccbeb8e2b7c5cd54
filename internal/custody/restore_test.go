package custody

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// wander applies a number of random moves to a document.
func wander(rt *rapid.T, d Document, moves int) Document {
	for range moves {
		f := rapid.SampledFrom(piv.Fields).Draw(rt, "field")
		var next Document
		changed, err := true, error(nil)
		switch rapid.SampledFrom([]string{"start", "settle", "observe", "enrolled", "reset", "hand over"}).Draw(rt, "move") {
		case "start":
			next, err = d.Start([]piv.Field{f}, fresh(rt), 1, "a", t0)
		case "settle":
			if d.Rotation == nil {
				continue
			}
			next, changed, err = d.Settle(d.Rotation.ID, nil, rapid.SampledFrom([]Kind{Current, Pending}).Draw(rt, "to"), t0)
		case "observe":
			next, changed, err = d.Observe(f, rapid.SampledFrom([]Kind{Current, Superseded, Factory, NoMatch}).Draw(rt, "matched"))
		case "enrolled":
			next, changed, err = d.Enrolled()
		case "reset":
			next, changed = d.Reset(fresh(rt), d.For, t0)
		case "hand over":
			next, changed = d.HandTo(fresh(rt), rapid.Int64Range(Nobody, 3).Draw(rt, "owner"), t0)
		}
		if err == nil && changed {
			d = next
			d.Counter++
		}
	}
	return d
}

// values returns all values of a field and their owners.
func (d Document) values(f piv.Field) map[string]int64 {
	v, all := d.Fields[f], map[string]int64{}
	for _, p := range v.Superseded {
		all[p.Value.Reveal()] = p.For
	}
	for _, s := range []secret.String{v.Pending, v.Current} {
		if !s.Empty() {
			all[s.Reveal()] = d.For
		}
	}
	return all
}

// TestRestored: whatever happened to a token between its backup and the restore,
// even if its document was restored meanwhile, no value that its card may hold is
// lost, the newer document stays, no one is offered another owner's value, and
// repeating changes nothing.
func TestRestored(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		moves := rapid.IntRange(0, 20)
		first := wander(rt, NewDocument(fresh(rt), Nobody, t0), moves.Draw(rt, "before"))
		backup := wander(rt, first, moves.Draw(rt, "until the backup"))
		present := backup
		if rapid.Bool().Draw(rt, "put back") {
			present = first
		}
		present = wander(rt, present, moves.Draw(rt, "since"))
		stranger := rapid.IntRange(0, 4).Draw(rt, "stranger") == 0

		was, is := must.Get(encode(backup))(rt), must.Get(encode(present))(rt)
		data, changed := must.Both(Restored(was, is, stranger))(rt)
		if changed == data.Same(is) {
			rt.Fatalf("changed: %v", changed)
		}
		next := must.Get(decode(data))(rt)
		if again, more := must.Both(Restored(was, data, stranger))(rt); more || !again.Same(data) {
			rt.Fatal("it changes once more")
		}
		winner, loser := present, backup
		if stranger || present.Counter < backup.Counter {
			winner, loser = backup, present
		}
		if next.For != winner.For || next.Counter < max(backup.Counter, present.Counter) || changed && next.Counter == present.Counter ||
			next.LastRotationID < winner.LastRotationID || !cmp.Equal(next.Rotation, winner.Rotation) {
			rt.Fatalf("%+v is no longer the newer one, %+v", next, winner)
		}
		for _, f := range piv.Fields {
			v, w := next.Fields[f], winner.Fields[f]
			if !v.Current.Equal(w.Current) || !v.Pending.Equal(w.Pending) || v.First != w.First || v.Fruitless != w.Fruitless {
				rt.Fatalf("%s: the newer one's standing has changed", f)
			}
			held := next.values(f)
			if n := len(v.Superseded); len(held) < n+1 || n > maxSuperseded {
				rt.Fatalf("%s: a value stands there twice, or there are more than %d", f, maxSuperseded)
			}
			for _, of := range []Document{winner, loser} {
				for value := range of.values(f) {
					if _, there := held[value]; !there {
						rt.Fatalf("%s: a value that the card may hold is lost", f)
					}
				}
			}
			for _, c := range next.Candidates(f) {
				owner, others := loser.values(f)[c.Value.Reveal()]
				_, own := winner.values(f)[c.Value.Reveal()]
				if c.Kind == Superseded && others && (stranger && !own || !stranger && owner != Nobody && owner != next.For) {
					rt.Fatalf("%s: a value of owner %d is offered to owner %d", f, owner, next.For)
				}
			}
		}
	})
}

// TestRestoredAbsent: a missing document comes from the backup, with the counter raised.
func TestRestoredAbsent(t *testing.T) {
	t.Parallel()
	doc := NewDocument(fresh(t), 1, t0)
	doc.Counter = 4
	data, changed := must.Both(Restored(must.Get(encode(doc))(t), nil, false))(t)
	doc.Counter = 5
	if diff := cmp.Diff(string(must.Get(encode(doc))(t)), string(data)); diff != "" || !changed {
		t.Error(diff)
	}
}

// TestRestoredIsBounded: beyond a field's limit, the other document's oldest values
// go, and never what its card held last.
func TestRestoredIsBounded(t *testing.T) {
	t.Parallel()
	full := func(text string, counter int64) Document {
		d := NewDocument(fresh(t), 1, t0)
		d.Counter = counter
		v := d.Fields[piv.PIN]
		for n := range maxSuperseded {
			v.Superseded = append(v.Superseded, Past{secret.New(fmt.Sprint(text, n)), 1, maxSuperseded - n})
		}
		d.Fields[piv.PIN] = v
		return d
	}
	backup, present := full("backup", 1), full("present", 2)
	was := must.Get(encode(backup))(t)
	data, _ := must.Both(Restored(was, must.Get(encode(present))(t), false))(t)
	got := must.Get(decode(data))(t).Fields[piv.PIN].Superseded
	want := append([]Past{{backup.Fields[piv.PIN].Current, 1, 0}}, present.Fields[piv.PIN].Superseded[:maxSuperseded-1]...)
	if !slices.EqualFunc(got, want, func(a, b Past) bool { return a.Value.Equal(b.Value) && a.For == b.For }) {
		t.Errorf("%d values, and not those", len(got))
	}
	if _, changed := must.Both(Restored(was, data, false))(t); changed {
		t.Error("it changes once more")
	}
}

// TestRestoredRefuses: malformed documents on either side are refused and not quoted.
func TestRestoredRefuses(t *testing.T) {
	t.Parallel()
	good := must.Get(encode(NewDocument(fresh(t), 1, t0)))(t)
	for _, bad := range []vault.Data{vault.Data(`{"pin":{"current":"123456"}}`), vault.Data(`{"pin":"123456"}`)} {
		for _, pair := range [][2]vault.Data{{bad, good}, {good, bad}, {bad, nil}} {
			if _, _, err := Restored(pair[0], pair[1], false); err == nil || strings.Contains(err.Error(), "123456") {
				t.Errorf("the answer is %v", err)
			}
		}
		if err := CheckDocument(bad); err == nil || CheckDocument(good) != nil {
			t.Error("the check says otherwise")
		}
	}
}
