package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/system"
)

// election makes its only candidate the leader, until lose is called.
type election struct{ lose context.CancelFunc }

func (e *election) Lead(ctx context.Context, _ func() time.Duration, led func(context.Context)) error {
	held, lose := context.WithCancel(context.WithoutCancel(ctx))
	defer lose()
	e.lose = lose
	led(held)
	return held.Err()
}

// TestLeadLostAtTheEnd: a server that stops and loses the lead while its own tasks end
// campaigns again, so that what these wrote is sealed.
func TestLeadLostAtTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		e, log, sealed := &election{}, slog.New(slog.DiscardHandler), 0
		l := loops{
			log: log, tasks: system.NewTasks(time.Now), leads: &system.Leadership{Election: e, Log: log},
			own: group{last: []loop{{"write", time.Minute, func(context.Context) error {
				synctest.Wait() // the leader has ended all but its last tasks, and waits
				e.lose()
				return nil
			}}}},
			lead: group{
				list: []loop{{"lead", time.Minute, func(context.Context) error { stop(); return nil }}},
				last: []loop{{"seal", time.Minute, func(ctx context.Context) error {
					if ctx.Err() == nil {
						sealed++
					}
					return ctx.Err()
				}}},
			},
		}
		l.run(ctx)
		if sealed != 1 {
			t.Errorf("sealed %d times", sealed)
		}
	})
}

// TestLeadLost: after losing the lead, the leader's tasks are reported as another
// server's; that the last one failed here is forgotten.
func TestLeadLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		e, log, ended := &election{}, slog.New(slog.DiscardHandler), 0
		l := loops{
			log: log, tasks: system.NewTasks(time.Now),
			leads: &system.Leadership{Election: e, Log: log, Pause: time.Hour},
			lead:  group{list: []loop{{"seal", time.Minute, func(context.Context) error { return errors.New("sealed") }}}},
			end:   []func(){func() { ended++ }},
		}
		done := make(chan struct{})
		go func() { defer close(done); l.run(ctx) }()
		synctest.Wait()
		look := func(elsewhere bool, want system.Status) {
			t.Helper()
			task := l.tasks.Report()[0]
			if health := l.tasks.Component().Check(ctx); task.Elsewhere != elsewhere || health.Status != want {
				t.Errorf("%+v, health %+v", task, health)
			}
		}
		look(false, system.Degraded)
		e.lose()
		synctest.Wait()
		look(true, system.OK)
		if ended != 1 {
			t.Errorf("the end was told %d times", ended)
		}
		<-time.After(2 * time.Hour) // on the bubble's clock: it leads again
		synctest.Wait()
		look(false, system.Degraded)
		stop()
		<-done
	})
}

// TestOutage: a task that keeps failing is tried ever less often, and logged once,
// until it fails in another way, or has worked, or much later.
func TestOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var mu sync.Mutex
		var out bytes.Buffer
		runs, err := 0, error(nil)
		follow := func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			runs++
			return err
		}
		l := loops{
			log: slog.New(slog.NewTextHandler(&out, nil)), tasks: system.NewTasks(time.Now),
			own: group{steady: []loop{{"follow", time.Second, follow}}},
		}
		done := make(chan struct{})
		go func() { defer close(done); l.repeatAll(ctx, l.own.track(l.tasks)) }()
		passes := func(d time.Duration, atLeast, atMost, failed, again int) {
			t.Helper()
			mu.Lock()
			before := runs
			out.Reset()
			mu.Unlock()
			<-time.After(d) // on the bubble's clock
			synctest.Wait()
			if n := runs - before; n < atLeast || n > atMost {
				t.Errorf("tried %d times in %s", n, d)
			}
			if f, a := strings.Count(out.String(), "failed"), strings.Count(out.String(), "works again"); f != failed || a != again {
				t.Errorf("said %d and %d times: %s", f, a, &out)
			}
		}
		fails := func(with error) {
			mu.Lock()
			defer mu.Unlock()
			err = with
		}
		passes(10*time.Second, 9, 11, 0, 0)
		fails(fault.New(fault.VaultUnavailable, "silent", "Away.").With(errors.New("port 1")))
		passes(time.Minute, 12, 16, 1, 0)
		fails(fault.New(fault.VaultUnavailable, "silent", "Away.").With(errors.New("port 2")))
		passes(time.Minute, 11, 13, 0, 0)
		fails(fault.New(fault.VaultUnavailable, "sealed", "Sealed."))
		passes(time.Minute, 11, 13, 1, 0)
		passes(time.Hour, 700, 730, 6, 0)
		fails(nil)
		passes(time.Minute, 55, 61, 0, 1)
		fails(errors.New("another"))
		passes(7500*time.Millisecond, 3, 4, 1, 0)
		stop()
		<-done
	})
}
