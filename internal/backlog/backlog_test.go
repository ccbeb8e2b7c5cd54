package backlog_test

import (
	"errors"
	"io"
	"net"
	"testing"

	"github.com/keyward/keyward/internal/backlog"
	"github.com/keyward/keyward/test/must"
)

// TestClose: whoever was connected before is accepted after.
func TestClose(t *testing.T) {
	t.Parallel()
	ln := backlog.Keep(must.Get((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t))
	t.Cleanup(func() { _ = ln.Close() })
	var clients []net.Conn
	for range 5 {
		c := must.Get((&net.Dialer{}).DialContext(t.Context(), "tcp", ln.Addr().String()))(t)
		t.Cleanup(func() { _ = c.Close() })
		must.Get(io.WriteString(c, "hello"))(t)
		clients = append(clients, c)
	}
	must.OK(t, ln.Close())
	for range clients {
		c, err := ln.Accept()
		if err != nil {
			t.Fatal("somebody who was connected is lost:", err)
		}
		said := make([]byte, 5)
		must.Get(io.ReadFull(c, said))(t)
		must.Get(c.Write(said))(t)
		must.OK(t, c.Close())
	}
	for _, c := range clients {
		if said := must.Get(io.ReadAll(c))(t); string(said) != "hello" {
			t.Errorf("the answer is %q", said)
		}
	}
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after the last: %v", err)
	}
	if err := ln.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed again: %v", err)
	}
	if c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", ln.Addr().String()); err == nil {
		t.Error("somebody gets in after the end", c.Close())
	}
}
