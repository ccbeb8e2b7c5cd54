package license_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// TestClockNoted: the latest time seen is written at most hourly, and survives the
// process; a clock set back lengthens nothing then.
func TestClockNoted(t *testing.T) {
	t.Parallel()
	counted := &counting{KV: engine.Vault(t, t.TempDir(), nil)}
	w := newWorld(t, counted)
	w.is(license.Trial, 30)
	before := counted.puts
	for range 59 {
		w.now = w.now.Add(time.Minute)
		w.is(license.Trial, 29)
	}
	if counted.puts != before {
		t.Errorf("%d writes within an hour", counted.puts-before)
	}
	w.now = w.now.Add(time.Minute)
	w.is(license.Trial, 29)
	w.is(license.Trial, 29)
	if counted.puts != before+1 {
		t.Errorf("%d writes after an hour", counted.puts-before)
	}
	w.now = start.Add(40 * day)
	w.is(license.Expired, 0)
	if s := newWorld(t, counted).is(license.Expired, 0); !s.ClockBehind || !s.At.Equal(w.now) {
		t.Errorf("%+v", s)
	}
	// A note that cannot be written does not change the answer.
	counted.fail = true
	w.now = start.Add(50 * day)
	w.is(license.Expired, 0)
}

// TestTimeGoesOn: while the clock is behind, days pass all the same; restarting the program
// gains only what was not noted, and the downtime.
func TestTimeGoesOn(t *testing.T) {
	t.Parallel()
	kv := engine.Vault(t, t.TempDir(), nil)
	w := newWorld(t, kv)
	w.upload(start, start.Add(100*day), false, "")
	w.now = start.Add(-365 * day)
	w.is(license.Valid, 100)
	w.up += 92 * day
	if s := w.is(license.Valid, 8); !s.ClockBehind || !s.At.Equal(start.Add(92*day)) {
		t.Errorf("%+v", s)
	}
	w.up += time.Hour - 1 // not noted yet
	w.is(license.Valid, 7)
	w = newWorldAt(t, kv, w.now)
	if s := w.is(license.Valid, 8); !s.At.Equal(start.Add(92 * day)) {
		t.Errorf("begun anew: %+v", s)
	}
	w.up += 8 * day
	w.is(license.Expired, 0)
	w.upload(w.now, start.Add(100*day), true, license.ReasonExpired)
	w.upload(start.Add(time.Hour), start.Add(200*day), false, "") // from which the time is known
	w.is(license.Valid, 199)
}

// TestTrialOfAWrongClock: a trial that began under a clock far ahead ends once the clock is
// right again, and a license corrects its start.
func TestTrialOfAWrongClock(t *testing.T) {
	t.Parallel()
	kv := engine.Vault(t, t.TempDir(), nil)
	w := newWorldAt(t, kv, start.Add(50*365*day))
	w.is(license.Trial, 30)
	w.now = start
	w.is(license.Trial, 30)
	w.up += 30*day - 1
	w.is(license.Trial, 0)
	w.up++
	w.is(license.Expired, 0)
	w.upload(start.Add(-time.Hour), start.Add(day), false, "")
	if s := must.Get(w.Remove(t.Context()))(t); s.Status != license.Trial || !s.TrialStartedAt.Equal(start) || s.ClockBehind {
		t.Errorf("%+v", s)
	}
	w.now = start.Add(30 * day)
	w.is(license.Missing, 0)
}

// counting counts writes, and fails them on demand.
type counting struct {
	vault.KV
	puts int
	fail bool
}

func (c *counting) Put(ctx context.Context, path string, data vault.Data, cas int) (int, error) {
	if c.fail {
		return 0, fmt.Errorf("the disk is full: %w", vault.ErrUnavailable)
	}
	c.puts++
	return c.KV.Put(ctx, path, data, cas)
}
