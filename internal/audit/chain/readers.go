package chain

import (
	"context"
	"math"
)

// How much the readers fetch at once, and how many fetches they are ahead:
// the database is read on one core while the other hashes.
const (
	rowsPage    = 2000
	batchesPage = 64
	ahead       = 2
)

// page is one fetch, or why there is none.
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

// peek gives the next value and leaves it there; false at the end.
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

// wait returns when the goroutine has ended; its context must have.
func (s *source[T]) wait() {
	for range s.pages { // what it had fetched
	}
}

// checkedBatch is a batch with the verdict on its signature.
type checkedBatch struct {
	Batch

	signed bool
	key    int // its place in the anchor
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
				done = true // sealed since this verification began
				break
			}
			out = append(out, checkedBatch{b, a.sealed(b), a.place(b.KeyID)})
			after = b.ID
			done = done || b.Fault != "" // where to read on is not known
		}
		return out, err
	})
}

// rows are the log, read no further ahead of the batches than a few pages.
type rows struct {
	*source[Row]

	previous int64 // the id of the row before
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

// upTo gives the next row if its id is at most last.
func (r *rows) upTo(last int64) (*Row, bool, error) {
	row, ok, err := r.peek()
	if err != nil || !ok || row.ID > last {
		return nil, false, err
	}
	r.skip()
	return row, true, nil
}
