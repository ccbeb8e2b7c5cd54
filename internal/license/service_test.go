package license_test

import (
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// vaults make an empty vault of each engine.
var vaults = map[string]func(t testing.TB) vault.KV{
	"embedded": func(t testing.TB) vault.KV { return engine.Vault(t, t.TempDir(), nil) },
	"remote": func(t testing.TB) vault.KV {
		e := must.Get(remote.Open(t.Context(), vaultserver.Shared(t).Prepared(t)))(t)
		t.Cleanup(func() { must.OK(t, e.Close()) })
		return e
	},
}

// world is a service with a clock of its own.
type world struct {
	*license.Service
	t   *testing.T
	us  vendor
	now time.Time
	up  time.Duration // what passed by the monotonic clock
}

func newWorld(t *testing.T, kv license.Documents) *world {
	w := &world{t: t, us: newVendor(0), now: start}
	w.Service = &license.Service{Vault: kv, Keys: w.us.Keys(t), Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return w.now }}
	w.Present.Uptime = func() time.Duration { return w.up }
	return w
}

// is compares the status.
func (w *world) is(want license.Status, days int) license.Evaluation {
	w.t.Helper()
	s := must.Get(w.Status(w.t.Context()))(w.t)
	if s.Status != want || s.DaysRemaining != days {
		w.t.Errorf("%s with %d days, want %s with %d", s.Status, s.DaysRemaining, want, days)
	}
	return s
}

// upload issues a license for this installation and uploads it; reason is empty if
// that succeeds.
func (w *world) upload(from, to time.Time, replace bool, reason string) {
	w.t.Helper()
	id := must.Get(w.InstallationID(w.t.Context()))(w.t)
	s, err := w.Upload(w.t.Context(), w.us.issue(w.t, id, from, to).Text(), replace)
	rejected, _ := errors.AsType[*license.Rejected](err)
	switch {
	case reason == "" && (err != nil || s.License == nil || !s.License.ExpiryDate.Equal(to) || s.InstallationID != id):
		w.t.Errorf("%+v, %v", s, err)
	case reason != "" && (rejected == nil || rejected.Reason != reason):
		w.t.Errorf("%v, want %s", err, reason)
	}
}

func newWorldAt(t *testing.T, kv license.Documents, now time.Time) *world {
	w := newWorld(t, kv)
	w.now = now
	return w
}

// TestTwoProcesses: many that start at once on one vault get one installation ID and one trial.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	for name, open := range vaults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kv := open(t)
			var group sync.WaitGroup
			stands := make([]license.Evaluation, 8)
			errs := make([]error, len(stands))
			for i := range stands {
				w := newWorldAt(t, kv, start.Add(time.Duration(i)*time.Second))
				group.Go(func() { stands[i], errs[i] = w.Status(t.Context()) })
			}
			group.Wait()
			for i, s := range stands {
				if errs[i] != nil || s.InstallationID != stands[0].InstallationID || !s.TrialStartedAt.Equal(stands[0].TrialStartedAt) {
					t.Errorf("%+v (%v), another %+v", s, errs[i], stands[0])
				}
			}
			if n := len(must.Get(newWorld(t, kv).History(t.Context()))(t)); n != 1 {
				t.Errorf("the history has %d entries", n)
			}
		})
	}
}

// TestUploadsAtOnce: each is in the history, and the one issued last stays.
func TestUploadsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Vault(t, t.TempDir(), nil))
	id := must.Get(w.InstallationID(t.Context()))(t)
	var group sync.WaitGroup
	for i := range 6 {
		text := w.us.issue(t, id, start.Add(time.Duration(i)*time.Second), start.Add(100*day)).Text()
		group.Go(func() {
			if _, err := w.Upload(t.Context(), text, false); err != nil {
				if rejected, ok := errors.AsType[*license.Rejected](err); !ok || rejected.Reason != license.ReasonOlder {
					t.Errorf("%v", err)
				}
			}
		})
	}
	group.Wait()
	if s := w.is(license.Valid, 99); !s.License.IssueDate.Equal(start.Add(5 * time.Second)) {
		t.Errorf("the license of %s stayed", s.License.IssueDate)
	}
	if n := len(must.Get(w.History(t.Context()))(t)); n != 7 {
		t.Errorf("the history has %d entries", n)
	}
}

// TestHistoryIsBounded: refused uploads are dropped first.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	kv := engine.Vault(t, t.TempDir(), nil)
	w := newWorld(t, kv)
	w.is(license.Trial, 30)
	v := must.Get(kv.Get(t.Context(), "license/record"))(t)
	refused := strings.Repeat(`{"at":"2026-03-01T12:00:00Z","operation":"upload","outcome":"rejected","message":"once"},`, license.MaxHistory-1)
	full := strings.Replace(string(v.Data), `"history":[`, `"history":[`+refused, 1)
	must.Get(kv.Put(t.Context(), "license/record", vault.Data(full), v.Number))(t)
	if _, err := w.Upload(t.Context(), nil, true); err == nil {
		t.Error("nothing at all was taken for a license")
	}
	w.upload(start, start.Add(day), true, "")
	history := must.Get(w.History(t.Context()))(t)
	last := history[len(history)-1]
	if len(history) != license.MaxHistory || history[0].Outcome != license.OutcomeSuccess || last.Operation != license.OperationTrial {
		t.Errorf("%d entries, from %+v to %+v", len(history), history[0], last)
	}
}

// TestAlteredRecord: writing into the vault directly yields no license, and an
// unreadable record is an error.
func TestAlteredRecord(t *testing.T) {
	t.Parallel()
	kv := engine.Vault(t, t.TempDir(), nil)
	w := newWorld(t, kv)
	w.upload(start, start.Add(100*day), false, "")
	alter := func(path string, change func(string) string) {
		v := must.Get(kv.Get(t.Context(), path))(t)
		must.Get(kv.Put(t.Context(), path, vault.Data(change(string(v.Data))), v.Number))(t)
	}
	alter("license/record", func(is string) string { return strings.Replace(is, "enterprise", "everything", 1) })
	w.is(license.Invalid, 0)
	alter("license/record", func(is string) string { return strings.Replace(is, `\"license\"`, `\"x\"`, 1) })
	w.is(license.Invalid, 0)
	alter("license/record", func(string) string { return `{"trial_started_at":1}` })
	if _, err := w.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "license/record") {
		t.Errorf("%v", err)
	}
	alter("license/installation", func(string) string { return `{}` })
	if _, err := w.InstallationID(t.Context()); err == nil || !strings.Contains(err.Error(), "license/installation") {
		t.Errorf("%v", err)
	}
}

// TestNotOurs: a license becomes INVALID if the installation ID changes.
func TestNotOurs(t *testing.T) {
	t.Parallel()
	kv := engine.Vault(t, t.TempDir(), nil)
	w := newWorld(t, kv)
	w.upload(start, start.Add(100*day), false, "")
	v := must.Get(kv.Get(t.Context(), "license/installation"))(t)
	must.Get(kv.Put(t.Context(), "license/installation", vault.Data(`{"id":"`+theirs+`"}`), v.Number))(t)
	w.is(license.Invalid, 0)
}
