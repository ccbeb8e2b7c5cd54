package custody

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
)

// spin starts and commits PIN changes, as someone without the card may, until the
// service refuses. It returns how often that worked.
func spin(t *testing.T, doc Document) (Document, int) {
	t.Helper()
	for n := 0; ; n++ {
		next, err := doc.Start([]piv.Field{piv.PIN}, fresh(t), 1, "a", t0)
		if fault.Is(err, fault.Conflict) {
			return doc, n
		}
		must.OK(t, err)
		if doc, _, err = next.Settle(next.LastRotationID, nil, Pending, t0); err != nil {
			t.Fatal(err)
		}
		if n > 1000 {
			t.Fatal("nothing stops it")
		}
	}
}

// TestCommitsWithoutACardLoseNothing: someone who keeps claiming that the card took
// a new PIN cannot make Keyward forget the one it really holds.
func TestCommitsWithoutACardLoseNothing(t *testing.T) {
	t.Parallel()
	doc := NewDocument(fresh(t), Nobody, t0)
	w := &world{doc: doc, card: map[piv.Field]secret.String{}}
	for _, f := range piv.Fields {
		w.card[f] = doc.Fields[f].Current
	}
	enrolled, _, err := doc.Enrolled()
	must.OK(t, err)
	var n int
	if w.doc, n = spin(t, enrolled); n != 256 {
		t.Errorf("a rotation was started %d times, want 256 (contract, \"Hardware tokens and custody\")", n)
	}
	for _, lie := range []Kind{Current, Superseded, Factory, NoMatch} {
		if w.doc, _, err = w.doc.Observe(piv.PIN, lie); err != nil {
			t.Fatal(err)
		}
	}
	if w.doc, _, err = w.doc.Enrolled(); err != nil {
		t.Fatal(err)
	}
	if !w.knows(piv.PIN, w.card[piv.PIN]) {
		t.Fatal("the PIN that the card holds is lost")
	}
	for n := 0; !w.doc.Fields[piv.PIN].Current.Equal(w.card[piv.PIN]); n++ { // probe after probe finds it
		w.doc, _ = must.Both(w.doc.Observe(piv.PIN, w.probe(piv.PIN)))(t)
		if n > 600 {
			t.Fatal("no probe finds the PIN that the card holds")
		}
	}
}

// TestResetKeepsTheNewest: in whatever order probes left the former values.
func TestResetKeepsTheNewest(t *testing.T) {
	t.Parallel()
	doc, _ := spin(t, NewDocument(fresh(t), Nobody, t0))
	var newest []string // the reset supersedes the current one
	newest = append(newest, doc.Fields[piv.PIN].Current.Reveal())
	for _, p := range doc.Fields[piv.PIN].Superseded[:7] {
		newest = append(newest, p.Value.Reveal())
	}
	for range 20 { // fruitless probes go round
		doc, _ = must.Both(doc.Observe(piv.PIN, NoMatch))(t)
	}
	doc, _ = doc.Reset(fresh(t), 1, t0)
	var kept []string
	for _, p := range doc.Fields[piv.PIN].Superseded {
		kept = append(kept, p.Value.Reveal())
	}
	slices.Sort(newest)
	slices.Sort(kept)
	if diff := cmp.Diff(newest, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if _, n := spin(t, doc); n == 0 {
		t.Error("no rotation starts after a reset")
	}
}

// TestHandingOnNeverFails: even with the maximum of values, a new owner does not get
// the secrets that the former owner knows.
func TestHandingOnNeverFails(t *testing.T) {
	t.Parallel()
	doc, _ := spin(t, NewDocument(fresh(t), 1, t0))
	for owner := range int64(10) {
		former := doc.Fields[piv.PIN].Current
		if doc, _ = doc.HandTo(fresh(t), owner+2, t0); doc.Fields[piv.PIN].Current.Equal(former) {
			t.Fatal("the former owner knows the present PIN")
		}
	}
	if n := len(doc.Fields[piv.PIN].Superseded); n != 256 {
		t.Errorf("%d former values, want 256", n)
	}
}
