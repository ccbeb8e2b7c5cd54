package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// Keys of advisory locks (pg_locks.classid and objid): ours are the only ones
// in a database of ours.
const (
	lockWriting = 0x4B57<<48 | 1 // every writer shares it; whoever must not be overtaken has it alone
	lockLead    = 0x4B57<<48 | 2 // of the leader's connection
	lockLog     = 0x4B58 << 48   // and the position in the log, in the lower 48 bits; see horizon.go
)

// How often a write is tried.
const (
	overtakenAt  = 6  // lost to others so often, it runs alone
	maxConflicts = 10 // then something else is wrong
	maxBroken    = 3  // connections that broke, or led to a server that takes no writes
	maxViolated  = 2  // an insert that collided: tried again, it sees what stands in its way
	firstPause   = 2 * time.Millisecond
	longestPause = 200 * time.Millisecond
)

var (
	// errContended: others were always faster.
	errContended = errors.New("store: overtaken by other writes again and again")
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
	pools  map[*sql.DB]int // of all connections, and their sizes
	server Server
	now    func() time.Time
	settle time.Duration // how long the outcome of a commit is asked for

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

func newContenders(db *DB, server Server, opts Options) *contenders {
	pools := map[*sql.DB]int{db.writes: server.writers(), db.reads: server.readers(), db.checks: server.readers()}
	return &contenders{pool: db.writes, pools: pools, server: server, now: opts.Now, settle: settleWithin}
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

// do runs fn until it is committed, or fails for good. ctx counts between the
// tries, not within one.
func (c *contenders) do(ctx context.Context, fn func(context.Context, *tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !c.enter() {
		return errClosed
	}
	defer c.running.Done()
	var conflicts, failures, violations int
	began := time.Now()
	for {
		err := c.try(ctx, fn, conflicts >= overtakenAt)
		var again bool
		switch {
		case err == nil || errors.Is(err, errUnknown):
			return err
		case conflict(err):
			conflicts++
			if again = conflicts < maxConflicts; !again {
				err = fmt.Errorf("%w: %w", errContended, err)
			}
		case violated(err):
			violations++
			again = violations <= maxViolated
		case errors.Is(err, errLost), errors.Is(err, errReadOnly):
			failures++
			c.forget()
			again = failures < maxBroken && time.Since(began) < c.server.patience()
		}
		if !again {
			return err
		}
		if err := pause(ctx, conflicts+failures+violations); err != nil {
			return err
		}
	}
}

// pause waits a random while, up to twice as long each time: whoever collided
// does not collide again at once.
func pause(ctx context.Context, tries int) error {
	most := min(firstPause<<min(tries, 16), longestPause)
	timer := time.NewTimer(rand.N(most)) // #nosec G404 -- a pause is no secret
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// conflict tells that the transaction lost to another: it did nothing.
func conflict(err error) bool {
	state, _ := sqlState(err)
	return state == "40001" || state == "40P01" || errors.Is(err, errUndone)
}

// violated tells that a key was taken, or a row that is referred to was gone,
// though the transaction had looked.
func violated(err error) bool {
	state, _ := sqlState(err)
	return state == "23505" || state == "23503"
}

// try runs fn in one transaction.
func (c *contenders) try(ctx context.Context, fn func(context.Context, *tx) error, alone bool) (err error) {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	// A statement that is interrupted would leave its outcome open.
	bounded, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), 2*c.server.patience(), errNoAnswer)
	defer cancel()
	over := false // the connection is as it was before
	defer func() {
		if !over {
			drop(conn)
		}
		_ = conn.Close()
	}()
	if alone {
		if err := excludeOthers(bounded, conn); err != nil {
			return lost(bounded, err)
		}
		defer func() { over = over && admitOthers(bounded, conn) == nil }()
	}
	id, err := begin(bounded, conn)
	if err != nil {
		return lost(bounded, err)
	}
	st := unprepared(conn)
	if err := fn(bounded, &tx{q: sqlcgen.New(st), sql: st, now: c.now, others: true}); err != nil {
		_, undo := command(bounded, conn, "ROLLBACK")
		over = undo == nil
		return lost(bounded, err)
	}
	tag, err := command(bounded, conn, "COMMIT")
	switch state, told := sqlState(err); {
	case err == nil && tag != "COMMIT":
		over = true
		return errUndone
	case err == nil:
		over = true
		return nil
	case told && strings.HasPrefix(state, "40"), told && strings.HasPrefix(state, "23"): // refused
		over = true
		return err
	}
	// Others that broke with it ask over the same pool; and a server that was
	// never sent the COMMIT goes back when the session ends.
	drop(conn)
	return c.outcome(ctx, id, err)
}

// drop ends a connection that is not to be used again.
func drop(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = conn.Close()
}
