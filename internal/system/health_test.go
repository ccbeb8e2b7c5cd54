package system

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

func finds(name string, s Status, vital bool) Component {
	return Component{Name: name, Vital: vital, Check: func(context.Context) Finding { return Finding{Status: s, Detail: ""} }}
}

func TestOverallStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		vital, other Status
		want         Status
	}{
		{OK, OK, OK},
		{OK, NotConfigured, OK},
		{OK, Degraded, Degraded},
		{OK, Failed, Degraded},
		{OK, TimedOut, Degraded},
		{Degraded, OK, Degraded},
		{Failed, OK, Unavailable},
		{TimedOut, OK, Unavailable},
		{Failed, Failed, Unavailable},
		{Degraded, Failed, Degraded},
	} {
		h := NewHealth(time.Now, finds("other", c.other, false), finds("vital", c.vital, true), finds("another", c.other, false))
		r := h.Report(t.Context())
		if r.Status != c.want || r.Components[1].Name != "vital" || r.Components[1].Status != c.vital || r.Components[2].Status != c.other {
			t.Errorf("vital %s, others %s: %+v, want %s", c.vital, c.other, r, c.want)
		}
	}
}

// TestHanging: a component that never answers, and ignores its context, is
// reported after two seconds, delays nobody, and costs one goroutine however
// often it is checked. When it answers again, the report says so.
func TestHanging(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var calls, others atomic.Int64
		h := NewHealth(time.Now,
			Component{Name: "stuck", Check: func(context.Context) Finding {
				calls.Add(1)
				<-release
				return Finding{Status: OK}
			}},
			Component{Name: "patient", Check: func(ctx context.Context) Finding {
				<-ctx.Done()
				return Finding{Status: Failed, Detail: "context deadline exceeded"}
			}},
			Component{Name: "quick", Vital: true, Check: func(context.Context) Finding {
				others.Add(1)
				return Finding{Status: OK}
			}},
		)
		for i := range int64(3) {
			start := time.Now()
			r := h.Report(t.Context())
			if took := time.Since(start); took != CheckTimeout {
				t.Errorf("it took %v", took)
			}
			if r.Status != Degraded || r.Components[0].Status != TimedOut || r.Components[1].Status != TimedOut || r.Components[2].Status != OK {
				t.Errorf("report %+v", r)
			}
			if ms := r.Components[0].LatencyMS; ms < float64(i)*2000 {
				t.Errorf("latency of the stuck one: %v ms", ms)
			}
			if others.Load() != i+1 {
				t.Errorf("the quick one was asked %d times", others.Load())
			}
			synctest.Wait()
		}
		if calls.Load() != 1 {
			t.Errorf("the stuck one was called %d times", calls.Load())
		}
		close(release)
		synctest.Wait()
		if r := h.Report(t.Context()); r.Components[0].Status != OK || calls.Load() != 2 {
			t.Errorf("after it answered: %+v, %d calls", r.Components[0], calls.Load())
		}
	})
}

func TestCheckThatPanics(t *testing.T) {
	t.Parallel()
	h := NewHealth(time.Now, Component{Name: "broken", Check: func(context.Context) Finding { panic("the secret of the panic") }})
	for range 2 {
		r := h.Report(t.Context()).Components[0]
		if r.Status != Failed || r.Detail == "" || strings.Contains(r.Detail, "secret") {
			t.Errorf("%+v", r)
		}
	}
}

func TestTasks(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	tasks := NewTasks(func() time.Time { return clock })
	work, idle := tasks.Track("work", time.Minute), tasks.Track("idle", time.Hour)
	component := tasks.Component()
	health := func(want Status) {
		t.Helper()
		if f := component.Check(t.Context()); f.Status != want {
			t.Errorf("health %+v, want %s", f, want)
		}
	}
	r := tasks.Report()
	if len(r) != 2 || r[0].Name != "work" || r[0].Interval != "1m0s" || r[0].LastStartedAt != nil ||
		r[0].LastFinishedAt != nil || r[0].LastOutcome != nil || r[0].Running {
		t.Errorf("before: %+v", r)
	}
	health(OK)

	err := work.Run(t.Context(), func(context.Context) error {
		r := tasks.Report()[0]
		if !r.Running || !r.LastStartedAt.Equal(clock) || r.LastFinishedAt != nil {
			t.Errorf("meanwhile: %+v", r)
		}
		clock = clock.Add(time.Second)
		return errors.New("dial tcp 10.0.0.1: the password was hunter2")
	})
	if err == nil {
		t.Error("the error is lost")
	}
	r = tasks.Report()
	if *r[0].LastOutcome != Failure || strings.Contains(*r[0].LastError, "hunter2") || !r[0].LastFinishedAt.Equal(clock) || r[0].Running {
		t.Errorf("after a failure: %+v, %s", r[0], *r[0].LastError)
	}
	health(Degraded)

	_ = work.Run(t.Context(), func(context.Context) error {
		return fault.New(fault.VaultUnavailable, "", "The vault is away.").With(errors.New("hunter2"))
	})
	if r := tasks.Report()[0]; *r.LastError != "The vault is away." {
		t.Errorf("a fault's own words: %s", *r.LastError)
	}
	_ = work.Run(t.Context(), func(context.Context) error { return nil })
	if r := tasks.Report()[0]; *r.LastOutcome != Success || r.LastError != nil || r.DurationMS == nil {
		t.Errorf("after a success: %+v", r)
	}
	health(OK)

	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	_ = work.Run(stopped, func(ctx context.Context) error { return ctx.Err() })
	if r := tasks.Report()[0]; *r.LastOutcome != Success {
		t.Errorf("the server's stop counts as a failure: %+v", r)
	}

	_ = idle.Run(t.Context(), func(context.Context) error { return nil })
	clock = clock.Add(5 * time.Minute)
	health(Degraded) // overdue
}

func TestContinuousTask(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	tasks := NewTasks(func() time.Time { return clock })
	task, component := tasks.TrackContinuous("send", time.Second), tasks.Component()
	health := func(want Status) {
		t.Helper()
		if f := component.Check(t.Context()); f.Status != want {
			t.Errorf("health %+v, want %s", f, want)
		}
	}
	_ = task.Run(t.Context(), func(context.Context) error {
		clock = clock.Add(time.Hour)
		health(OK) // long runs are expected of it
		if r := tasks.Report()[0]; !r.Running || !r.Continuous || r.LastFinishedAt != nil {
			t.Errorf("%+v", r)
		}
		return errors.New("lost")
	})
	health(Degraded)
	_ = task.Run(t.Context(), func(context.Context) error {
		health(Degraded) // it may fail again at once
		clock = clock.Add(2 * time.Minute)
		health(OK)
		return nil
	})
}
