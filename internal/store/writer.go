package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/store/sqlcgen"
	"github.com/keyward/keyward/internal/tracing"
)

// maxBatch bounds how many functions share a commit, and with that how long
// the first of them waits for the last.
const maxBatch = 256

// errBatchLost: SQLite undid the whole transaction because of one function in it (a full disk, for
// example): the others did not happen either.
var errBatchLost = errors.New("store: the transaction was undone")

// job is one write function under way. It is queued, and then either taken by the writer, which
// from then on alone decides its outcome, or left by its caller; never both.
type job struct {
	ctx      context.Context //nolint:containedctx // whose trace it belongs to
	actor    *access.Admission
	fn       func(context.Context, *tx) error
	state    atomic.Int32
	err      error
	panicked any
	done     chan struct{}
}

const (
	queued int32 = iota
	taken
	left
)

// writer is the only goroutine that writes. What queues up while it is busy goes into its next
// transaction; a lone caller does not wait for others.
type writer struct {
	conn *sql.Conn
	tx   *tx

	mu       sync.Mutex
	queue    []*job
	closed   bool
	wake     chan struct{}
	finished chan struct{}
	err      error // of the end; valid once finished
}

func newWriter(conn *sql.Conn, opts Options) *writer {
	st := newStatements(conn)
	w := &writer{
		conn: conn, tx: &tx{q: sqlcgen.New(st), sql: st, now: opts.Now},
		wake: make(chan struct{}, 1), finished: make(chan struct{}),
	}
	go w.run()
	return w
}

// do queues fn and returns its outcome after the commit. When ctx ends while
// fn is still queued, fn is never run.
func (w *writer) do(ctx context.Context, actor *access.Admission, fn func(context.Context, *tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j := &job{ctx: ctx, actor: actor, fn: fn, done: make(chan struct{})}
	if !w.enqueue(j) {
		return errClosed
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		if j.state.CompareAndSwap(queued, left) {
			return ctx.Err()
		}
		<-j.done
	}
	if j.panicked != nil {
		panic(j.panicked) // where it belongs: in the caller's goroutine
	}
	return j.err
}

func (w *writer) enqueue(j *job) bool {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return false
	}
	w.queue = append(w.queue, j)
	w.mu.Unlock()
	w.signal()
	return true
}

func (w *writer) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// close runs what is queued, then ends the goroutine.
func (w *writer) close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.signal()
	<-w.finished
	return w.err
}

// end leaves the database as one file: it folds in the write-ahead log now, since the last
// connection's close does so only if no other process has the file open. A concurrent reader may
// keep part of it; nothing is lost then.
func (w *writer) end(ctx context.Context) error {
	_, err := w.conn.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return errors.Join(err, w.tx.sql.close(), w.conn.Close())
}

func (w *writer) run() {
	defer close(w.finished)
	ctx := context.Background()
	for {
		if empty, closed := w.idle(); empty {
			if closed {
				w.err = w.end(ctx)
				return
			}
			<-w.wake
			continue
		}
		w.batch(ctx)
	}
}

func (w *writer) idle() (empty, closed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.queue) == 0, w.closed
}

// take removes up to n functions from the queue, except those whose callers have left.
func (w *writer) take(n int) []*job {
	w.mu.Lock()
	defer w.mu.Unlock()
	var jobs []*job
	i := 0
	for ; i < len(w.queue) && len(jobs) < n; i++ {
		if w.queue[i].state.CompareAndSwap(queued, taken) {
			jobs = append(jobs, w.queue[i])
		}
	}
	w.queue = slices.Delete(w.queue, 0, i)
	return jobs
}

// batch runs one transaction. It begins before it takes: while another process holds the lock,
// callers may still leave. What is queued while it runs goes along, so that the commit serves all.
func (w *writer) batch(ctx context.Context) {
	var jobs []*job
	defer func() {
		for _, j := range jobs {
			close(j.done)
		}
	}()
	err := w.exec(ctx, "BEGIN IMMEDIATE")
	for {
		more := w.take(maxBatch - len(jobs))
		if len(more) == 0 {
			break
		}
		jobs = append(jobs, more...)
		for _, j := range more {
			if err == nil {
				err = w.runOne(ctx, j)
			}
		}
	}
	if err == nil {
		err = w.exec(ctx, "COMMIT")
	}
	if err == nil {
		return
	}
	_ = w.exec(ctx, "ROLLBACK") // there may be nothing left to undo
	for _, j := range jobs {
		if j.err == nil {
			j.err = fmt.Errorf("%w: %w", errBatchLost, err)
		}
	}
}

// runOne runs a function in a savepoint. An error of the function is its
// own; the error returned here means that the whole transaction is gone.
func (w *writer) runOne(ctx context.Context, j *job) error {
	if err := w.exec(ctx, "SAVEPOINT job"); err != nil {
		return err
	}
	w.call(tracing.Continue(ctx, j.ctx), j)
	if j.err != nil {
		if err := w.exec(ctx, "ROLLBACK TO job"); err != nil {
			return errors.Join(j.err, err)
		}
	}
	return w.exec(ctx, "RELEASE job")
}

func (w *writer) call(ctx context.Context, j *job) {
	defer func() {
		if p := recover(); p != nil {
			j.panicked, j.err = p, errBatchLost
		}
	}()
	w.tx.entries.list = nil // left by one that failed
	if j.err = w.tx.admitted(ctx, j.actor); j.err == nil {
		j.err = j.fn(ctx, w.tx)
	}
	if j.err == nil {
		j.err = w.tx.log(ctx)
	}
}

func (w *writer) exec(ctx context.Context, statement string) error {
	_, err := w.tx.sql.ExecContext(ctx, statement)
	return err
}
