package password

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/keyward/keyward/internal/fault"
)

// maxWait is the longest that a login waits for its turn.
const maxWait = 5 * time.Second

// firstGuess is the assumed time of a hash before one was measured.
const firstGuess = 100 * time.Millisecond

// queue bounds the memory of all concurrent hashes. Without a free slot,
// callers wait, first come first served; one that would wait longer than
// maxWait is refused at once.
type queue struct {
	memory *semaphore.Weighted // KiB
	size   int64               // KiB
	slots  int64               // hashes at once

	mu      sync.Mutex
	waiting int64
	took    time.Duration // a recent average, for one hash
}

func newQueue(slots int, each uint32) *queue {
	size := int64(slots) * int64(each)
	return &queue{memory: semaphore.NewWeighted(size), size: size, slots: int64(slots), took: firstGuess}
}

// enter waits for a hash's memory and returns the function that releases it.
// Overloaded when that would take, or took, longer than maxWait. A hash larger
// than all slots together gets them all.
func (q *queue) enter(ctx context.Context, kib uint32) (leave func(), err error) {
	weight := min(int64(kib), q.size)
	if !q.memory.TryAcquire(weight) {
		if err := q.wait(ctx, weight); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	return func() {
		took := time.Since(began)
		q.memory.Release(weight)
		q.mu.Lock()
		q.took += (took - q.took) / 8
		q.mu.Unlock()
	}, nil
}

func (q *queue) wait(ctx context.Context, weight int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	expected := q.expected()
	if expected > maxWait {
		q.mu.Unlock()
		return overloaded(expected)
	}
	q.waiting++
	q.mu.Unlock()
	limited, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	err := q.memory.Acquire(limited, weight)
	q.mu.Lock()
	q.waiting--
	expected = q.expected()
	q.mu.Unlock()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return overloaded(expected)
}

// expected is how long one more caller would wait.
func (q *queue) expected() time.Duration {
	return q.took * time.Duration(q.waiting+1) / time.Duration(q.slots)
}

// overloaded asks the caller to come back when those waiting now are served.
func overloaded(expected time.Duration) error {
	return fault.New(fault.Overloaded, "sign_ins", "Too many people are signing in right now. Try again in a few seconds.").
		After(max(time.Second, expected.Round(time.Second)))
}
