package store

import (
	"context"
	"database/sql"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// How long pools hold fewer connections than they may.
const (
	divideAfter  = 2 * time.Second       // until the pool that was refused one may ask for its share
	widenAfter   = 30 * time.Second      // until all may ask for more than the server allowed
	crowdedPause = 50 * time.Millisecond // between the tries of a pool that holds none
	crowdedTries = 30 * time.Second      // of it, in all
	crowdedNews  = 10 * time.Minute      // for which a refusal is told
)

// shares divides a server's connections among the pools of a process. The server
// may allow fewer than DATABASE_MAX_CONNECTIONS: the role or the database has a
// limit, other servers hold some, ended ones are not gone yet. Whoever is refused
// one then waits for those that are held, and no pool is left without.
type shares struct {
	mu      sync.Mutex
	list    []*share
	refused time.Time // the last time; zero: never
	allowed int       // connections that were held then
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

// leave takes the part of a pool away, which is closed.
func (s *shares) leave(pool *sql.DB) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(p *share) bool { return p.pool == pool })
}

// took counts connections that the pool got, or lost.
func (p *share) took(n int) {
	if p == nil {
		return
	}
	p.held.Add(int64(n)) // by whoever limits a pool, too, which closes connections
}

// refuse notes that the server refused the pool a connection. It tells whether the
// pool holds others, which its next one is to be; otherwise others give some up.
func (p *share) refuse() (holds bool) {
	s := p.of
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused, s.allowed = time.Now(), 0
	for _, part := range s.list {
		s.allowed += int(part.held.Load())
	}
	s.apply(s.allowed)
	held := int(p.held.Load())
	if held > 0 {
		p.limit(held)
	}
	later(&s.divide, divideAfter, func() { s.apply(s.allowed) }, &s.mu)
	later(&s.widen, widenAfter, func() { s.apply(s.wanted()) }, &s.mu)
	return held > 0
}

// later has do done after a while, and no sooner when it was to be before.
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

// apply divides so many connections by what each pool wants: one at least, and
// what is over to the last. It needs mu.
func (s *shares) apply(n int) {
	wanted := 0
	var last *share
	for _, part := range s.list {
		if part.pool == nil {
			n -= part.size
		} else {
			wanted, last = wanted+part.size, part
		}
	}
	rest := n
	for _, part := range s.list {
		if part.pool == nil || part == last {
			continue
		}
		of := max(1, n*part.size/wanted)
		part.limit(of)
		rest -= of
	}
	if last != nil {
		last.limit(max(1, rest))
	}
}

// limit bounds the connections of the pool; more than that are closed as soon as
// nobody uses them.
func (p *share) limit(n int) {
	if p.pool == nil {
		return
	}
	n = min(n, p.size)
	p.pool.SetMaxOpenConns(n)
	p.pool.SetMaxIdleConns(n)
}

// forget closes the connections that nobody uses: after one broke, the others
// are likely to be broken too, or to lead to a server that is no primary.
func (s *shares) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, part := range s.list {
		if part.pool != nil {
			part.pool.SetMaxIdleConns(0)
			part.pool.SetMaxIdleConns(part.size) // no more than may be open
		}
	}
}

// stop ends what is to be done later.
func (s *shares) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, timer := range []*time.Timer{s.divide, s.widen} {
		if timer != nil {
			timer.Stop()
		}
	}
}

// Crowded tells whether the server has refused connections lately: how many it
// allowed, and how many this process would have held.
func (db *DB) Crowded() (allowed, wanted int, crowded bool) {
	s := &db.shares
	s.mu.Lock()
	defer s.mu.Unlock()
	crowded = !s.refused.IsZero() && time.Since(s.refused) < crowdedNews
	return s.allowed, s.wanted(), crowded
}

// crowded tells that a server has no connection left (PostgreSQL, appendix A: 53300
// too many connections).
func crowded(err error) bool {
	state, _ := sqlState(err)
	return state == "53300"
}

// waitOut has connect called until the server no longer refuses the connection for
// want of room, and the pool holds none that could serve instead.
func (p *share) waitOut(ctx context.Context, connect func() error) (holds bool, err error) {
	for end := time.Now().Add(crowdedTries); ; {
		if err = connect(); err == nil {
			p.took(1)
			return false, nil
		}
		if p == nil || !crowded(err) || time.Now().After(end) {
			return false, err
		}
		if p.refuse() {
			return true, err
		}
		select {
		case <-time.After(crowdedPause):
		case <-ctx.Done():
			return false, err
		}
	}
}
