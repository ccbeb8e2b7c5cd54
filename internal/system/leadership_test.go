package system_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// replica stands for the lead until the test's end, or stop.
type replica struct {
	*system.Leadership

	log   await.Text
	terms chan context.Context // as they begin
	stop  context.CancelFunc
	ended chan struct{}
}

func newReplica(t *testing.T, url string) *replica {
	t.Helper()
	db := must.Get(store.OpenPostgres(t.Context(), store.Server{URL: secret.New(url), MaxConnections: 4}, store.Options{}))(t)
	ctx, stop := context.WithCancel(context.Background())
	r := &replica{terms: make(chan context.Context, 8), stop: stop, ended: make(chan struct{})}
	r.Leadership = &system.Leadership{Election: db, Log: slog.New(slog.NewTextHandler(&r.log, nil)), Pause: time.Millisecond}
	go func() {
		defer close(r.ended)
		r.Run(ctx, func(held context.Context) {
			r.terms <- held
			select {
			case <-held.Done():
			case <-ctx.Done():
			}
		})
	}()
	t.Cleanup(func() { stop(); <-r.ended; must.OK(t, db.Close()) })
	return r
}

// TestLeadMoves: one of two replicas leads. When its connection is cut, its
// work is ended at once and either of them leads again; when it stops, the
// other does.
func TestLeadMoves(t *testing.T) {
	t.Parallel()
	url := engine.Postgres(t)
	a, b := newReplica(t, url), newReplica(t, url)
	next := func() (*replica, *replica, context.Context) {
		t.Helper()
		select {
		case held := <-a.terms:
			return a, b, held
		case held := <-b.terms:
			return b, a, held
		case <-await.Context(t).Done():
			t.Fatal("nobody leads")
			panic("not reached")
		}
	}
	leader, other, held := next()
	for range 3 {
		// A server that is slow to answer costs the lead too: then nothing is said of it.
		if !leader.Leads() && held.Err() == nil {
			t.Error("it has the lead, and does not lead")
		}
		// It may have been the leader before, and has not heard the last of it.
		await.That(t, "one of them alone leads", func() bool { return !other.Leads() || held.Err() != nil })
		cut(t, url)
		await.From(t, "the leader's work ends", held.Done())
		leader.log.Contains(t, "this replica has lost the lead")
		leader, other, held = next()
	}
	leader.stop()
	<-leader.ended
	if leader.Leads() {
		t.Error("it has stopped, and leads")
	}
	await.From(t, "the other leads", other.terms)
}

// cut ends the leader's connection on the server.
func cut(t *testing.T, url string) {
	t.Helper()
	engine.ExecuteURL(t, url, `SELECT pg_terminate_backend(l.pid) FROM pg_locks AS l
		WHERE l.locktype = 'advisory' AND l.granted AND l.objid = 2 AND l.objsubid = 1
			AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())`)
}

// noElection is one that nobody reaches.
type noElection struct{}

func (noElection) Lead(context.Context, func() time.Duration, func(context.Context)) error {
	return errors.New("no server answers")
}

// TestNoElection: a replica that cannot ask says so, and not that it lost what
// it never had.
func TestNoElection(t *testing.T) {
	t.Parallel()
	var log await.Text
	l := &system.Leadership{Election: noElection{}, Log: slog.New(slog.NewTextHandler(&log, nil)), Pause: time.Millisecond}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); l.Run(ctx, func(context.Context) { t.Error("it leads") }) }()
	log.Contains(t, `msg="this replica cannot ask for the lead at the moment" error="no server answers"`)
	stop()
	await.From(t, "the end", ended)
	if strings.Contains(log.String(), "lost") {
		t.Error(log.String())
	}
}

// TestElsewhere: what another replica does is not late here.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	tasks := system.NewTasks(func() time.Time { return now })
	task := tasks.Track("seal", time.Second)
	status := func() system.Status { return tasks.Component().Check(t.Context()).Status }
	run := func() { must.OK(t, task.Run(t.Context(), func(context.Context) error { return nil })) }
	run()
	now = now.Add(time.Hour)
	if status() != system.Degraded {
		t.Error("a task that does not come round is not noticed")
	}
	task.Elsewhere()
	if status() != system.OK {
		t.Error("another replica's task is late here")
	}
	run()
	now = now.Add(time.Hour)
	if status() != system.Degraded {
		t.Error("a task that came back is not looked after")
	}
}
