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

// Keys of advisory locks (pg_locks.classid and objid): ours are the only ones
// in a database of ours.
const (
	lockWriting = 0x4B57<<48 | 1 // every writer shares it; whoever must not be overtaken has it alone
	lockLead    = 0x4B57<<48 | 2 // of the leader's connection
	lockAble    = 0x4B57<<48 | 3 // shared by those who wait for the lead and could do its work now
	lockLog     = 0x4B58 << 48   // and the position in the log, in the lower 48 bits; see horizon.go
)

// How often a write is tried.
const (
	overtakenAt  = 6 // lost to others so often, a write is to run alone
	maxAlone     = 4 // overtaken when it was alone: something else is wrong
	maxBroken    = 3 // connections that broke, or led to a server that takes no writes
	maxWaited    = 2 // waits for a lock that were too long
	maxViolated  = 2 // an insert that collided: tried again, it sees what stands in its way
	firstPause   = 2 * time.Millisecond
	longestPause = 200 * time.Millisecond
)

// How long a write may take. Whoever waits to be alone keeps every writer
// waiting, so it gives up soon when a long transaction is under way, contends as
// before, and waits twice as long the next time.
const (
	// WriteWithin bounds a write on PostgreSQL, with all its tries and the search
	// for its outcome.
	WriteWithin   = 45 * time.Second
	settleWithin  = 15 * time.Second // of that, the search for its outcome
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

// contenders is the way to write on PostgreSQL: each function in a
// serializable transaction of its own, so that whatever it read still holds
// when it commits, and again from the beginning when it lost to another.
type contenders struct {
	pool   *sql.DB
	shares *shares // of all connections
	server Server
	now    func() time.Time
	within time.Duration // for a write in all
	settle time.Duration // of it, for finding out what became of a commit
	alone  time.Duration // the first wait to be alone
	waits  int           // for a lock, too long, until it gives up

	overtaken int // lost to others so often, it is to run alone

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

func newContenders(db *DB, server Server, opts Options) *contenders {
	return &contenders{pool: db.writes, shares: &db.shares, server: server, now: opts.Now,
		within: WriteWithin, settle: settleWithin, alone: aloneAtFirst, waits: maxWaited, overtaken: overtakenAt}
}

// close waits for what is under way.
func (c *contenders) close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.running.Wait()
	return nil
}

func (c *contenders) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.running.Add(1)
	}
	return !c.closed
}

// do runs fn until it is committed, or fails for good, or its time is over. ctx
// counts between the tries, not within one.
func (c *contenders) do(ctx context.Context, actor *access.Admission, fn func(context.Context, *tx) error) error {
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
	so := losses{most: c.waits}
	for {
		t := try{contenders: c, end: end}
		if so.conflicts >= c.overtaken {
			t.alone = min(c.alone<<min(so.conflicts-c.overtaken, 16), aloneAtLength)
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

// losses are the tries that failed, by why they did.
type losses struct{ conflicts, alone, waits, most, failures, violations int }

func (l *losses) all() int { return l.conflicts + l.waits + l.failures + l.violations }

// add counts a try. It tells whether another is worth it; if not, result is what
// the write ends with.
func (l *losses) add(err error, alone bool) (again bool, result error) {
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

// pause waits a random while, up to twice as long each time: whoever collided
// does not collide again at once.
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

// conflict tells that the transaction lost to another: it did nothing.
func conflict(err error) bool {
	state, _ := sqlState(err)
	return state == "40001" || deadlocked(err) || errors.Is(err, errUndone)
}

// deadlocked tells that it waited for another that waited for it, and was undone.
func deadlocked(err error) bool {
	state, _ := sqlState(err)
	return state == "40P01"
}

// waited tells that it waited too long for what another has locked.
func waited(err error) bool {
	state, _ := sqlState(err)
	return state == "55P03"
}

// violated tells that a key was taken, or a row that is referred to was gone,
// though the transaction had looked.
func violated(err error) bool {
	state, _ := sqlState(err)
	return state == "23505" || state == "23503"
}
