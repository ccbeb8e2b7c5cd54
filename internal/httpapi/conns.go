package httpapi

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// silence is how long a connection may say nothing before its client counts as
// one that has nothing to say. http.Server takes it for that long, too.
const silence = 5 * time.Second

// conns are the connections of a server that have a request under way, or may be
// about to send their first.
type conns struct {
	mu      sync.Mutex
	open    map[net.Conn]time.Time // since when a new one is connected; zero: it has a request
	changed chan struct{}          // holds one
}

func newConns() *conns {
	return &conns{open: map[net.Conn]time.Time{}, changed: make(chan struct{}, 1)}
}

// note is for http.Server.ConnState.
func (c *conns) note(conn net.Conn, s http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch s {
	case http.StateNew:
		c.open[conn] = time.Now()
	case http.StateActive:
		c.open[conn] = time.Time{}
	case http.StateIdle, http.StateHijacked, http.StateClosed:
		delete(c.open, conn)
	}
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// settle returns when each request has its answer and nobody is about to send
// one, or when ctx ends.
func (c *conns) settle(ctx context.Context) {
	for {
		wait, settled := c.settled(time.Now())
		if settled {
			return
		}
		timer := time.NewTimer(wait)
		select {
		case <-c.changed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// settled tells whether that is so now, or when to look again at the latest.
func (c *conns) settled(now time.Time) (wait time.Duration, settled bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wait, settled = silence, true
	for _, since := range c.open {
		if since.IsZero() {
			settled = false
		} else if left := silence - now.Sub(since); left > 0 {
			wait, settled = min(wait, left), false
		}
	}
	return wait, settled
}
