package app

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/sqlitetest"
	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/test/must"
)

// TestBackupsInHealthAndMetrics: before the first backup, after one, and after a failed
// one.
func TestBackupsInHealthAndMetrics(t *testing.T) {
	t.Parallel()
	db := must.Get(store.OpenSQLite(t.Context(), sqlitetest.Put(t, filepath.Join(t.TempDir(), "keyward.db")), store.Options{}))(t)
	t.Cleanup(func() { must.OK(t, db.Close()) })
	now := time.Date(2026, 5, 4, 6, 0, 0, 0, time.UTC)
	var plan backup.Plan
	watch := &backup.Watch{
		Store: db, Now: func() time.Time { return now }, Plan: func(context.Context) (backup.Plan, error) { return plan, nil },
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(backupMetrics(watch)...)
	expect := func(status system.Status, detail string, want ...string) {
		t.Helper()
		if f := backupsComponent(watch).Check(t.Context()); f.Status != status || !strings.HasPrefix(f.Detail, detail) {
			t.Errorf("health: %+v, should be %s, %s", f, status, detail)
		}
		var set []string
		for _, family := range must.Get(registry.Gather())(t) {
			if family.GetMetric()[0].GetGauge().GetValue() != 0 {
				set = append(set, strings.TrimPrefix(family.GetName(), "keyward_backup_"))
			}
		}
		if diff := cmp.Diff(want, set); diff != "" {
			t.Errorf("%s: metrics that are not 0 (-want +got): %s", status, diff)
		}
	}
	end := func(kind backup.Kind, status backup.Status) {
		t.Helper()
		j := must.Get(db.InsertJob(t.Context(), backup.Job{Kind: kind, Type: archive.Full, Status: backup.Pending, Runner: "a", CreatedAt: now,
			Heartbeat: now}))(t)
		must.Get(db.EndJob(t.Context(), j.ID, "a", backup.End{Status: status, ErrorMessage: fault.Sentence{Text: "Full."}, At: now},
			backup.EndRecord{
				Entry: audit.Entry{Action: audit.BackupCompleted, Outcome: audit.Success, Actor: audit.System, TargetType: "backup_job"}}))(t)
	}
	expect(system.NotConfigured, "No backups are created")
	plan = backup.Plan{Schedule: "0 2 * * *", Drills: "0 3 3 * *", Since: now.AddDate(0, -1, 0), DrillsSince: now.AddDate(0, -1, 0)}
	expect(system.Degraded, "The backup scheduled for 2026-05-04 02:00 UTC did not run", "drill_overdue", "overdue")
	end(backup.Backup, backup.Completed)
	end(backup.Drill, backup.Completed)
	expect(system.OK, "", "last_drill_success_timestamp_seconds", "last_success_timestamp_seconds")
	end(backup.Drill, backup.Failed)
	end(backup.Backup, backup.Failed)
	expect(system.Degraded, "The latest backup failed", "drill_failed", "failed", "last_drill_success_timestamp_seconds",
		"last_success_timestamp_seconds")
	must.Get(db.InsertJob(t.Context(), backup.Job{Kind: backup.Restore, Status: backup.Pending, CreatedAt: now, Heartbeat: now}))(t)
	expect(system.Degraded, "The latest backup failed", "drill_failed", "failed", "job_running", "last_drill_success_timestamp_seconds",
		"last_success_timestamp_seconds")
}
