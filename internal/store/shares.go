package store

import (
	"context"
	"database/sql"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// How long pools use fewer connections than they may.
const (
	divideAfter  = 2 * time.Second       // until the pool that was refused one may ask for its share
	widenAfter   = 30 * time.Second      // until all may ask for more than the server allowed
	crowdedPause = 50 * time.Millisecond // between tries after a refusal
	crowdedTries = 30 * time.Second      // for these tries, in all
	crowdedNews  = 10 * time.Minute      // for which a refusal is reported
)

// shares divides a server's connections among the pools of a process. The server may allow fewer
// than DATABASE_MAX_CONNECTIONS: the role or the database has a limit, other servers hold some,
// ended ones are not gone yet. A refused caller then waits, and from four connections on no pool is
// left without.
type shares struct {
	mu      sync.Mutex
	list    []*share
	refused time.Time // the last time; zero: never
	allowed int       // connections, by the last refusals; zero: all that are wanted
	most    int       // that were held when the server refused another
	divide  *time.Timer
	widen   *time.Timer
}

// share is a pool's part of them.
type share struct {
	of   *shares
	pool *sql.DB // nil: the lead's, whose connection is not given up
	size int     // connections that it wants
	held atomic.Int64
}

// join adds a part.
func (s *shares) join(size int, pool *sql.DB) *share {
	s.mu.Lock()
	defer s.mu.Unlock()
	part := &share{of: s, size: size, pool: pool}
	s.list = append(s.list, part)
	return part
}

// leave removes the part of a pool that is closed.
func (s *shares) leave(pool *sql.DB) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(p *share) bool { return p.pool == pool })
	if s.allowed > 0 {
		s.apply(s.allowed)
	}
}

// took counts connections that the pool got, or lost.
func (p *share) took(n int) {
	if p == nil {
		return
	}
	p.held.Add(int64(n)) // even under mu: limiting a pool closes connections
}

// refuse records that the server refused the pool a connection, and limits all pools to what they
// hold. One that holds none takes its share from the others.
func (p *share) refuse() {
	s := p.of
	s.mu.Lock()
	defer s.mu.Unlock()
	held := 0
	for _, part := range s.list {
		held += int(part.held.Load())
	}
	own := int(p.held.Load())
	if s.allowed = max(s.allowed, held); own == 0 {
		s.allowed = held
	}
	s.refused, s.most = time.Now(), max(s.most, held)
	s.apply(s.allowed)
	if own > 0 {
		p.limit(own)
	}
	later(&s.divide, divideAfter, func() { s.apply(s.allowed) }, &s.mu)
	later(&s.widen, widenAfter, func() { s.allowed = 0; s.apply(s.wanted()) }, &s.mu)
}

// later runs do after a while; a pending run is postponed.
func later(timer **time.Timer, after time.Duration, do func(), mu *sync.Mutex) {
	if *timer != nil {
		(*timer).Reset(after)
		return
	}
	*timer = time.AfterFunc(after, func() {
		mu.Lock()
		defer mu.Unlock()
		do()
	})
}

// wanted is how many connections all pools want. It needs mu.
func (s *shares) wanted() (n int) {
	for _, part := range s.list {
		n += part.size
	}
	return n
}

// apply divides n connections by what each pool wants: at least one, and the remainder to the
// largest. It needs mu.
func (s *shares) apply(n int) {
	wanted := 0
	var largest *share
	for _, part := range s.list {
		if part.pool == nil {
			n -= part.size
			continue
		}
		wanted += part.size
		if largest == nil || part.size > largest.size {
			largest = part
		}
	}
	rest := n
	for _, part := range s.list {
		if part.pool == nil || part == largest {
			continue
		}
		of := max(1, n*part.size/wanted)
		part.limit(of)
		rest -= of
	}
	if largest != nil {
		largest.limit(max(1, rest))
	}
}

// limit bounds the connections of the pool; excess ones are closed once unused.
func (p *share) limit(n int) {
	if p.pool == nil {
		return
	}
	n = min(n, p.size)
	p.pool.SetMaxOpenConns(n)
	p.pool.SetMaxIdleConns(n)
}

// forget closes unused connections: after one broke, the others are likely to be broken, too, or to
// lead to a server that is no longer the primary.
func (s *shares) forget() {
	s.mu.Lock()
	list := slices.Clone(s.list)
	s.mu.Unlock()
	for _, part := range list {
		if part.pool != nil {
			part.pool.SetMaxIdleConns(0)
			part.pool.SetMaxIdleConns(part.size) // no more than may be open
		}
	}
}

// stop cancels what is scheduled.
func (s *shares) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, timer := range []*time.Timer{s.divide, s.widen} {
		if timer != nil {
			timer.Stop()
		}
	}
}

// Crowded reports whether the server has refused connections lately, how many it allowed at most,
// and how many this process wants.
func (db *DB) Crowded() (allowed, wanted int, crowded bool) {
	s := &db.shares
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused.IsZero() || time.Since(s.refused) >= crowdedNews {
		s.most = 0
		return 0, 0, false
	}
	return s.most, s.wanted(), true
}

// crowded reports that a server has no connection left (PostgreSQL, appendix A: 53300 too many
// connections).
func crowded(err error) bool {
	state, _ := sqlState(err)
	return state == "53300"
}

// waitOut repeats what needs a connection while the server has none left: meanwhile others are
// returned or closed.
func waitOut(ctx context.Context, do func() error) error {
	for end := time.Now().Add(crowdedTries); ; {
		err := do()
		if !crowded(err) || time.Now().After(end) {
			return err
		}
		select {
		case <-time.After(crowdedPause):
		case <-ctx.Done():
			return err
		}
	}
}

// inLine is a pool whose users wait for a connection.
type inLine struct{ *sql.DB }

// QueryContext implements sqlcgen.DBTX.
func (q inLine) QueryContext(ctx context.Context, query string, args ...any) (rows *sql.Rows, err error) {
	err = waitOut(ctx, func() (err error) {
		rows, err = q.DB.QueryContext(ctx, query, args...) //nolint:sqlclosecheck,rowserrcheck // the caller's
		return err
	})
	return rows, err
}

// QueryRowContext implements sqlcgen.DBTX.
func (q inLine) QueryRowContext(ctx context.Context, query string, args ...any) (row *sql.Row) {
	_ = waitOut(ctx, func() error {
		row = q.DB.QueryRowContext(ctx, query, args...)
		return row.Err()
	})
	return row
}

// BeginTx is the pool's.
func (q inLine) BeginTx(ctx context.Context, options *sql.TxOptions) (tx *sql.Tx, err error) {
	err = waitOut(ctx, func() (err error) {
		tx, err = q.DB.BeginTx(ctx, options)
		return err
	})
	return tx, err
}

// Conn is the pool's.
func (q inLine) Conn(ctx context.Context) (conn *sql.Conn, err error) {
	err = waitOut(ctx, func() (err error) {
		conn, err = q.DB.Conn(ctx)
		return err
	})
	return conn, err
}
