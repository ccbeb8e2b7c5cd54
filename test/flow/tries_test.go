package flow_test

import (
	"context"
	"testing"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/client/flow"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// foreignPIN is what the person knows and the vault does not.
const foreignPIN = "86420135"

// strange makes a token whose PIN was changed outside, after changes that left
// former PINs on record.
func (w *world) strange(t *testing.T, changes int) (serial string) {
	t.Helper()
	_, serial = w.enrolled(t)
	for range changes {
		if err := w.changePIN(t, serial); err != nil {
			t.Fatal(err)
		}
	}
	w.setPIN(t, serial, secret.New(foreignPIN))
	return serial
}

// setPIN changes the card's PIN behind the vault's back.
func (w *world) setPIN(t *testing.T, serial string, next secret.String) {
	t.Helper()
	pin := w.release(t, serial).current[piv.PIN]
	if err := w.cards.ChangePIN(t.Context(), serial, pin, next); err != nil {
		t.Fatal(err)
	}
}

func (w *world) pinTries(t *testing.T, serial string) int {
	t.Helper()
	c, err := w.cards.Inspect(t.Context(), serial)
	if err != nil {
		t.Fatal(err)
	}
	return c.PIN.Left
}

// answers gives the options of somebody who answers every question alike, and
// what was asked.
func (w *world) answers(serial string, yes bool) (flow.Options, map[flow.Question]int) {
	o, asked := w.at(0, serial), map[flow.Question]int{}
	o.Confirm = func(_ context.Context, q flow.Question, _ string) (bool, error) { asked[q]++; return yes, nil }
	return o, asked
}

// testTriesToType: of a PIN that is none on record, no flow spends the tries
// that the person needs to type it, once wrong and once right, however often
// it is run.
func testTriesToType(t *testing.T, w *world) {
	for changes := range 3 { // with no, one and two former PINs
		serial := w.strange(t, changes)
		o, asked := w.answers(serial, false)
		for i := range 4 {
			_, err := flow.ChangePIN(t.Context(), o, secret.String{})
			if err == nil {
				t.Fatal("a PIN that nobody knows was changed")
			}
			if left := w.pinTries(t, serial); left != 2 {
				t.Fatalf("%d changes, run %d: %d tries are left, want 2: %v", changes, i, left, err)
			}
		}
		if asked[flow.AskAnotherTry] == 0 {
			t.Errorf("%d changes: nobody was asked", changes)
		}
		// Who agrees spends one more, and the last one never.
		o, _ = w.answers(serial, true)
		for range 3 {
			if _, err := flow.ChangePIN(t.Context(), o, secret.String{}); err == nil {
				t.Fatal("a PIN that nobody knows was changed")
			}
		}
		if left := w.pinTries(t, serial); left != 1 {
			t.Errorf("%d changes, agreed: %d tries are left, want 1", changes, left)
		}
		// A PIN that is right after all is taken note of: the doubt is over.
		w.unblock(t, serial)
		o, asked = w.answers(serial, false)
		r, err := flow.ChangePIN(t.Context(), o, secret.String{})
		must(t, r, err)
		if len(asked) != 0 {
			t.Errorf("after an unblock: asked %v", asked)
		}
	}
}

// testTriesInAChange: the card holds one of the two values of an open change,
// so both are tried and nobody is asked, with a try lost before as well.
func testTriesInAChange(t *testing.T, w *world) {
	for _, c := range []struct {
		left  int
		taken bool // whether the card has the new value
	}{{3, false}, {3, true}, {2, false}} {
		_, serial := w.enrolled(t)
		if err := w.changePIN(t, serial); err != nil { // leaves a former PIN as a third candidate
			t.Fatal(err)
		}
		n, err := w.audits.backend.StartRotation(t.Context(), serial, client.NewRotation{Fields: []piv.Field{piv.PIN}})
		if err != nil {
			t.Fatal(err)
		}
		if c.taken {
			from, to := w.open(t, serial, piv.PIN, n.Current.PIN), w.open(t, serial, piv.PIN, n.Next.PIN)
			if err := w.cards.ChangePIN(t.Context(), serial, from, to); err != nil {
				t.Fatal(err)
			}
		}
		w.spend(t, serial, piv.PIN, c.left)
		o, asked := w.answers(serial, false)
		r, err := flow.ChangePIN(t.Context(), o, secret.String{})
		must(t, r, err)
		if len(asked) != 0 {
			t.Errorf("%+v: asked %v", c, asked)
		}
		w.checkSecrets(t, serial)
	}
}

// testResetHalfDone: the server was told of a reset that the card never saw.
// Its other secrets tell that the PIN is the former one too.
func testResetHalfDone(t *testing.T, w *world) {
	_, serial := w.enrolled(t)
	if err := w.admin.Reset(t.Context(), serial, "test"); err != nil {
		t.Fatal(err)
	}
	o, asked := w.answers(serial, true)
	r, err := flow.Enroll(t.Context(), o)
	must(t, r, err)
	if asked[flow.AskAnotherTry] != 0 {
		t.Errorf("asked %v", asked)
	}
	if left := w.pinTries(t, serial); left != 3 {
		t.Errorf("%d tries are left", left)
	}
	w.checkSecrets(t, serial)
}

// testOvertakenUnasked: who is overtaken is not asked to spend a try on values
// that are no longer those of the vault.
func testOvertakenUnasked(t *testing.T, w *world) {
	_, serial := w.enrolled(t)
	if err := w.changePIN(t, serial); err != nil { // leaves a former PIN as a second candidate
		t.Fatal(err)
	}
	o, asked := w.answers(serial, false)
	o.Backend = &overtaken{o.Backend, func() {
		if err := w.changePIN(t, serial); err != nil {
			t.Error(err)
		}
	}}
	_, err := flow.ChangePIN(t.Context(), o, secret.String{})
	want(t, err, flow.Changed)
	if len(asked) != 0 {
		t.Errorf("asked %v", asked)
	}
}

func testForeignPIN(t *testing.T, w *world) {
	_, serial := w.enrolled(t)
	pin := w.release(t, serial).current[piv.PIN]
	if err := w.cards.ChangePIN(t.Context(), serial, pin, secret.New("86420135")); err != nil {
		t.Fatal(err)
	}
	for range 4 { // however often somebody tries, the PIN is not blocked
		if err := w.changePIN(t, serial); err == nil {
			t.Fatal("a PIN that nobody knows was changed")
		}
	}
	c, err := w.cards.Inspect(t.Context(), serial)
	if err != nil || c.PIN.Left < 1 {
		t.Fatalf("%d tries are left: %v", c.PIN.Left, err)
	}
	w.unblock(t, serial)
}

func testOneTryLeft(t *testing.T, w *world) {
	_, serial := w.enrolled(t)
	w.spend(t, serial, piv.PIN, 1)
	want(t, w.changePIN(t, serial), flow.RetriesLow)
	w.unblock(t, serial)
}

func testNoTryLeft(t *testing.T, w *world) {
	_, serial := w.enrolled(t)
	w.spend(t, serial, piv.PIN, 0)
	want(t, w.changePIN(t, serial), flow.PINBlocked)
	w.unblock(t, serial)
	if err := w.changePIN(t, serial); err != nil {
		t.Fatal(err)
	}
}

func testPUKBlocked(t *testing.T, w *world) {
	_, serial := w.enrolled(t)
	w.spend(t, serial, piv.PUK, 1)
	_, err := flow.Unblock(t.Context(), w.at(0, serial), secret.String{})
	want(t, err, flow.RetriesLow)
	w.spend(t, serial, piv.PUK, 0)
	_, err = flow.Unblock(t.Context(), w.at(0, serial), secret.String{})
	want(t, err, flow.PUKBlocked)
	if err := w.changePIN(t, serial); err != nil {
		t.Fatal("the PIN does not depend on the PUK:", err)
	}
}

// testSetUpKeepsPIN: a set-up does not replace a PIN that somebody may know,
// unless there are too few tries to type it.
func testSetUpKeepsPIN(t *testing.T, w *world) {
	serial := w.strange(t, 1)
	for range 3 {
		o, _ := w.answers(serial, false)
		if _, err := flow.Enroll(t.Context(), o); err == nil {
			t.Fatal("the token was set up with a PIN that nobody gave")
		}
		if left := w.pinTries(t, serial); left != 2 {
			t.Fatalf("%d tries are left, want 2", left)
		}
		if err := w.try(t.Context(), serial, piv.PIN, secret.New(foreignPIN)); err != nil {
			t.Fatal("the PIN was replaced:", err)
		}
		w.spend(t, serial, piv.PIN, 2)
	}
	w.spend(t, serial, piv.PIN, 1)
	o, _ := w.answers(serial, false)
	r, err := flow.Enroll(t.Context(), o)
	must(t, r, err)
	w.checkSecrets(t, serial)
}

// testDoubtedAndBlocked: what was doubted before is called blocked when it is.
func testDoubtedAndBlocked(t *testing.T, w *world) {
	serial := w.strange(t, 1)
	o, _ := w.answers(serial, false)
	if _, err := flow.ChangePIN(t.Context(), o, secret.String{}); err == nil {
		t.Fatal("a PIN that nobody knows was changed")
	}
	w.spend(t, serial, piv.PIN, 0)
	_, err := flow.ChangePIN(t.Context(), o, secret.String{})
	want(t, err, flow.PINBlocked)
	w.unblock(t, serial)
}
