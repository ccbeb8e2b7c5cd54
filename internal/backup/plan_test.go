package backup_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// TestScheduledBackup: the settings' plan applies once there is a password, and its
// time gets a backup.
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
	began := due.Add(-time.Hour)
	want := backup.Plan{Schedule: "0 2 * * *", Drills: "0 5 1 * *", Zone: "Europe/Berlin", Since: began, DrillsSince: began}
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

// TestPlanSince: what was due and is missing stays overdue, whatever settings are
// saved besides its schedule.
func TestPlanSince(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := time.Date(2026, 5, 4, 1, 0, 0, 0, time.UTC)
	at := func(hours int) time.Time { return first.Add(time.Duration(hours) * time.Hour) }
	for hour, c := range []struct {
		what           string
		password       string
		change         func(*backup.Settings)
		backup, drills int // hours after the first
	}{
		{"no password yet", "", func(s *backup.Settings) { s.RetentionDays = 40 }, -1, -1},
		{"set up", password, nil, 1, 1},
		{"nothing", "", nil, 1, 1},
		{"another field", "", func(s *backup.Settings) { s.RetentionDays = 50 }, 1, 1},
		{"another password", password + "!", nil, 1, 1},
		{"the schedule", "", func(s *backup.Settings) { s.Schedule = "0 3 * * *" }, 5, 1},
		{"that of drills", "", func(s *backup.Settings) { s.DrillSchedule = "0 6 * * *" }, 5, 6},
		{"none of drills", "", func(s *backup.Settings) { s.DrillSchedule = "" }, 5, 7},
		{"drills again", "", func(s *backup.Settings) { s.DrillSchedule = "0 6 * * *" }, 5, 8},
		{"the zone", "", func(s *backup.Settings) { s.TimeZone = "Europe/Berlin" }, 9, 9},
		{"another field, then", "", func(s *backup.Settings) { s.Prefix = "north/" }, 9, 9},
	} {
		b.at(at(hour))
		b.change(c.password, func(s *backup.Settings) {
			// Clients do not send it.
			s.ScheduleSince, s.DrillScheduleSince = time.Time{}, time.Time{}
			if c.change != nil {
				c.change(s)
			}
		})
		plan := must.Get(b.Plan(t.Context()))(t)
		var backups, drills time.Time
		if c.backup >= 0 {
			backups, drills = at(c.backup), at(c.drills)
		}
		if !plan.Since.Equal(backups) || !plan.DrillsSince.Equal(drills) {
			t.Errorf("%s: since %s, drills %s; should be %s, %s", c.what, plan.Since, plan.DrillsSince, backups, drills)
		}
	}
	for _, e := range b.entries(audit.SettingsChanged) {
		if strings.Contains(e.Details, "since") {
			t.Errorf("the audit log says what nobody set: %s", e.Details)
		}
	}
}

// TestScheduledDrill: it tries the newest Completed full backup. One made with an
// earlier password is not called damaged.
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
	if j.Kind != backup.Drill || j.Key != full || !j.Scheduled || !j.DueAt.Equal(due) ||
		!strings.Contains(j.ErrorMessage.Text, "an earlier password") {
		t.Errorf("%+v", j)
	}
	must.OK(t, r.Runner.Stop(t.Context()))
}
