package siem

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// world is a real database with a growing log.
type world struct {
	t  *testing.T
	db *store.DB
}

func setup(t *testing.T) *world {
	t.Helper()
	return &world{t: t, db: engine.Store(t, t.TempDir(), store.Options{})}
}

func (w *world) append(n int) {
	w.t.Helper()
	list := make([]audit.Entry, n)
	for i := range list {
		list[i] = audit.Entry{Action: audit.Login, Outcome: audit.Success, Actor: "alex", Details: "line\nbreak " + strings.Repeat("x", 100)}
	}
	must.OK(w.t, w.db.AppendAudit(context.Background(), list...))
}

// tail is what a server creates at its start.
func (w *world) tail(sink Sink) *Tail {
	return &Tail{Name: "test", Store: w.db, Sink: sink, Log: slog.New(slog.DiscardHandler), Now: time.Now, Pause: time.Millisecond}
}

func (w *world) run(t *Tail) {
	w.t.Helper()
	must.OK(w.t, t.Run(context.Background()))
}

// until runs a tail, failures and all, until done; the server's loop does the
// same every second.
func (w *world) until(t *Tail, what string, done func() bool) {
	w.t.Helper()
	await.That(w.t, what, func() bool {
		_ = t.Run(context.Background())
		return done()
	})
}

// received collects ids.
type received struct {
	mu  sync.Mutex
	ids []int64
	all []string
	bad []string
}

func (r *received) message(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, object, ok := strings.Cut(text, "{")
	var e struct{ ID int64 }
	if err := json.Unmarshal([]byte("{"+object), &e); err != nil || !ok {
		r.bad = append(r.bad, fmt.Sprintf("%v in %q", err, text))
	}
	r.ids, r.all = append(r.ids, e.ID), append(r.all, text)
}

func (r *received) highest() (id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range r.ids {
		id = max(id, v)
	}
	return id
}

// check demands every ID from 1 to last, each at least once and first occurrences in
// order; it returns how many came more than once.
func (r *received) check(t *testing.T, last int64) (again int) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.bad) > 0 {
		t.Errorf("not of the form: %v", r.bad)
	}
	next := int64(1)
	for _, id := range r.ids {
		switch {
		case id == next:
			next++
		case id > next:
			t.Fatalf("entry %d came before %d", id, next)
		default:
			again++
		}
	}
	if next != last+1 {
		t.Fatalf("entries from %d to %d did not come", next, last)
	}
	return again
}

// counted reads messages by RFC 6587, section 3.4.1, until the end.
func (r *received) counted(conn io.Reader, stop func() bool) {
	br := bufio.NewReader(conn)
	for !stop() {
		text, err := br.ReadString(' ')
		if err != nil {
			return
		}
		n, err := strconv.Atoi(strings.TrimSuffix(text, " "))
		if err != nil {
			r.mu.Lock()
			r.bad = append(r.bad, "length "+text)
			r.mu.Unlock()
			return
		}
		raw := make([]byte, n)
		if _, err := io.ReadFull(br, raw); err != nil {
			return
		}
		r.message(string(raw))
	}
}

// receiver accepts streams. stop, if not nil, ends a connection early, with unread data.
func (r *received) receiver(t *testing.T, ln net.Listener, stop func() bool) {
	t.Helper()
	if stop == nil {
		stop = func() bool { return false }
	}
	ended, end := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() {
		for { // one at a time, so that entries arrive in order
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			free := context.AfterFunc(ended, func() { _ = conn.Close() })
			r.counted(conn, stop)
			free()
			_ = conn.Close()
		}
	})
	t.Cleanup(func() { end(); _ = ln.Close(); group.Wait() })
}

func listen(t *testing.T, network, address string) net.Listener {
	t.Helper()
	var c net.ListenConfig
	return must.Get(c.Listen(t.Context(), network, address))(t)
}

func syslogTo(t *testing.T, target, ca string) *Syslog {
	t.Helper()
	s := must.Get(NewSyslog(target, ca))(t)
	s.settle = 50 * time.Millisecond
	t.Cleanup(s.close)
	return s
}
