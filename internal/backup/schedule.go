package backup

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// How the schedule is kept.
const (
	ScheduleEvery = 15 * time.Second // how often the leader looks
	CatchUp       = 12 * time.Hour   // how late a backup is still made whose moment was missed
	OverdueAfter  = 3 * time.Hour    // how long after its moment a backup should be there
)

// Plan is when backups are made by themselves.
type Plan struct {
	Schedule string    // cron, five fields; empty: never
	Zone     string    // an IANA name; empty: UTC
	Since    time.Time // when the settings were last saved: moments before are not made up for, nor overdue
}

// Scheduler makes a backup at each moment of the plan: once over all servers, of which
// the leader looks. What decides is the moment that a job is for, not when somebody
// looked: a change of leader doubles nothing, and a moment at which no server ran, or
// another job did, is made up for, the latest one, within CatchUp. One that could not be
// is a job that Failed, with its notice.
type Scheduler struct {
	Store Store
	Plan  func(context.Context) (Plan, error)
	Make  func(ctx context.Context, due time.Time) error // begins the job for that moment
	Log   *slog.Logger
	Now   func() time.Time

	failed error // the latest attempt, since the one that did not
}

// Run looks once. Its error is why the backup that is due could not be begun; it is
// tried again.
func (s *Scheduler) Run(ctx context.Context) error {
	due, err := s.due(ctx)
	if err != nil || due.IsZero() {
		return err
	}
	if late := s.Now().Sub(due); late > CatchUp {
		return s.missed(ctx, due)
	}
	err = s.Make(ctx, due)
	switch {
	case err == nil:
		s.Log.InfoContext(ctx, "a scheduled backup has begun", "due", due)
	case errors.Is(err, ErrDone), fault.Is(err, fault.JobRunning): // another server was quicker; or later
		return nil
	}
	s.failed = err
	return err
}

// due is the moment that has no job and ought to; zero when there is none.
func (s *Scheduler) due(ctx context.Context) (time.Time, error) {
	plan, err := s.Plan(ctx)
	if err != nil || plan.Schedule == "" {
		return time.Time{}, err
	}
	moments, err := ParseSchedule(plan.Schedule, plan.Zone)
	if err != nil {
		return time.Time{}, err
	}
	now := s.Now()
	due := moments.Latest(now)
	if !due.After(plan.Since) {
		return time.Time{}, nil
	}
	last, err := s.Store.LatestDue(ctx, Backup, now)
	if err != nil || !due.After(last) {
		return time.Time{}, err
	}
	return due, nil
}

// missed puts on record that a backup was not made.
func (s *Scheduler) missed(ctx context.Context, due time.Time) error {
	now := s.Now().Truncate(time.Microsecond)
	why := "No server was running at its time, and for hours afterwards; or another job was."
	if s.failed != nil {
		why = "It could not be begun: " + said(s.failed)
	}
	j := Job{Kind: Backup, Type: "full", Scheduled: true, DueAt: &due, CreatedAt: now, Heartbeat: now}
	j = j.over(End{Status: Failed, ErrorMessage: why + " Make one now, or wait for the next.", At: now})
	_, err := s.Store.InsertFailed(ctx, j, telling(j))
	if errors.Is(err, ErrDone) {
		err = nil
	}
	if err == nil {
		s.failed = nil
		s.Log.ErrorContext(ctx, "a scheduled backup was not made", "due", due, "reason", why)
	}
	return err
}

// Overdue is the moment of the plan whose backup should have been there by now, and
// is not; zero when all is well. succeeded is when the latest one ended well.
func (p Plan) Overdue(succeeded, now time.Time) time.Time {
	if p.Schedule == "" {
		return time.Time{}
	}
	moments, err := ParseSchedule(p.Schedule, p.Zone)
	if err != nil {
		return time.Time{}
	}
	due := moments.Latest(now.Add(-OverdueAfter))
	if due.After(p.Since) && succeeded.Before(due) {
		return due
	}
	return time.Time{}
}
