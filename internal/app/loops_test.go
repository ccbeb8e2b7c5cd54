package app

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

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

// TestLeadLostAtTheEnd: a server that stops, and loses the lead while it ends its
// own tasks, asks for it again: what these wrote is sealed.
func TestLeadLostAtTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		e, log, sealed := &election{}, slog.New(slog.DiscardHandler), 0
		l := loops{
			log: log, tasks: system.NewTasks(time.Now), leads: &system.Leadership{Election: e, Log: log},
			own: group{last: []loop{{"write", time.Minute, func(context.Context) error {
				synctest.Wait() // the leader has ended its tasks but the last, and waits
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

// TestLeadLost: of a leader's tasks one that lost the lead says that another
// server does them; that the last one failed here is forgotten.
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
		<-time.After(2 * time.Hour) // of the bubble's clock: it leads again
		synctest.Wait()
		look(false, system.Degraded)
		stop()
		<-done
	})
}
