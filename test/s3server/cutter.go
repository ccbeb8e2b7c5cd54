package s3server

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// Cutter stands between a client and the store, knows bytes alone, and ends
// connections in their midst.
type Cutter struct {
	Address string

	mu      sync.Mutex
	up      int64 // bytes that have gone to the store
	down    int64 // and that came from it
	cutUp   int64 // the connection that carries this one ends; 0: none does
	cutDown int64
	forever bool // and so does each one after it
	cut     bool
	ended   bool // the test has
	open    map[net.Conn]struct{}
}

// Cutter starts one that passes everything on, until the test ends.
func (s *Server) Cutter(t testing.TB) *Cutter {
	t.Helper()
	var config net.ListenConfig
	l := must.Get(config.Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	c := &Cutter{Address: "http://" + l.Addr().String(), open: map[net.Conn]struct{}{}}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { c.serve(conn, strings.TrimPrefix(s.Plain, "http://")) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		c.mu.Lock()
		for conn := range c.open {
			_ = conn.Close()
		}
		c.ended = true
		c.mu.Unlock()
		running.Wait()
	})
	return c
}

// CutUp ends the connection that carries the given byte on its way to the store,
// counted from now on over all connections; forever: from then on each one.
func (c *Cutter) CutUp(at int64, forever bool) { c.set(at, 0, forever) }

// CutDown is CutUp for what comes from the store.
func (c *Cutter) CutDown(at int64, forever bool) { c.set(0, at, forever) }

func (c *Cutter) set(up, down int64, forever bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.up, c.down, c.cutUp, c.cutDown, c.forever, c.cut = 0, 0, up, down, forever, false
}

// HasCut tells whether a connection has been ended since.
func (c *Cutter) HasCut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cut
}

func (c *Cutter) serve(client net.Conn, to string) {
	defer client.Close()
	var dialer net.Dialer
	store, err := dialer.DialContext(context.Background(), "tcp", to)
	if err != nil {
		return
	}
	c.enter(client, store)
	defer c.leave(client, store)
	var both sync.WaitGroup
	both.Go(func() { c.pass(store, client, &c.up, &c.cutUp) })
	both.Go(func() { c.pass(client, store, &c.down, &c.cutDown) })
	both.Wait()
}

func (c *Cutter) enter(conns ...net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range conns {
		c.open[conn] = struct{}{}
		if c.ended {
			_ = conn.Close()
		}
	}
}

func (c *Cutter) leave(conns ...net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range conns {
		_ = conn.Close()
		delete(c.open, conn)
	}
}

// pass ends both directions when one of them does.
func (c *Cutter) pass(to, from net.Conn, count, limit *int64) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		allowed, cut := c.allow(int64(n), count, limit)
		if _, failed := to.Write(buffer[:allowed]); failed != nil || cut || err != nil {
			return
		}
	}
}

// allow says how many of n bytes may go on, and whether the connection ends then.
func (c *Cutter) allow(n int64, count, limit *int64) (int64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := *count
	*count += n
	switch {
	case c.cut && c.forever:
		return 0, true
	case c.cut || *limit == 0 || *count < *limit:
		return n, false
	}
	c.cut = true
	return *limit - before, true
}
