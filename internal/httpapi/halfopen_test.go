package httpapi

import (
	"context"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/middleware"
	"github.com/keyward/keyward/test/must"
)

// pipes is a listener with in-memory connections, so that time in a synctest bubble
// advances when everybody waits.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	select {
	case <-p.done:
	default:
		close(p.done)
	}
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (p *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours
}

// TestHalfOpenConnectionsEnd: a client that opens a connection and does not continue,
// or only byte by byte, holds it no longer than our bounds.
func TestHalfOpenConnectionsEnd(t *testing.T) {
	t.Parallel()
	const head = "POST /api/test/public HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	for name, tc := range map[string]struct {
		sent  string
		drip  string        // sent again every second
		reads bool          // reads the responses
		ends  time.Duration // at the latest
	}{
		"nothing is sent":         {reads: true, ends: readHeaderTimeout},
		"half a header":           {sent: "GET /api/health HTTP/1.1\r\nHo", reads: true, ends: readHeaderTimeout},
		"headers one by one":      {sent: "GET /api/health HTTP/1.1\r\nHost: x\r\n", drip: "X-A: b\r\n", reads: true, ends: readHeaderTimeout},
		"a body that never comes": {sent: head + "Content-Length: 100\r\n\r\n", reads: true, ends: middleware.BodyTimeout},
		"a body byte by byte":     {sent: head + "Content-Length: 100000\r\n\r\n", drip: " ", reads: true, ends: middleware.BodyTimeout},
		"chunks one by one": {sent: head +
			"Transfer-Encoding: chunked\r\n\r\n", drip: "1\r\n \r\n", reads: true, ends: middleware.BodyTimeout},
		"an answer that nobody reads": {sent: "GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n", drip: "\r\n", ends: WriteTimeout},
		"no second request":           {sent: "GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n", reads: true, ends: idleTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ln := &pipes{make(chan net.Conn), make(chan struct{})}
				ctx, stop := context.WithCancel(context.Background())
				served := make(chan error, 1)
				s := newServerWithTestRoutes(Options{Auth: tokens{}, Health: standing{}})
				go func() { served <- Serve(ctx, ln, s, slog.New(slog.DiscardHandler), Stop{Limit: time.Second}) }()
				conn, began := ln.dial(), time.Now()
				over := make(chan struct{})
				if tc.reads {
					go func() { _, _ = io.Copy(io.Discard, conn); close(over) }()
				}
				_, err := io.WriteString(conn, tc.sent)
				for ended := false; err == nil && !ended; {
					select {
					case <-over:
						ended = true
					case <-time.After(time.Second):
						if tc.drip != "" {
							_, err = io.WriteString(conn, tc.drip)
						}
					}
				}
				if held := time.Since(began); held < 5*time.Second || held > tc.ends+time.Second {
					t.Errorf("held for %s, want %s", held, tc.ends)
				}
				stop()
				must.OK(t, <-served)
			})
		})
	}
}

// TestManyHalfOpenConnections: they keep nobody else out.
func TestManyHalfOpenConnections(t *testing.T) {
	t.Parallel()
	addr := listen(t)
	for i := range 500 {
		conn := must.Get((&net.Dialer{}).DialContext(t.Context(), "tcp", addr))(t)
		t.Cleanup(func() { _ = conn.Close() })
		half := "POST /api/test/public HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
		must.Get(io.WriteString(conn, half[:len(half)*(i%5)/4]))(t)
	}
	answer := raw(t, addr, "GET /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(answer, "HTTP/1.1 200 ") {
		t.Errorf("%.100q", answer)
	}
}
