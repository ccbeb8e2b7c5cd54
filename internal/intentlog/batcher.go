package intentlog

import (
	"context"
	"fmt"
	"sync"

	"github.com/keyward/keyward/internal/vault"
)

// batcher batches concurrent writes: each key has one write in progress at a time, and
// callers that arrive meanwhile share the next one. The zero value is usable.
type batcher[T any] struct {
	mu     sync.Mutex
	queues map[string]*queue[T] // of keys being written
}

// queue is the waiting items of a key.
type queue[T any] struct{ next *batch[T] }

type batch[T any] struct {
	items []T
	done  chan struct{}
	err   error // valid once done is closed
}

// do returns once the item is written. If ctx ends first, it may still be written.
// begin returns the function that writes, used as long as anyone waits.
func (t *batcher[T]) do(ctx context.Context, key string, item T, begin func() func(context.Context, []T) error) error {
	t.mu.Lock()
	if t.queues == nil {
		t.queues = map[string]*queue[T]{}
	}
	q := t.queues[key]
	if q == nil {
		q = &queue[T]{}
		t.queues[key] = q
		// Others wait for these writes, so they outlive the first caller.
		go t.drain(context.WithoutCancel(ctx), key, q, begin())
	}
	if q.next == nil {
		q.next = &batch[T]{done: make(chan struct{})}
	}
	b := q.next
	b.items = append(b.items, item)
	t.mu.Unlock()
	select {
	case <-b.done:
		return b.err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", vault.ErrUnavailable, ctx.Err())
	}
}

// drain writes until no one waits.
func (t *batcher[T]) drain(ctx context.Context, key string, q *queue[T], write func(context.Context, []T) error) {
	for {
		t.mu.Lock()
		b := q.next
		q.next = nil
		if b == nil {
			delete(t.queues, key)
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
		within, cancel := context.WithTimeout(ctx, writeTimeout)
		b.err = write(within, b.items)
		cancel()
		close(b.done)
	}
}
