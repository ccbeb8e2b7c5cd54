//go:build exhaustive

package store

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// lonely is a database whose server waits at each commit for a standby that never comes.
type lonely struct {
	*DB

	server *postgrestest.Server
}

func newLonely(t *testing.T) lonely {
	t.Helper()
	server := postgrestest.Start(t, postgrestest.Options{})
	return lonely{openURL(t, server.URL("postgres")), server}
}

// wants sets the name of the standby that commits wait for, and returns when
// they do.
func (l lonely) wants(t *testing.T, name string) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	must.OK(t, l.server.Run(ctx, "ALTER SYSTEM SET synchronous_standby_names = '"+name+"'"))
	must.OK(t, l.server.Run(ctx, "SELECT pg_reload_conf()"))
	if name == "" {
		return
	}
	var probing sync.WaitGroup
	probing.Go(func() {
		for ctx.Err() == nil {
			_ = l.server.Run(ctx, "SELECT pg_logical_emit_message(TRUE, 'probe', '')")
		}
	})
	await.That(t, "commits wait for the standby", func() bool { return len(l.waiting(t)) == 1 })
	end()
	probing.Wait()
	await.That(t, "the probe has ended", func() bool { return len(l.waiting(t)) == 0 })
}

// waiting returns the processes whose commits wait for a standby.
func (l lonely) waiting(t *testing.T) []int64 {
	t.Helper()
	return must.Get(queryAll(t.Context(), l.check, scanInt, "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))(t)
}

// interrupted is the outcome of a write whose wait for its standby is cancelled.
func (l lonely) interrupted(t *testing.T, statement string) (pid int64, ended <-chan error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- l.write(context.WithoutCancel(t.Context()), "commit", appends("on one server")) }()
	await.That(t, "the commit waits for the standby", func() bool { return len(l.waiting(t)) == 1 })
	pid = l.waiting(t)[0]
	must.Get(l.reads.ExecContext(t.Context(), statement, pid))(t)
	return pid, done
}

// TestSynchronousStandby: what is committed on one server alone, because its wait for the standby
// was cancelled, is not acknowledged before the standby has it.
func TestSynchronousStandby(t *testing.T) {
	t.Parallel()
	l := newLonely(t)
	c := l.writer.(*serializable)
	unknown := func(t *testing.T, err error) {
		t.Helper()
		if f, ok := fault.As(err); !ok || f.Code != fault.DatabaseUnavailable || f.Reason != "outcome_unknown" {
			t.Errorf("got %v, want outcome_unknown", err)
		}
		await.That(t, "nobody asks for the outcome any more", func() bool { return len(l.waiting(t)) == 0 })
	}
	for how, statement := range map[string]string{
		"by an administrator": "SELECT pg_cancel_backend($1)", "with its connection": "SELECT pg_terminate_backend($1)",
	} {
		t.Run(how, func(t *testing.T) {
			l.wants(t, "absent")
			c.within, c.settle = WriteWithin, 300*time.Millisecond
			_, ended := l.interrupted(t, statement)
			unknown(t, <-ended)

			c.within, c.settle = time.Hour, time.Hour/2
			pid, ended := l.interrupted(t, statement)
			await.That(t, "the standby is waited for again", func() bool {
				now := l.waiting(t)
				return len(now) == 1 && now[0] != pid
			})
			l.wants(t, "") // tells the server to stop waiting
			must.OK(t, <-ended)
		})
	}
	t.Run("by the client", func(t *testing.T) {
		l.wants(t, "absent")
		// On a slow machine the time may be over before the commit is sent; then nothing was
		// changed, and a write with more time shows the effect.
		for c.within = 600 * time.Millisecond; ; c.within *= 2 {
			c.settle = c.within / 2
			err := l.write(t.Context(), "commit", appends("on one server"))
			if f, ok := fault.As(err); !ok || f.Reason != "away" {
				unknown(t, err)
				return
			}
		}
	})
}
