package postgrestest

import (
	"context"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Again is a way to a database by which writes run twice: the first COMMIT of each
// is turned into a ROLLBACK, as the server does with a transaction that lost to
// another. One that others write beside is left alone. undone counts them.
func Again(t testing.TB, to string) (through string, undone func() int) {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	a := &again{t: t, server: q.Get("host") + "/.s.PGSQL." + q.Get("port")}
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { a.serve(ctx, client) })
		}
	})
	t.Cleanup(func() { stop(); _ = ln.Close(); serving.Wait() })
	u.Host, u.RawQuery = ln.Addr().String(), "sslmode=disable"
	return u.String(), func() int { a.Lock(); defer a.Unlock(); return a.undone }
}

type again struct {
	t      testing.TB
	server string // path of its socket

	sync.Mutex

	underWay int  // transactions
	again    bool // the last one was undone
	undone   int
}

func (a *again) serve(ctx context.Context, client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := (&net.Dialer{}).DialContext(ctx, "unix", a.server)
	if err != nil {
		return // the server has ended
	}
	defer func() { _ = server.Close() }()
	defer context.AfterFunc(ctx, func() { _ = client.Close(); _ = server.Close() })()
	var back sync.WaitGroup
	back.Go(func() { _, _ = io.Copy(client, server); _ = client.Close() })
	a.forward(client, server)
	_ = server.Close()
	back.Wait()
}

// forward passes on what the client says.
func (a *again) forward(client, server net.Conn) {
	from := pgproto3.NewBackend(client, client)
	within := false // a transaction
	defer func() { a.end(within) }()
	first, err := from.ReceiveStartupMessage()
	for message := pgproto3.Message(first); err == nil; {
		if query, ok := message.(*pgproto3.Query); ok {
			message, within = a.query(query.String, within)
		}
		var raw []byte
		if raw, err = message.(interface{ Encode([]byte) ([]byte, error) }).Encode(nil); err == nil {
			_, err = server.Write(raw)
		}
		if err == nil {
			message, err = from.Receive()
		}
	}
}

// query counts transactions. It gives the query to send in this one's place, and
// tells whether the connection is within a transaction then.
func (a *again) query(text string, within bool) (*pgproto3.Query, bool) {
	a.Lock()
	defer a.Unlock()
	switch {
	case strings.HasPrefix(text, "BEGIN"):
		a.underWay, within = a.underWay+1, true
	case text == "COMMIT" && within:
		if a.again = a.underWay == 1 && !a.again; a.again {
			a.undone++
			text = "ROLLBACK"
		}
		fallthrough
	case text == "ROLLBACK" && within:
		a.underWay, within = a.underWay-1, false
	}
	return &pgproto3.Query{String: text}, within
}

// end is that of a connection.
func (a *again) end(within bool) {
	a.Lock()
	defer a.Unlock()
	if within {
		a.underWay--
	}
}
