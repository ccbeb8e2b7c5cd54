package releaselog

import (
	"context"
	"fmt"
	"sync"

	"github.com/keyward/keyward/internal/vault"
)

// turns has what is asked for at the same time written together: of each key one
// write is under way at a time, and who comes meanwhile shares the next. The zero
// value serves.
type turns[T any] struct {
	mu     sync.Mutex
	queues map[string]*queue[T] // of keys that are being written
}

// queue are the items of a key that wait.
type queue[T any] struct{ next *batch[T] }

type batch[T any] struct {
	items []T
	done  chan struct{}
	err   error // once done
}

// do returns once the item is written. When ctx ends earlier it may be written
// all the same. begin gives what writes, for as long as anybody waits.
func (t *turns[T]) do(ctx context.Context, key string, item T, begin func() func(context.Context, []T) error) error {
	t.mu.Lock()
	if t.queues == nil {
		t.queues = map[string]*queue[T]{}
	}
	q := t.queues[key]
	if q == nil {
		q = &queue[T]{}
		t.queues[key] = q
		// Others wait for these writes: they do not end with the one who asked.
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

// drain writes until nobody waits any more.
func (t *turns[T]) drain(ctx context.Context, key string, q *queue[T], write func(context.Context, []T) error) {
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
