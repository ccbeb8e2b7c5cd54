package hwkey_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
)

// release requests a token's secrets.
func (w *world) release(t *testing.T, a access.Actor, serial string) error {
	t.Helper()
	out, err := w.keys.Secrets(t.Context(), a, scope(t, a), serial, hwkey.ReleaseRequest{Reason: "forgotten PIN"})
	if (err == nil) != (out.PIN != "") {
		t.Errorf("%s: released %q with error %v", serial, out.PIN, err)
	}
	return err
}

// rotate starts a change of secrets.
func (w *world) rotate(t *testing.T, a access.Actor, serial string) error {
	t.Helper()
	out, err := w.keys.StartRotation(t.Context(), a, scope(t, a), serial,
		hwkey.RotationRequest{Fields: []piv.Field{piv.PIN}, Reason: "forgotten PIN"})
	if (err == nil) != (out.Next.PIN != "") {
		t.Errorf("%s: released %q with error %v", serial, out.Next.PIN, err)
	}
	return err
}

// TestReleaseLimitAtOnce: a help desk requests 30 tokens at once, to read and to
// change them, and gets 20.
func TestReleaseLimitAtOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	const tokens, limit = 30, 20
	for i := range tokens {
		w.register(t, serialOf(i), &w.alex)
	}
	var got, refused atomic.Int32
	var group sync.WaitGroup
	for i := range tokens {
		group.Go(func() {
			ask := w.release
			if i%2 == 1 {
				ask = w.rotate
			}
			switch err := ask(t, w.desk, serialOf(i)); {
			case err == nil:
				got.Add(1)
			case fault.Is(err, fault.RateLimited):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got.Load() != limit || refused.Load() != tokens-limit {
		t.Errorf("%d released and %d refused of %d, want %d released", got.Load(), refused.Load(), tokens, limit)
	}
	reads := w.logged(t, audit.SecretsReleased, audit.Success)
	starts := w.logged(t, audit.RotationStarted, audit.Success)
	if denied := w.logged(t, audit.SecretsReleased, audit.Denied); reads+starts != limit || denied != tokens-limit {
		t.Errorf("audited: %d read, %d changed, %d denied", reads, starts, denied)
	}
	open, err := w.db.DevicesWithPendingRotation(t.Context(), page.Request{Limit: 100})
	must(t, err)
	if len(open) != starts {
		t.Errorf("%d rotations are open, %d were answered: the vault was changed for a refused one", len(open), starts)
	}
	for name, who := range map[string]access.Actor{"admin": w.admin, "manager": w.manager, "desk": w.desk} {
		list, err := w.db.ListNotices(t.Context(), who.UserID, notify.Filter{}, page.Request{Limit: 50})
		must(t, err)
		list.Items = slices.DeleteFunc(list.Items, func(n notify.Notice) bool { return n.Kind == notify.AgentPaired })
		if name == "desk" { // the actor
			if len(list.Items) != 0 {
				t.Errorf("%s was told %v", name, list.Items)
			}
			continue
		}
		if len(list.Items) != 1 || list.Items[0].Kind != notify.ReleaseLimit {
			t.Errorf("%s was told %v, want once of the limit", name, list.Items)
		}
	}
}

// TestReleaseLimit: what counts, what does not, and when places become free.
func TestReleaseLimit(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.keys.ReleaseLimit = 3
	for i := range 6 {
		w.register(t, serialOf(i), &w.alex)
	}
	w.register(t, "desk-own", &w.desk)
	for i := range 3 {
		must(t, w.release(t, w.desk, serialOf(i)))
		w.turn(10 * time.Minute)
	}
	err := w.release(t, w.desk, serialOf(3))
	code(t, "the fourth", err, fault.RateLimited)
	if f, ok := fault.As(err); !ok || f.RetryAfter < 29*time.Minute || f.RetryAfter > 30*time.Minute {
		t.Errorf("wait %v, want half an hour", f.RetryAfter)
	}
	code(t, "another way", w.rotate(t, w.desk, serialOf(3)), fault.RateLimited)
	must(t, w.release(t, w.desk, serialOf(1))) // again
	must(t, w.rotate(t, w.desk, serialOf(2)))
	must(t, w.release(t, w.manager, serialOf(3))) // someone else
	for range 5 {
		must(t, w.release(t, w.desk, "desk-own"))
		for i := range 6 {
			must(t, w.release(t, w.alex, serialOf(i))) // the owner
		}
	}
	for what, err := range map[string]error{ // what is refused anyway uses no place
		"no such token": w.release(t, w.manager, "nothing-1"), "another organization's": w.release(t, w.other, serialOf(0)),
	} {
		code(t, what, err, fault.NotFound)
	}
	w.turn(31 * time.Minute) // the first one's hour is over
	must(t, w.release(t, w.desk, serialOf(3)))
	code(t, "the next", w.release(t, w.desk, serialOf(4)), fault.RateLimited)
	w.turn(time.Hour)
	for i := range 3 {
		must(t, w.release(t, w.desk, serialOf(3+i)))
	}
}

// TestReleaseRefusedForAnotherReason: a missing reason or agent uses no place.
func TestReleaseRefusedForAnotherReason(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.keys.ReleaseLimit = 1
	w.register(t, "key-1", &w.alex)
	w.register(t, "key-2", &w.alex)
	_, err := w.keys.Secrets(t.Context(), w.desk, scope(t, w.desk), "key-1", hwkey.ReleaseRequest{})
	code(t, "no reason", err, fault.InvalidRequest)
	noAgent := w.desk
	noAgent.SessionID = w.alex.SessionID + 1000
	_, err = w.keys.Secrets(t.Context(), noAgent, scope(t, w.desk), "key-1", hwkey.ReleaseRequest{Reason: "x"})
	if err == nil {
		t.Error("released without an agent")
	}
	_, err = w.keys.StartRotation(t.Context(), w.desk, scope(t, w.desk), "key-1", hwkey.RotationRequest{Reason: "x"})
	code(t, "no fields", err, fault.InvalidRequest)
	must(t, w.release(t, w.desk, "key-2"))
	code(t, "the second", w.release(t, w.desk, "key-1"), fault.RateLimited)
}
