package agent

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
)

// maxQueueWait is how long a request waits for its turn (contract, "Agent").
const maxQueueWait = 30 * time.Second

// queue lets one operation at a time have the tokens. Two token tools at
// once break each other's connection, reading ones too.
type queue struct {
	turn    chan struct{} // holds one item while free
	wait    time.Duration
	closing chan struct{} // closed when the agent ends
}

func newQueue(wait time.Duration) *queue {
	if wait <= 0 {
		wait = maxQueueWait
	}
	q := &queue{turn: make(chan struct{}, 1), wait: wait, closing: make(chan struct{})}
	q.turn <- struct{}{}
	return q
}

// run does work when its turn comes; busy when that takes too long. Work
// whose client has gone before it began is dropped. Work that began gets a
// context that the client's going does not end.
func (q *queue) run(ctx context.Context, work func(context.Context) error) error {
	timer := time.NewTimer(q.wait)
	defer timer.Stop()
	select {
	case <-q.turn:
	case <-ctx.Done():
		return errGone
	case <-q.closing:
		return errClosing
	case <-timer.C:
		return fault.New(fault.Busy, "other_request", "The token is busy with another request. Try again when that is done.")
	}
	defer func() { q.turn <- struct{}{} }()
	if ctx.Err() != nil {
		return errGone
	}
	select {
	case <-q.closing:
		return errClosing
	default:
	}
	return work(context.WithoutCancel(ctx))
}

var (
	errGone    = fault.New(fault.Busy, "client_gone", "The client disconnected before its turn. Nothing was done. Try again.")
	errClosing = fault.New(fault.Busy, "ending", "The agent is shutting down. Nothing was done. Start it again.")
)

// close drops everything that waits and waits for what runs.
func (q *queue) close() {
	close(q.closing)
	<-q.turn
}

// hold runs work on a token in its turn. Where the readers are known to be
// empty it says so at once, which the tool takes three seconds for.
func (s *server) hold(ctx context.Context, work func(context.Context) error) error {
	return s.queue.run(ctx, func(ctx context.Context) error {
		if readers, _, known := s.snapshot(); known && len(readers) == 0 {
			return fault.New(fault.NoToken, "", "No token is plugged in. Plug one in and try again.")
		}
		err := work(ctx)
		if fault.Is(err, fault.TokenNotFound) && s.heldElsewhere(ctx) {
			return driver.ErrInUse.With(err)
		}
		return err
	})
}

// heldElsewhere tells whether another program keeps a token to itself. Some
// versions of the tool then only say that they do not find it.
func (s *server) heldElsewhere(ctx context.Context) bool {
	readers, _, known := s.snapshot()
	if !known {
		readers = nil
	}
	found, err := s.driver.List(ctx, readers)
	return err == nil && len(found.InUse) > 0
}
