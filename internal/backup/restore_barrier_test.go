package backup_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/must"
)

// TestBarrier: nothing is let through until it is known that no restore changes
// things, and the last observation holds while the database does not answer.
func TestBarrier(t *testing.T) {
	t.Parallel()
	var job backup.Job
	var active bool
	var away error
	b := &backup.Barrier{Active: func(context.Context) (backup.Job, bool, error) { return job, active, away }}
	barred := func(when string, is bool) {
		t.Helper()
		if err := b.Changes(); fault.Is(err, fault.RestoreRunning) != is || (err != nil) != is {
			t.Errorf("%s: %v", when, err)
		}
	}
	barred("before the first look", true)
	away = errors.New("away")
	if err := b.Look(t.Context()); !errors.Is(err, away) {
		t.Errorf("a look that failed: %v", err)
	}
	barred("no look has succeeded", true)
	away = nil
	for _, c := range []struct {
		when string
		job  backup.Job
		bars bool
	}{
		{"a backup", backup.Job{Kind: backup.Backup, Status: backup.Running, Reached: backup.Reached{Phase: "vault"}}, false},
		{"a restore that is checked", backup.Job{Kind: backup.Restore, Status: backup.Running, Reached: backup.Reached{Phase: "check"}}, false},
		{"a restore of the database", backup.Job{Kind: backup.Restore, Status: backup.Running, Reached: backup.Reached{Phase: "database"}}, true},
		{"a restore of the vault", backup.Job{Kind: backup.Restore, Status: backup.Running, Reached: backup.Reached{Phase: "vault"}}, true},
		{"its end", backup.Job{Kind: backup.Restore, Status: backup.Running, Reached: backup.Reached{Phase: "finish"}}, true},
	} {
		job, active = c.job, true
		must.OK(t, b.Look(t.Context()))
		barred(c.when, c.bars)
	}
	away = errors.New("away")
	if err := b.Look(t.Context()); !errors.Is(err, away) {
		t.Errorf("a look that failed: %v", err)
	}
	barred("not known since", true)
	away, active = nil, false
	must.OK(t, b.Look(t.Context()))
	barred("nothing runs", false)
}

// TestBarrierOpens: what a restore has changed is in use before anything is let through
// again, once for each restore.
func TestBarrierOpens(t *testing.T) {
	t.Parallel()
	var running bool
	var b *backup.Barrier
	opened := 0
	b = &backup.Barrier{
		Active: func(context.Context) (backup.Job, bool, error) {
			return backup.Job{Kind: backup.Restore, Status: backup.Running, Reached: backup.Reached{Phase: "finish"}}, running, nil
		},
		Opens: func(context.Context) {
			if opened++; b.Changes() == nil {
				t.Error("changes pass before the new state is in use")
			}
		},
	}
	for _, want := range []struct {
		running bool
		opened  int
	}{{false, 1}, {false, 1}, {true, 1}, {true, 1}, {false, 2}, {false, 2}} {
		running = want.running
		must.OK(t, b.Look(t.Context()))
		if opened != want.opened || (b.Changes() == nil) == running {
			t.Errorf("running %v: opened %d times, want %d; changes %v", running, opened, want.opened, b.Changes())
		}
	}
}

// TestBarrierSeesInOrder: an observation from before a restore began does not
// replace a later one.
func TestBarrierSeesInOrder(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	before, over := make(chan struct{}), make(chan struct{})
	b := &backup.Barrier{Active: func(context.Context) (backup.Job, bool, error) {
		if asked.Add(1) > 1 {
			return backup.Job{Kind: backup.Restore, Status: backup.Running, Reached: backup.Reached{Phase: "database"}}, true, nil
		}
		close(before)
		select { // the later look may now come first, if it can
		case <-over:
		case <-time.After(20 * time.Millisecond):
		}
		return backup.Job{}, false, nil
	}}
	var looks sync.WaitGroup
	looks.Go(func() { _ = b.Look(t.Context()) })
	<-before
	if err := b.Look(t.Context()); err != nil {
		t.Error(err)
	}
	close(over)
	looks.Wait()
	if b.Changes() == nil {
		t.Error("changes pass while a restore runs")
	}
}
