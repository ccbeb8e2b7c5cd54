package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/access"
)

// Keys of advisory locks (pg_locks.classid and objid): there are no others in a database of ours.
const (
	lockWriting = 0x4B57<<48 | 1 // shared by all writers; exclusive for one that must run alone
	lockLead    = 0x4B57<<48 | 2 // held by the leader's connection
	lockAble    = 0x4B57<<48 | 3 // shared by candidates for the lead that could do its work now
	lockLog     = 0x4B58 << 48   // plus the position in the log, in the lower 48 bits; see horizon.go
)

// How often a write is tried.
const (
	exclusiveAt  = 6 // conflicts after which a write runs alone
	maxAlone     = 4 // conflicts while alone: something else is wrong
	maxBroken    = 3 // connections that broke, or led to a server that takes no writes
	maxWaited    = 2 // lock timeouts
	maxViolated  = 2 // an insert that collided: tried again, it sees what it collided with
	firstPause   = 2 * time.Millisecond
	longestPause = 200 * time.Millisecond
)

// How long a write may take. One that waits to be alone holds up every writer, so it soon gives up
// if a long transaction is under way, contends as before, and waits twice as long the next time.
const (
	// WriteWithin bounds a write on PostgreSQL, with all its tries and finding out its outcome.
	WriteWithin   = 45 * time.Second
	settleWithin  = 15 * time.Second // of that, for finding out its outcome
	aloneAtFirst  = time.Second
	aloneAtLength = 8 * time.Second
)

var (
	// errContended: others were always faster.
	errContended = errors.New("store: overtaken by other writes again and again")
	// errNoTime: a write that was to be tried again had no time left.
	errNoTime = errors.New("store: the time for the write is over")
	// errReadOnly: the server is a standby, or takes no changes.
	errReadOnly = errors.New("store: the database server is read-only")
	// errUndone: the server answered a COMMIT with a rollback.
	errUndone = errors.New("store: the transaction was undone")
)

// serializable writes on PostgreSQL: each function in its own serializable transaction, so that
// whatever it read still holds when it commits, and again from the beginning after a conflict.
type serializable struct {
	pool   *sql.DB
	shares *shares // of all connections
	server Server
	now    func() time.Time
	within time.Duration // for a write in all
	settle time.Duration // of that, for finding out the outcome of a commit
	alone  time.Duration // the first wait to be alone
	waits  int           // lock timeouts until it gives up

	exclusiveAfter int // conflicts after which it runs alone

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

func newSerializable(db *DB, server Server, opts Options) *serializable {
	return &serializable{pool: db.writes, shares: &db.shares, server: server, now: opts.Now,
		within: WriteWithin, settle: settleWithin, alone: aloneAtFirst, waits: maxWaited, exclusiveAfter: exclusiveAt}
}

// close waits for running writes.
func (c *serializable) close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.running.Wait()
	return nil
}

func (c *serializable) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.running.Add(1)
	}
	return !c.closed
}

// do runs fn until it is committed, fails for good, or runs out of time. ctx counts between the
// tries, not within one.
func (c *serializable) do(ctx context.Context, actor *access.Admission, fn func(context.Context, *tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !c.enter() {
		return errClosed
	}
	defer c.running.Done()
	end := time.Now().Add(c.within)
	tries, cancel := context.WithDeadlineCause(ctx, end.Add(-c.settle), errNoAnswer)
	defer cancel()
	so := failures{most: c.waits}
	for {
		t := try{serializable: c, end: end}
		if so.conflicts >= c.exclusiveAfter {
			t.alone = min(c.alone<<min(so.conflicts-c.exclusiveAfter, 16), aloneAtLength)
		}
		err := t.run(tries, actor, fn)
		if err == nil {
			return nil
		}
		if again, err := so.add(err, t.wasAlone); !again {
			return err
		}
		if errors.Is(err, errLost) || errors.Is(err, errReadOnly) {
			c.shares.forget()
		}
		switch over := pause(tries, so.all()); {
		case ctx.Err() != nil:
			return ctx.Err()
		case over != nil:
			return fmt.Errorf("%w: %w", errNoTime, err)
		}
	}
}

// failures counts the failed tries by cause.
type failures struct{ conflicts, alone, waits, most, failures, violations int }

func (l *failures) all() int { return l.conflicts + l.waits + l.failures + l.violations }

// add counts a try. It reports whether another is worthwhile; if not, result is the write's error.
func (l *failures) add(err error, alone bool) (again bool, result error) {
	switch {
	case errors.Is(err, errUnknown):
		return false, err
	case conflict(err):
		l.conflicts++
		if alone {
			l.alone++
		}
		return l.alone < maxAlone, fmt.Errorf("%w: %w", errContended, err)
	case waited(err):
		l.waits++
		return l.waits < l.most, fmt.Errorf("%w: %w", errContended, err)
	case violated(err):
		l.violations++
		return l.violations <= maxViolated, err
	case errors.Is(err, errLost), errors.Is(err, errReadOnly):
		l.failures++
		return l.failures < maxBroken, err
	}
	return false, err
}

// pause waits a random time, up to twice as long each time, so that writes do not collide again at
// once.
func pause(ctx context.Context, tries int) error {
	most := min(firstPause<<min(tries, 16), longestPause)
	timer := time.NewTimer(rand.N(most)) // #nosec G404 -- a pause is no secret
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// conflict reports that the transaction lost to another: it did nothing.
func conflict(err error) bool {
	state, _ := sqlState(err)
	return state == "40001" || deadlocked(err) || errors.Is(err, errUndone)
}

// deadlocked reports that the transaction was undone because of a deadlock.
func deadlocked(err error) bool {
	state, _ := sqlState(err)
	return state == "40P01"
}

// waited reports a lock timeout.
func waited(err error) bool {
	state, _ := sqlState(err)
	return state == "55P03"
}

// violated reports that a key was taken, or a referenced row was gone, though the transaction had
// looked.
func violated(err error) bool {
	state, _ := sqlState(err)
	return state == "23505" || state == "23503"
}
