package embedded

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"

	bolt "go.etcd.io/bbolt"

	"go.opentelemetry.io/otel/trace"

	"github.com/keyward/keyward/internal/tracing"
	"github.com/keyward/keyward/internal/vault"
)

const (
	maxGroup      = 512     // writes in one transaction
	maxGroupBytes = 8 << 20 // their size, roughly
)

// WritesAtOnce is how many writers a restore should have (vaultpart.Sharing): half a group waits
// while the other half is being synced.
func (e *Engine) WritesAtOnce() int { return maxGroup / 2 }

// ReadsAtOnce is how many readers a backup should have (vaultpart.Computing): packing takes the
// other processor.
func (e *Engine) ReadsAtOnce() int { return 1 }

// write is one change waiting to become durable.
type write struct {
	apply func(*txn) error // may run more than once; the last run counts
	after func()           // runs once the change is durable, before its caller learns of it
	size  int
	done  chan error
	err   error
}

// writer commits changes in groups: while one group is on its way to the
// disk, the next one gathers. A lone write does not wait for company.
type writer struct {
	db    *bolt.DB
	ring  *keyring
	queue chan *write
	quit  chan struct{}
	gone  chan struct{}

	mu     sync.Mutex
	broken error // set once a failed commit has left the disk in an unknown state
}

func newWriter(db *bolt.DB, ring *keyring) *writer {
	w := &writer{
		db: db, ring: ring,
		queue: make(chan *write, maxGroup),
		quit:  make(chan struct{}),
		gone:  make(chan struct{}),
	}
	go w.run()
	return w
}

// do applies a change and returns when it is durable. If ctx ends earlier, the change may still
// happen.
func (w *writer) do(ctx context.Context, size int, apply func(*txn) error, after func()) (err error) {
	ctx, span := tracing.Child(ctx, "vault write", trace.SpanKindInternal)
	defer func() { span.End(err) }()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", vault.ErrUnavailable, err)
	}
	op := &write{apply: apply, after: after, size: size, done: make(chan error, 1)}
	select {
	case w.queue <- op:
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", vault.ErrUnavailable, ctx.Err())
	case <-w.quit:
		return errClosed
	}
	select {
	case err := <-op.done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", vault.ErrUnavailable, ctx.Err())
	case <-w.gone:
		select { // the last group may have held it
		case err := <-op.done:
			return err
		default:
			return errClosed
		}
	}
}

// stop ends the writer after the group under way.
func (w *writer) stop() {
	close(w.quit)
	<-w.gone
}

func (w *writer) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken
}

func (w *writer) run() {
	defer close(w.gone)
	for {
		select {
		case <-w.quit:
			return
		case first := <-w.queue:
			w.commit(w.gather(first))
		}
	}
}

func (w *writer) gather(first *write) []*write {
	group, size := []*write{first}, first.size
	for len(group) < maxGroup && size < maxGroupBytes {
		select {
		case op := <-w.queue:
			group, size = append(group, op), size+op.size
		default:
			return group
		}
	}
	return group
}

// errHalf: a change failed after it had written something, so the whole
// transaction must be dropped.
var errHalf = errors.New("change failed half-way")

func (w *writer) commit(group []*write) {
	err := w.failure()
	if err == nil {
		err = w.try(group)
	}
	if errors.Is(err, errHalf) && len(group) > 1 {
		for _, op := range group {
			w.commit([]*write{op})
		}
		return
	}
	for _, op := range group {
		// A refusal by check-and-set may rest on a neighbour's change that
		// was not committed either; then the failure is the answer.
		if err != nil && !errors.Is(err, errHalf) {
			op.err = err
		}
		if op.err == nil && op.after != nil {
			op.after()
		}
		op.done <- op.err
	}
}

// try runs a group in one transaction. A change refused before it wrote anything fails alone; the
// others are committed.
func (w *writer) try(group []*write) error {
	err := guard(func() error {
		return w.db.Update(func(tx *bolt.Tx) error { return w.apply(tx, group) })
	})
	switch {
	case err == nil, errors.Is(err, errHalf), errors.Is(err, vault.ErrTampered), errors.Is(err, errNothing):
		if errors.Is(err, errNothing) {
			return nil
		}
		return err
	}
	err = fmt.Errorf("%w: the vault's file can't be written: %w", vault.ErrUnavailable, uncovered(err))
	// A full disk fails before the commit. After any other failure, above all of a sync, the state
	// of the disk is unknown; later syncs may claim success for lost pages. Only a restart reads
	// what is there.
	if !vault.NoRoom(err) {
		w.mu.Lock()
		w.broken = err
		w.mu.Unlock()
	}
	return err
}

// uncovered restores an error's cause, of which bbolt keeps only the text when the file cannot
// grow.
func uncovered(err error) error {
	text, is := strings.CutPrefix(err.Error(), "file resize error: ")
	if !is {
		return err
	}
	for _, why := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if strings.HasSuffix(text, why.Error()) {
			return fmt.Errorf("%w (%w)", err, why)
		}
	}
	return err
}

// errNothing rolls back a transaction in which no change wrote anything.
var errNothing = errors.New("nothing to write")

func (w *writer) apply(tx *bolt.Tx, group []*write) error {
	t := &txn{reader: reader{tx, w.ring}}
	var err error
	if t.total, err = t.sum(); err != nil {
		return err
	}
	wrote := false
	for _, op := range group {
		t.dirty = false
		op.err = op.apply(t)
		if op.err != nil && t.dirty {
			return errHalf
		}
		wrote = wrote || t.dirty
	}
	if !wrote {
		return errNothing
	}
	return t.finish()
}
