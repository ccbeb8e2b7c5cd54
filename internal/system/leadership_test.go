package system_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// oneTerm is an election that its only candidate wins, and loses on demand.
type oneTerm struct{ lose chan struct{} }

func (e oneTerm) Lead(ctx context.Context, _ func() time.Duration, led func(context.Context)) error {
	held, end := context.WithCancel(ctx)
	go func() { <-e.lose; end() }()
	led(held)
	return errors.New("the connection is cut")
}

// TestLeadIsLost: a replica leads as long as its work lasts, logs that it lost the
// lead, and becomes a candidate again.
func TestLeadIsLost(t *testing.T) {
	t.Parallel()
	var log await.Text
	e := oneTerm{make(chan struct{})}
	l := &system.Leadership{Election: e, Log: slog.New(slog.NewTextHandler(&log, nil)), Pause: time.Millisecond}
	ctx, stop := context.WithCancel(t.Context())
	ended, terms := make(chan struct{}), make(chan bool)
	go func() {
		defer close(ended)
		l.Run(ctx, func(held context.Context) { terms <- l.Leads(); <-held.Done() })
	}()
	for range 2 {
		if !await.From(t, "a term", terms) {
			t.Error("it has the lead, and does not lead")
		}
		e.lose <- struct{}{}
	}
	log.Contains(t, `msg="this replica has lost the lead" error="the connection is cut"`)
	await.From(t, "another term", terms)
	stop()
	await.From(t, "the end", ended)
	if l.Leads() {
		t.Error("it has stopped, and leads")
	}
}

// TestElsewhere: a task that another replica runs is not late here.
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
