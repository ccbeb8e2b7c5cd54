package licensepolicy_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/test/must"
)

// TestLife goes through all statuses and what each restricts.
func TestLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	grows := func(reason string) {
		t.Helper()
		err := w.Grows(t.Context())
		f, _ := fault.As(err)
		if reason == "" && err != nil || reason != "" && (f == nil || f.Code != fault.LicenseRestricted || f.Reason != reason) {
			t.Errorf("%v, want %q", err, reason)
		}
	}
	grows("") // before the first look
	if st := w.is(license.Trial, 30); !st.EndsAt.Equal(start.Add(30 * day)) {
		t.Errorf("ends %s", st.EndsAt)
	}
	grows("")
	w.now = start.Add(30 * day)
	w.is(license.Expired, 0)
	grows("trial_over")
	must.OK(t, w.upload(w.now, w.now.Add(100*day)))
	grows("") // at once
	w.is(license.Valid, 100)
	w.now = w.now.Add(93 * day)
	w.is(license.Expiring, 7)
	grows("")
	w.now = w.now.Add(7 * day)
	w.is(license.Expired, 0)
	grows("license_expired")
	w.line.Keys = nil // the program was rebuilt without the vendor's key
	w.is(license.Invalid, 0)
	grows("license_invalid")
	must.Get(w.Remove(t.Context(), w.actor()))(t)
	grows("license_missing")
	w.is(license.Missing, 0)
	_, err := w.Remove(t.Context(), w.actor())
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("removed twice: %v", err)
	}
}

// TestUnreached: a service without an answer, or with nonsense, results in a TRIAL, with
// one log line when that begins and one when it ends.
func TestUnreached(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.is(license.Trial, 30)
	w.now = start.Add(40 * day)
	id := w.is(license.Expired, 0).InstallationID
	for name, cut := range map[string]func(*line){
		"down":            func(l *line) { l.down = errDown },
		"unknown status":  func(l *line) { l.strange = "FINE" },
		"valid, but none": func(l *line) { l.strange = license.Valid },
	} {
		before := len(lines(w))
		cut(w.line)
		for range 3 {
			st := w.is(license.Trial, 0)
			if st.Reached || st.InstallationID != id || w.Grows(t.Context()) != nil {
				t.Errorf("%s: %+v", name, st)
			}
		}
		w.line.down, w.line.strange = nil, ""
		if st := w.is(license.Expired, 0); !st.Reached {
			t.Errorf("%s: it is there again", name)
		}
		said := lines(w)[before:]
		if len(said) != 2 || !strings.Contains(said[0], "level=WARN") || !strings.Contains(said[1], "level=INFO") {
			t.Errorf("%s: the log says %q", name, said)
		}
	}
}

func lines(w *world) []string {
	return strings.FieldsFunc(w.log.String(), func(r rune) bool { return r == '\n' })
}

// TestHangs: a service that never answers is given up on, and requests do not wait for it.
func TestHangs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.is(license.Trial, 30)
	w.now = start.Add(40 * day)
	w.is(license.Expired, 0)
	w.line.hangs = make(chan struct{}, 1)
	looked := make(chan error)
	go func() { looked <- w.Poll(context.WithoutCancel(t.Context())) }()
	<-w.line.hangs // it asks
	if err := w.Grows(t.Context()); !fault.Is(err, fault.LicenseRestricted) {
		t.Errorf("while it is asked: %v", err)
	}
	must.OK(t, <-looked)
	if st := w.Latest(); st.Status != license.Trial || st.Reached {
		t.Errorf("%+v", st)
	}
}

// TestStopped: a server that is shutting down does not take that for an outage.
func TestStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.is(license.Trial, 30)
	w.line.hangs = make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Poll(ctx); err == nil || !w.Latest().Reached || len(lines(w)) > 0 {
		t.Errorf("%v, %+v, %q", err, w.Latest(), lines(w))
	}
}

// TestDatabaseRemembers: a restored or new vault restarts no trial, and setting the
// clock back lengthens nothing.
func TestDatabaseRemembers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.is(license.Trial, 30)
	w.now = start.Add(20 * day)
	w.is(license.Trial, 10)

	w.line.Vault = newWorld(t).line.Vault // another, new vault
	w.is(license.Trial, 10)
	w.now = start.Add(5 * day)
	if st := w.is(license.Trial, 10); !st.ClockBehind {
		t.Errorf("%+v", st)
	}
	w.up += 3 * day // which pass although the clock is behind
	w.is(license.Trial, 7)
	w.Service = w.server() // restarted
	if st := w.is(license.Trial, 7); !st.ClockBehind {
		t.Errorf("%+v", st)
	}
	w.up += 8 * day
	w.is(license.Expired, 0)
	w.now = start.Add(31 * day)
	if st := w.is(license.Expired, 0); st.ClockBehind {
		t.Errorf("%+v", st)
	}
}

// TestEarlierTrialCounts: of database and vault, the earlier start counts.
func TestEarlierTrialCounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		database time.Duration // how long its trial has been running
		days     int
	}{"the database's": {12 * day, 18}, "the vault's": {0, 25}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			must.Get(w.line.Service.Status(t.Context()))(t)
			w.now = start.Add(5 * day)
			text := must.Get(json.Marshal(map[string]time.Time{"trial_started_at": w.now.Add(-c.database), "latest_seen_at": w.now}))(t)
			must.Get(w.db.KeepSetting(t.Context(), "license_facts", settings.Value{Text: string(text), UpdatedAt: w.now}))(t)
			w.is(license.Trial, c.days)
		})
	}
}
