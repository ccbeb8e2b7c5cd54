package backup_test

import (
	"context"
	"errors"
	"testing"

	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/must"
)

// TestBarrier: nothing is let through before it is known that no restore changes things,
// and what was seen holds while the database does not tell.
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
