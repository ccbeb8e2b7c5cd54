package s3server

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// Cutter stands between a client and the store, handles only bytes, and cuts
// connections in the middle.
type Cutter struct {
	Address string

	mu      sync.Mutex
	up      int64 // bytes sent to the store
	down    int64 // bytes received from it
	cutUp   int64 // the connection with this byte is cut; 0: none
	cutDown int64
	forever bool // and each later one, too
	cut     bool
	ended   bool // the test has ended
	open    map[net.Conn]struct{}
}

// Cutter starts one that forwards everything, until the test ends.
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

// CutUp cuts the connection that carries the given byte to the store, counted from now
// on over all connections; with forever, also each later one.
func (c *Cutter) CutUp(at int64, forever bool) { c.set(at, 0, forever) }

// CutDown is CutUp for bytes from the store.
func (c *Cutter) CutDown(at int64, forever bool) { c.set(0, at, forever) }

func (c *Cutter) set(up, down int64, forever bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.up, c.down, c.cutUp, c.cutDown, c.forever, c.cut = 0, 0, up, down, forever, false
}

// HasCut reports whether a connection has been cut since.
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

// pass closes both directions when one of them ends.
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

// allow returns how many of n bytes may pass, and whether the connection is then cut.
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
