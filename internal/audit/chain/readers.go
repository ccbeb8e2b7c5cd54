package chain

import (
	"context"
	"math"
)

// How much the readers fetch at once, and how many pages ahead: the database is read
// on one core while another hashes.
const (
	rowsPage    = 2000
	batchesPage = 64
	ahead       = 2
)

// page is one fetch, or its error.
type page[T any] struct {
	list []T
	err  error
}

// source yields what a goroutine fetches ahead.
type source[T any] struct {
	pages chan page[T]
	now   []T
}

// fetch starts the goroutine. get returns an empty list at the end.
func fetch[T any](ctx context.Context, get func() ([]T, error)) *source[T] {
	s := &source[T]{pages: make(chan page[T], ahead)}
	go func() {
		defer close(s.pages)
		for {
			list, err := get()
			if err == nil && len(list) == 0 {
				return
			}
			select {
			case s.pages <- page[T]{list, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return s
}

// peek returns the next value without consuming it; false at the end.
func (s *source[T]) peek() (*T, bool, error) {
	for len(s.now) == 0 {
		p, ok := <-s.pages
		if !ok || p.err != nil {
			return nil, false, p.err
		}
		s.now = p.list
	}
	return &s.now[0], true, nil
}

func (s *source[T]) skip() { s.now = s.now[1:] }

func (s *source[T]) next() (v T, ok bool, err error) {
	p, ok, err := s.peek()
	if ok {
		v = *p
		s.skip()
	}
	return v, ok, err
}

// wait returns when the goroutine has ended; its context must be done.
func (s *source[T]) wait() {
	for range s.pages { // discard what it had fetched
	}
}

// checkedBatch is a batch with the verdict on its signature.
type checkedBatch struct {
	Batch

	signed bool
	key    int // its index in the anchor
}

// readBatches fetches the batches up to end and checks their signatures.
func readBatches(ctx context.Context, store Store, a Anchor, end Batch) *source[checkedBatch] {
	after, done := int64(lowest), false
	return fetch(ctx, func() ([]checkedBatch, error) {
		if done {
			return nil, nil
		}
		list, err := store.AuditBatches(ctx, after, batchesPage)
		var out []checkedBatch
		for _, b := range list {
			if b.Fault == "" && end.Fault == "" && b.ID > end.ID {
				done = true // sealed since the verification began
				break
			}
			out = append(out, checkedBatch{b, a.sealed(b), a.place(b.KeyID)})
			after = b.ID
			done = done || b.Fault != "" // the position to read on from is unknown
		}
		return out, err
	})
}

// rows is the log, read at most a few pages ahead of the batches.
type rows struct {
	*source[Row]

	previous int64 // ID of the previous row
}

func readRows(ctx context.Context, store Store) *rows {
	from, done := int64(lowest), false
	return &rows{source: fetch(ctx, func() ([]Row, error) {
		if done {
			return nil, nil
		}
		list, err := store.AuditRows(ctx, from, rowsPage)
		if n := len(list); n > 0 {
			done = list[n-1].ID == math.MaxInt64
			from = list[n-1].ID + 1
		}
		return list, err
	})}
}

// upTo returns the next row if its ID is at most last.
func (r *rows) upTo(last int64) (*Row, bool, error) {
	row, ok, err := r.peek()
	if err != nil || !ok || row.ID > last {
		return nil, false, err
	}
	r.skip()
	return row, true, nil
}
