package app

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/system"
)

// backupsComponent is the health of backups: whether the latest succeeded and none is
// overdue, and whether the latest drill restored its backup.
func backupsComponent(watch *backup.Watch) system.Component {
	return system.Component{Name: "backups", Check: func(ctx context.Context) system.Finding {
		s, err := watch.Look(ctx)
		switch trouble := s.Trouble(); {
		case err != nil:
			return system.Finding{Status: system.Failed, Code: "backups_unknown",
				Detail: "The state of backups is unknown: the database is not responding."}
		case trouble != "":
			return system.Finding{Status: system.Degraded, Code: "backups_trouble", Detail: trouble}
		case !s.Planned && s.Succeeded == nil:
			return system.Finding{Status: system.NotConfigured, Code: "backups_none",
				Detail: "No backups are created: they need an encryption password and a schedule."}
		}
		return system.Finding{Status: system.OK}
	}}
}

// backupMetrics report what this server last saw of backups.
func backupMetrics(watch *backup.Watch) []prometheus.Collector {
	gauge := func(name, help string, of func(backup.Health) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			s, _ := watch.Latest()
			return of(s)
		})
	}
	finished := func(j *backup.Job) float64 {
		if j == nil {
			return 0
		}
		return float64(j.FinishedAt.UnixMilli()) / 1000
	}
	return []prometheus.Collector{
		gauge("keyward_backup_last_success_timestamp_seconds", "When the latest backup was completed; 0: never.",
			func(s backup.Health) float64 { return finished(s.Succeeded) }),
		gauge("keyward_backup_last_drill_success_timestamp_seconds", "When a backup was last proven to restore; 0: never.",
			func(s backup.Health) float64 { return finished(s.Verified) }),
		gauge("keyward_backup_failed", "1 while the latest backup is one that failed.",
			func(s backup.Health) float64 { return oneIf(s.Failed != nil) }),
		gauge("keyward_backup_drill_failed", "1 while the latest restore drill is one that failed.",
			func(s backup.Health) float64 { return oneIf(s.DrillFailed != nil) }),
		gauge("keyward_backup_overdue", "1 while a backup that the schedule wanted three hours ago is not there.",
			func(s backup.Health) float64 { return oneIf(!s.Overdue.IsZero()) }),
		gauge("keyward_backup_drill_overdue", "1 while a restore drill that the schedule wanted a day ago was not completed.",
			func(s backup.Health) float64 { return oneIf(!s.DrillOverdue.IsZero()) }),
		gauge("keyward_backup_job_running", "1 while a backup, restore or drill runs on any server.",
			func(s backup.Health) float64 { return oneIf(s.Active != nil) }),
	}
}
