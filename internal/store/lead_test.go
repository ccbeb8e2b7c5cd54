package store

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// term is a time as leader.
type term struct {
	held context.Context
	end  chan struct{} // closed to give it up
}

// able is for a candidate that can always lead.
func able() time.Duration { return 0 }

// stands makes a database a candidate for the lead until ctx ends, and returns its terms as they
// begin and how each ended.
func stands(ctx context.Context, db *DB) (terms chan term, ended chan error) {
	return standsWith(ctx, db, able)
}

func standsWith(ctx context.Context, db *DB, unable func() time.Duration) (terms chan term, ended chan error) {
	terms, ended = make(chan term, 1), make(chan error, 1)
	go func() {
		ended <- db.Lead(ctx, unable, func(held context.Context) {
			now := term{held, make(chan struct{})}
			terms <- now
			select {
			case <-held.Done():
			case <-now.end:
			}
		})
	}()
	return terms, ended
}

// openCandidate opens a database that loses its lead only by what a test does: the server may be
// slow.
func openCandidate(t *testing.T, url string) *DB {
	t.Helper()
	db := must.Get(OpenPostgres(t.Context(), Server{URL: secret.New(url), ConnectTimeout: time.Hour}, Options{}))(t)
	db.leadWithin = time.Hour
	t.Cleanup(func() { must.OK(t, db.Close()) })
	return db
}

// TestOneLeads: of two replicas one leads; when it gives up, the other does.
func TestOneLeads(t *testing.T) {
	t.Parallel()
	url := MigratedURL(t)
	a, b := openCandidate(t, url), openCandidate(t, url)
	termsA, endedA := stands(t.Context(), a)
	first := await.From(t, "a leads", termsA)
	ctx, cancel := context.WithCancel(t.Context())
	termsB, endedB := stands(ctx, b)
	await.That(t, "b looks for the lead", func() bool { return leadSessions(t, a) == 2 })
	if len(termsB) != 0 || first.held.Err() != nil {
		t.Error("there are two leaders, or none")
	}
	close(first.end)
	if err := <-endedA; err != nil {
		t.Errorf("given up: %v", err)
	}
	second := await.From(t, "b leads", termsB)
	cancel() // the server stops: that alone takes no lead away
	if second.held.Err() != nil {
		t.Error("the lead ended with the context of who stood for it")
	}
	close(second.end)
	<-endedB
}

func leadSessions(t *testing.T, db *DB) int64 {
	t.Helper()
	return must.Get(queryOne(t.Context(), db.read, scanInt,
		"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'keyward lead'"))(t)
}

// TestLostLead: with its connection the leader loses the lead at once, and another takes it.
func TestLostLead(t *testing.T) {
	t.Parallel()
	url := MigratedURL(t)
	a, b := openCandidate(t, url), openCandidate(t, url)
	termsA, endedA := stands(t.Context(), a)
	first := await.From(t, "a leads", termsA)
	termsB, _ := stands(t.Context(), b)
	_, err := b.writes.ExecContext(t.Context(), `SELECT pg_terminate_backend(l.pid) FROM pg_locks AS l
		WHERE l.locktype = 'advisory' AND l.granted AND l.objid = 2
			AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())`)
	must.OK(t, err)
	await.From(t, "a has lost the lead", first.held.Done())
	if err := <-endedA; !fault.Is(err, fault.DatabaseUnavailable) {
		t.Errorf("lost: %v", err)
	}
	second := await.From(t, "b leads", termsB)
	close(second.end)
}

// reach is how long a server has been without the vault, and counts how often it was asked.
type reach struct{ away, asked atomic.Int64 }

func (r *reach) unable() time.Duration {
	r.asked.Add(1)
	return time.Duration(r.away.Load())
}

// askedAgain returns once reach was asked twice more: by then its answer was acted upon once.
func (r *reach) askedAgain(t *testing.T) {
	t.Helper()
	before := r.asked.Load()
	await.That(t, "it is asked again", func() bool { return r.asked.Load() >= before+2 })
}

// TestUnableLeader: a leader that has long been without the vault keeps the lead while nobody else
// has the vault, and gives it up to the one that gets it, not to one without.
func TestUnableLeader(t *testing.T) {
	t.Parallel()
	url := MigratedURL(t)
	var a, b, c reach
	termsA, endedA := standsWith(t.Context(), openCandidate(t, url), a.unable)
	first := await.From(t, "a leads", termsA)
	b.away.Store(1)
	c.away.Store(1)
	termsB, _ := standsWith(t.Context(), openCandidate(t, url), b.unable)
	ctx, cancel := context.WithCancel(t.Context())
	termsC, endedC := standsWith(ctx, openCandidate(t, url), c.unable)
	b.askedAgain(t)
	c.askedAgain(t)

	a.away.Store(int64(time.Hour))
	a.askedAgain(t)
	if first.held.Err() != nil {
		t.Fatal("the lead was given up, and nobody is better")
	}
	b.away.Store(0)
	await.From(t, "a gives the lead up", first.held.Done())
	if err := <-endedA; !errors.Is(err, system.ErrUnable) {
		t.Errorf("given up: %v", err)
	}
	second := await.From(t, "b leads", termsB)

	b.away.Store(int64(leadUnable) - 1) // not for long
	c.away.Store(0)
	b.askedAgain(t)
	if second.held.Err() != nil {
		t.Error("the lead was given up at once")
	}
	c.away.Store(1) // before b needs another
	c.askedAgain(t)
	close(second.end)
	third := await.From(t, "c leads, since nobody is better", termsC)
	close(third.end)
	<-endedC
	cancel()
}
