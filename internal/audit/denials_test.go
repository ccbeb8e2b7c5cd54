package audit

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/keyward/keyward/internal/access"
)

// written is a store that accepts entries, or fails.
type written struct {
	Store
	lines []string
	err   error
}

func (w *written) AppendAudit(_ context.Context, entries ...Entry) error {
	if w.err != nil {
		return w.err
	}
	for _, e := range entries {
		w.lines = append(w.lines, fmt.Sprintf("%s %s %s %s: %s", e.Actor, e.Outcome, e.TargetType, e.TargetID, e.Details))
	}
	return nil
}

// TestDenialsAreCounted: twenty refusals per minute and actor are listed, and one
// entry counts the rest, however they end.
func TestDenialsAreCounted(t *testing.T) {
	t.Parallel()
	store := &written{}
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	d := &Denials{Store: store, Now: func() time.Time { return now }}
	alice, key := access.Actor{UserID: 1, Username: "alice"}, access.Actor{APIKeyID: 1, Username: "api-key:ci"}
	note := func(a access.Actor, times int) {
		t.Helper()
		for i := range times {
			if err := d.Note(t.Context(), a, "hwkey", fmt.Sprint(i), "get-secrets"); err != nil {
				t.Fatal(err)
			}
		}
	}
	expect := func(what string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, store.lines, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got): %s", what, diff)
		}
		store.lines = nil
	}
	listed := func(name, more string) (lines []string) {
		for i := range 20 {
			lines = append(lines, fmt.Sprintf("%s denied hwkey %d: get-secrets%s", name, i, more))
		}
		return lines
	}
	flush := func() error { return d.Flush(t.Context()) }
	note(alice, 57)
	expect("57 at once", listed("alice", "")...)
	note(key, 20)
	expect("another's", listed("api-key:ci", "; by API key 1")...)
	now = now.Add(59 * time.Second)
	if err := flush(); err != nil {
		t.Error(err)
	}
	expect("before the minute is over")
	now = now.Add(time.Second)
	store.err = errors.New("locked")
	if err := flush(); err == nil {
		t.Error("a failed write is passed over")
	}
	store.err = nil
	if err := errors.Join(flush(), flush()); err != nil {
		t.Error(err)
	}
	expect("after it, once", "alice denied  : 37 more refusals within 1m0s are not listed")
	note(alice, 22)
	expect("the next minute", listed("alice", "")...)
	now = now.Add(time.Minute)
	note(alice, 1)
	expect("the one after", "alice denied  : 2 more refusals within 1m0s are not listed", "alice denied hwkey 0: get-secrets")
	note(alice, 22)
	now = now.Add(time.Minute)
	store.err, store.lines = errors.New("locked"), nil
	if err := d.Note(t.Context(), alice, "hwkey", "lost", ""); err == nil {
		t.Error("a failed write is passed over")
	}
	store.err = nil
	now = now.Add(time.Minute)
	note(alice, 1)
	expect("a count that could not be written",
		"alice denied  : 3 more refusals within 1m0s are not listed", "alice denied hwkey 0: get-secrets")
	note(alice, 20)
	store.lines = nil
	if err := d.Close(t.Context()); err != nil {
		t.Error(err)
	}
	expect("at the end", "alice denied  : 1 more refusals within 1m0s are not listed")
}
