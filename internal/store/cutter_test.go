package store

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// cutter is between a database and its server and cuts the connection at the next COMMIT, or
// swallows what either side sends.
type cutter struct {
	t      *testing.T
	server string // path of its socket
	url    string
	at     atomic.Int32
	refuse atomic.Bool // connections after the cut
	silent atomic.Bool // everything is swallowed, as by a network that is gone
}

// Where it cuts.
const (
	nowhere int32 = iota
	beforeCommit
	afterCommit
)

// newCutter listens in front of a URL's server.
func newCutter(t *testing.T, to string) *cutter {
	t.Helper()
	u := must.Get(url.Parse(to))(t)
	q := u.Query()
	c := &cutter{t: t, server: q.Get("host") + "/.s.PGSQL." + q.Get("port")}
	ln := must.Get((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	u.Host, u.RawQuery = ln.Addr().String(), "sslmode=disable"
	c.url = u.String()
	var serving sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	serving.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { c.serve(ctx, conn) })
		}
	})
	t.Cleanup(func() { stop(); _ = ln.Close(); serving.Wait() })
	return c
}

func (c *cutter) serve(ctx context.Context, client net.Conn) {
	defer client.Close()
	if c.refuse.Load() {
		return
	}
	if c.silent.Load() {
		defer context.AfterFunc(ctx, func() { _ = client.Close() })()
		_, _ = io.Copy(io.Discard, client)
		return
	}
	server, err := (&net.Dialer{}).DialContext(ctx, "unix", c.server)
	if err != nil {
		c.t.Error(err)
		return
	}
	defer server.Close()
	defer context.AfterFunc(ctx, func() { _ = client.Close(); _ = server.Close() })()
	var deaf atomic.Bool // nothing more reaches the client
	answers := make(chan struct{}, 64)
	var back sync.WaitGroup
	back.Go(func() {
		defer client.Close()
		for {
			kind, message, err := readMessage(server, true)
			if err != nil {
				return
			}
			if !deaf.Load() && !c.silent.Load() {
				if _, err := client.Write(message); err != nil {
					return
				}
			}
			if kind == 'Z' && deaf.Load() { // ready for the next query
				answers <- struct{}{}
			}
		}
	})
	c.forward(client, server, &deaf, answers)
	_ = client.Close()
	_ = server.Close()
	back.Wait()
}

// forward passes on what the client sends, until the cut. A COMMIT is prepared, and sent together
// with what is to be written before it.
func (c *cutter) forward(client, server net.Conn, deaf *atomic.Bool, answers <-chan struct{}) {
	commit := "" // the name of the prepared statement
	for typed := false; ; typed = true {
		kind, message, err := readMessage(client, typed)
		if err != nil {
			return
		}
		if c.silent.Load() {
			continue
		}
		if name, ok := strings.CutSuffix(string(message), "\x00COMMIT\x00\x00\x00"); ok && kind == 'P' {
			commit = name[5:]
		}
		if kind == 'B' && commit != "" && strings.Contains(string(message), commit) {
			if c.cuts(beforeCommit) {
				return
			}
			deaf.Store(c.cuts(afterCommit))
		}
		if _, err := server.Write(message); err != nil {
			return
		}
		if kind == 'S' && deaf.Load() {
			<-answers // the server has committed
			return
		}
	}
}

// cuts reports whether to cut here, once.
func (c *cutter) cuts(at int32) bool { return c.at.CompareAndSwap(at, nowhere) }

// readMessage reads a message of the protocol; the first of a client has no type.
func readMessage(from io.Reader, typed bool) (kind byte, message []byte, err error) {
	head := make([]byte, 4)
	if typed {
		head = make([]byte, 5)
	}
	if _, err := io.ReadFull(from, head); err != nil {
		return 0, nil, err
	}
	length := binary.BigEndian.Uint32(head[len(head)-4:])
	body := make([]byte, length-4)
	_, err = io.ReadFull(from, body)
	return head[0], append(head, body...), err
}
