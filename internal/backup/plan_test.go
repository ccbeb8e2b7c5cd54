package backup_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
	want := backup.Plan{Schedule: "0 2 * * *", Zone: "Europe/Berlin", Since: due.Add(-time.Hour)}
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
