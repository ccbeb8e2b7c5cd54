package system

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"
)

// Election decides which of the processes that share a database leads.
type Election interface {
	// Lead waits until this process leads, as long as ctx lasts, and then calls
	// led. held ends as soon as the lead is lost, and only then: this process
	// must stop what another leader may do from then on. The lead is released
	// when led returns. The error says why it was lost, or could not be
	// requested.
	//
	// unable returns for how long this process has been unable to do a leader's
	// work, 0 when it is able. Able processes are preferred; an unable leader
	// gives up the lead after a while (ErrUnable) if an able one waits for it.
	Lead(ctx context.Context, unable func() time.Duration, led func(held context.Context)) error
}

// ErrUnable ends the lead of a process that has long been unable to do the work
// while another is able.
var ErrUnable = errors.New("the vault has been away from this server for a while, and another server has it")

// Leadership is one process's part in an election. The leader does the work
// that must be done only once among all replicas.
type Leadership struct {
	Election Election
	Log      *slog.Logger
	// Unable returns for how long this process has been unable to do the work.
	// nil: it always is able.
	Unable func() time.Duration
	// Pause is the delay after a lost lead, or a failure. Default 1 s.
	Pause time.Duration

	leads atomic.Bool
}

// Leads reports whether this process leads at the moment.
func (l *Leadership) Leads() bool { return l.leads.Load() }

// Run calls led each time this process becomes the leader, until ctx ends. led
// must return when held or ctx has ended.
func (l *Leadership) Run(ctx context.Context, led func(held context.Context)) {
	pause := l.Pause
	if pause == 0 {
		pause = time.Second
	}
	for ctx.Err() == nil {
		trouble := "this replica cannot ask for the lead at the moment"
		err := l.Lead(ctx, func(held context.Context) {
			trouble = "this replica has lost the lead"
			l.Log.InfoContext(ctx, "this replica leads and does the background work")
			led(held)
		})
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, ErrUnable) {
			trouble = "this replica gives the lead up"
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

// Lead calls led once, when this process becomes the leader.
func (l *Leadership) Lead(ctx context.Context, led func(held context.Context)) error {
	unable := l.Unable
	if unable == nil {
		unable = func() time.Duration { return 0 }
	}
	return l.Election.Lead(ctx, unable, func(held context.Context) {
		l.leads.Store(true)
		defer l.leads.Store(false)
		led(held)
	})
}
