package postgrestest

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
	var ours atomic.Int64 // answers to come that the client knows nothing of
	var back sync.WaitGroup
	back.Go(func() { answer(client, server, &ours); _ = client.Close() })
	a.forward(client, server, &ours)
	_ = server.Close()
	back.Wait()
}

// answer passes on what the server says, but that it has parsed what is ours.
func answer(client, server net.Conn, ours *atomic.Int64) {
	head := make([]byte, 5) // the message's type, and its length without that
	for {
		if _, err := io.ReadFull(server, head); err != nil {
			return
		}
		message := make([]byte, 1+binary.BigEndian.Uint32(head[1:]))
		copy(message, head)
		if _, err := io.ReadFull(server, message[len(head):]); err != nil {
			return
		}
		if head[0] == '1' && ours.Load() > 0 { // ParseComplete
			ours.Add(-1)
		} else if _, err := client.Write(message); err != nil {
			return
		}
	}
}

// forward passes on what the client says.
func (a *again) forward(client, server net.Conn, ours *atomic.Int64) {
	from := pgproto3.NewBackend(client, client)
	within := false // a transaction
	defer func() { a.end(within) }()
	prepared := map[string]string{}
	first, err := from.ReceiveStartupMessage()
	for message := pgproto3.Message(first); err == nil; {
		var raw []byte
		switch m := message.(type) {
		case *pgproto3.Query:
			m.String, within = a.query(m.String, within)
		case *pgproto3.Parse:
			prepared[m.Name] = m.Query
		case *pgproto3.Bind:
			var text string
			if text, within = a.query(prepared[m.PreparedStatement], within); text != prepared[m.PreparedStatement] {
				ours.Add(1)
				m.PreparedStatement = ""
				raw, err = (&pgproto3.Parse{Query: text}).Encode(nil)
			}
		}
		if err == nil {
			raw, err = message.(interface{ Encode([]byte) ([]byte, error) }).Encode(raw)
		}
		if err == nil {
			_, err = server.Write(raw)
		}
		if err == nil {
			message, err = from.Receive()
		}
	}
}

// query counts transactions. It gives the text to send in this one's place, and
// tells whether the connection is within a transaction then.
func (a *again) query(text string, within bool) (string, bool) {
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
	return text, within
}

// end is that of a connection.
func (a *again) end(within bool) {
	a.Lock()
	defer a.Unlock()
	if within {
		a.underWay--
	}
}
