package system

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// Election decides which of the processes that share a database leads.
type Election interface {
	// Lead waits until this process leads, as long as ctx lasts, and then calls
	// led. held ends as soon as the lead is lost, and with nothing else: what
	// another leader may do by then, this one must not go on with. The lead is
	// given up when led returns. The error says why it was lost, or could not
	// be asked for.
	Lead(ctx context.Context, led func(held context.Context)) error
}

// Leadership is one process's part in an election: what is done once among
// all replicas, the leader does.
type Leadership struct {
	Election Election
	Log      *slog.Logger
	// Pause is how long after a lost lead, or a failure, it runs again. Default
	// 1 s.
	Pause time.Duration

	leads atomic.Bool
}

// Leads tells whether this process leads at the moment.
func (l *Leadership) Leads() bool { return l.leads.Load() }

// Run calls led whenever this process has become the leader, until ctx ends.
// led returns when held or ctx has ended.
func (l *Leadership) Run(ctx context.Context, led func(held context.Context)) {
	pause := l.Pause
	if pause == 0 {
		pause = time.Second
	}
	for ctx.Err() == nil {
		trouble := "this replica cannot ask for the lead at the moment"
		err := l.Election.Lead(ctx, func(held context.Context) {
			trouble = "this replica has lost the lead"
			l.leads.Store(true)
			defer l.leads.Store(false)
			l.Log.InfoContext(ctx, "this replica leads: the background work is its own")
			led(held)
		})
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			l.Log.WarnContext(ctx, trouble, "error", err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}
