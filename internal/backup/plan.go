package backup

import (
	"cmp"
	"context"
	"time"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/fault"
)

// Plan is the schedule of backups and drills.
type Plan struct {
	Schedule string // of backups: cron, five fields; empty: never
	Drills   string // of restore drills, likewise
	Zone     string // an IANA name; empty: UTC
	// When each schedule took effect: earlier times are neither made up for nor overdue.
	Since, DrillsSince time.Time
}

// Plan returns the plan in the settings; empty without an encryption password.
func (s *Service) Plan(ctx context.Context) (Plan, error) {
	v, err := s.Rows.Setting(ctx, settingName)
	switch {
	case fault.Is(err, fault.NotFound):
		return Plan{}, nil
	case err != nil:
		return Plan{}, err
	}
	set, err := decodeSettings(v)
	if err != nil || set.PasswordID == "" {
		return Plan{}, err
	}
	return Plan{
		Schedule: set.Schedule, Drills: set.DrillSchedule, Zone: set.TimeZone, Since: set.ScheduleSince, DrillsSince: set.DrillScheduleSince,
	}, nil
}

// moments returns those of backups, or of drills; false if there are none.
func (p Plan) moments(k Kind) (Moments, bool, error) {
	expression := p.Schedule
	if k == Drill {
		expression = p.Drills
	}
	if expression == "" {
		return Moments{}, false, nil
	}
	m, err := ParseSchedule(expression, p.Zone)
	return m, err == nil, err
}

// since returns when the schedule of backups, or of drills, took effect.
func (p Plan) since(k Kind) time.Time {
	if k == Drill {
		return p.DrillsSince
	}
	return p.Since
}

// Next returns the time of the next backup, or drill; zero if none is planned.
func (p Plan) Next(k Kind, now time.Time) time.Time {
	if m, planned, _ := p.moments(k); planned {
		return m.Next(now)
	}
	return time.Time{}
}

// Overdue returns the scheduled time whose backup, or drill, should have ended by
// now but has not; zero if all is well. succeeded is when the latest one ended successfully.
func (p Plan) Overdue(k Kind, succeeded, now time.Time) time.Time {
	m, planned, _ := p.moments(k)
	if !planned {
		return time.Time{}
	}
	due := m.Latest(now.Add(-paces[k].overdueAfter))
	if due.After(p.since(k)) && succeeded.Before(due) {
		return due
	}
	return time.Time{}
}

// Scheduled starts the backup for a scheduled time. It returns an error, without
// starting a job, if something is known to be missing.
func (s *Service) Scheduled(ctx context.Context, r *Runner, due time.Time) error {
	if err := s.Ready(ctx); err != nil {
		return err
	}
	_, err := r.Start(ctx, Request{Kind: Backup, Type: archive.Full, Scheduled: true, DueAt: due}, s.Making(archive.Full))
	return err
}

// Scheduled starts the drill for a scheduled time, with errors like those of a backup.
func (r *Restorer) Scheduled(ctx context.Context, due time.Time) error {
	if _, busy, err := r.Runner.Store.ActiveJob(ctx); busy || err != nil { // do not ask the store in vain
		return cmp.Or(err, error(ErrRunning))
	}
	q, err := r.drillOf(ctx, "")
	if err != nil {
		return err
	}
	_, err = r.Runner.Start(ctx, Request{Kind: Drill, Type: q.Type, Key: q.Key, Scheduled: true, DueAt: due}, r.Drilling(q))
	return err
}
