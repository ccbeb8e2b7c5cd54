package httpapi

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/backlog"
	"github.com/keyward/keyward/test/must"
)

// late accepts nobody before it is closed, as on a machine that is busy.
type late struct {
	net.Listener

	asked, closed chan struct{} // the first call of Accept, and the first of Close
	ask, end      sync.Once
}

func (l *late) Accept() (net.Conn, error) {
	l.ask.Do(func() { close(l.asked) })
	<-l.closed
	return l.Listener.Accept()
}

func (l *late) Close() error {
	err := l.Listener.Close()
	l.end.Do(func() { close(l.closed) })
	return err
}

// TestStopLosesNobody: whoever was connected when a server stops has an answer,
// whether the server had read the request, or even accepted the connection, or not.
func TestStopLosesNobody(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	tcp := must.Get((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	ln := &late{Listener: backlog.Keep(tcp), asked: make(chan struct{}), closed: make(chan struct{})}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, ln, h, slog.New(slog.DiscardHandler), Stop{Limit: time.Hour}) }()
	<-ln.asked
	const request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"
	var clients []net.Conn
	for range 5 {
		c := must.Get((&net.Dialer{}).DialContext(t.Context(), "tcp", tcp.Addr().String()))(t)
		t.Cleanup(func() { _ = c.Close() })
		must.Get(io.WriteString(c, request[:len(request)/2]))(t)
		clients = append(clients, c)
	}
	stop()
	<-ln.closed
	for _, c := range clients {
		must.Get(io.WriteString(c, request[len(request)/2:]))(t)
		if said := must.Get(io.ReadAll(c))(t); !strings.HasPrefix(string(said), "HTTP/1.1 200 ") || !strings.HasSuffix(string(said), "{}") {
			t.Errorf("the answer is %q", said)
		}
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestConnsSettled: a request is waited for without end, and a client that says
// nothing for five seconds.
func TestConnsSettled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		open := newConns()
		a, b := net.Pipe()
		defer func() { _, _ = a.Close(), b.Close() }()
		is := func(after time.Duration, want bool) {
			t.Helper()
			wait, settled := open.settled(time.Now().Add(after))
			if settled != want || wait <= 0 || wait > silence {
				t.Errorf("settled: %t, look again after %v", settled, wait)
			}
		}
		is(0, true)
		open.note(a, http.StateNew)
		is(silence/2, false)
		is(2*silence, true)
		open.note(a, http.StateActive)
		is(2*silence, false)
		open.note(b, http.StateNew)
		open.note(a, http.StateIdle)
		is(0, false)
		open.note(b, http.StateClosed)
		is(0, true)
	})
}
