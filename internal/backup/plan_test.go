package backup_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// TestScheduledBackup: the plan is that of the settings, once there is a password, and
// its moment gets a backup that is there.
func TestScheduledBackup(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	due := time.Date(2026, 5, 4, 2, 0, 0, 0, time.UTC)
	if plan := must.Get(b.Plan(t.Context()))(t); plan.Schedule != "" {
		t.Errorf("before there are settings: %+v", plan)
	}
	r := &backup.Runner{Store: b.db, Server: "a", Log: slog.New(slog.DiscardHandler), Now: time.Now}
	if err := b.Scheduled(t.Context(), r, due); !fault.Is(err, fault.BackupNotConfigured) {
		t.Errorf("without a password: %v", err)
	}
	b.at(due.Add(-time.Hour))
	b.change(password, func(s *backup.Settings) { s.TimeZone = "Europe/Berlin" })
	want := backup.Plan{Schedule: "0 2 * * *", Drills: "0 5 1 * *", Zone: "Europe/Berlin", Since: due.Add(-time.Hour)}
	if diff := cmp.Diff(want, must.Get(b.Plan(t.Context()))(t)); diff != "" {
		t.Errorf("the plan (-want +got): %s", diff)
	}
	must.OK(t, b.Scheduled(t.Context(), r, due))
	await.That(t, "the backup is there", func() bool {
		_, active, err := b.db.ActiveJob(t.Context())
		return err == nil && !active
	})
	j := must.Get(b.db.LatestJobs(t.Context()))(t)[0]
	if j.Status != backup.Completed || !j.Scheduled || !j.DueAt.Equal(due) || len(b.files()) == 0 {
		t.Errorf("%+v, files %q", j, b.files())
	}
	must.OK(t, r.Stop(t.Context()))
}

// TestScheduledDrill: it tries the newest full backup that was Completed. One that was made
// with an earlier password is not called damaged.
func TestScheduledDrill(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := &backup.Restorer{
		Backups: b.Service, Log: b.Log, Now: time.Now, Folder: t.TempDir(), Free: func() (int64, bool, error) { return 0, false, nil },
		Runner: &backup.Runner{Store: b.db, Server: "a", Log: b.Log, Now: time.Now},
	}
	due := time.Date(2026, 5, 3, 5, 0, 0, 0, time.UTC)
	b.change(password, nil)
	b.at(due.Add(-3 * time.Hour))
	if err := r.Scheduled(t.Context(), due); b.reason(err) != "no_backup_to_try" {
		t.Errorf("without a backup: %v", err)
	}
	full := must.Get(b.make(t.Context(), archive.Full))(t).Key
	for _, later := range []struct {
		kind      archive.Type
		completed bool
	}{{archive.Vault, true}, {archive.Full, false}} {
		b.at(b.Now().Add(time.Minute))
		if made := must.Get(b.make(t.Context(), later.kind))(t); later.completed {
			b.done = append(b.done, made.Key)
		}
	}
	b.done = append(b.done, full)
	b.change("another password, "+password, nil)
	must.OK(t, r.Scheduled(t.Context(), due))
	await.That(t, "the drill is over", func() bool {
		_, active, err := b.db.ActiveJob(t.Context())
		return err == nil && !active
	})
	j := must.Get(b.db.LatestJobs(t.Context()))(t)[0]
	if j.Kind != backup.Drill || j.Key != full || !j.Scheduled || !j.DueAt.Equal(due) || !strings.Contains(j.ErrorMessage, "is not damaged") {
		t.Errorf("%+v", j)
	}
	must.OK(t, r.Runner.Stop(t.Context()))
}
