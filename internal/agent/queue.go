package agent

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
)

// maxQueueWait is how long a request waits for its turn (contract, "Agent").
const maxQueueWait = 30 * time.Second

// queue gives one operation at a time access to the tokens. Two token tools at
// once break each other's connection, even when they only read.
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

// run runs work when its turn comes, and returns busy when that takes too long.
// Work whose client disconnects before it begins is dropped. Once begun, work
// gets a context that does not end with the client's.
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

// close drops all waiting work and waits for the running one.
func (q *queue) close() {
	close(q.closing)
	<-q.turn
}

// hold runs work on a token in its turn. If no reader holds a card, it fails at
// once, which takes the tool three seconds.
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

// heldElsewhere reports whether another program has exclusive use of a token.
// Some versions of the tool then only report that they find none.
func (s *server) heldElsewhere(ctx context.Context) bool {
	readers, _, known := s.snapshot()
	if !known {
		readers = nil
	}
	found, err := s.driver.List(ctx, readers)
	return err == nil && len(found.InUse) > 0
}
