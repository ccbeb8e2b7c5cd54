package backup

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// ScheduleEvery is how often the leader checks the schedule.
const ScheduleEvery = 15 * time.Second

// pace is how punctual a schedule is.
type pace struct {
	catchUp      time.Duration // how late a missed job is still started
	overdueAfter time.Duration // how long after its time a job should have ended
}

// paces are those of backups and drills. A drill is rarer, and as useful some days later.
var paces = map[Kind]pace{
	Backup: {12 * time.Hour, 3 * time.Hour},
	Drill:  {7 * 24 * time.Hour, 24 * time.Hour},
}

// Scheduler starts a backup, or a drill, at each scheduled time, once over all
// servers; the leader checks. What counts is the time that a job is for, not when it
// was checked: a change of leader causes no duplicates, and the latest time missed
// because no server ran, or another job did, is made up for as long as its pace
// allows. After that, it is recorded as a Failed job, with its notice.
type Scheduler struct {
	Kind  Kind // Backup or Drill
	Store Store
	Plan  func(context.Context) (Plan, error)
	Begin func(ctx context.Context, due time.Time) error // starts the job for that time
	Log   *slog.Logger
	Now   func() time.Time

	failed error // of the latest attempt, since the last success
}

// Run checks once. Its error is why the due job could not be started; it is tried again.
func (s *Scheduler) Run(ctx context.Context) error {
	due, err := s.due(ctx)
	if err != nil || due.IsZero() {
		return err
	}
	if late := s.Now().Sub(due); late > paces[s.Kind].catchUp {
		return s.missed(ctx, due)
	}
	err = s.Begin(ctx, due)
	switch {
	case err == nil:
		s.Log.InfoContext(ctx, "a scheduled backup job has started", "kind", string(s.Kind), "due", due)
	case errors.Is(err, ErrDone), fault.Is(err, fault.JobRunning): // another server was faster; or retry later
		return nil
	}
	s.failed = err
	return err
}

// due returns the time that should have a job and has none; zero if none.
func (s *Scheduler) due(ctx context.Context) (time.Time, error) {
	plan, err := s.Plan(ctx)
	if err != nil {
		return time.Time{}, err
	}
	moments, planned, err := plan.moments(s.Kind)
	if err != nil || !planned {
		return time.Time{}, err
	}
	now := s.Now()
	due := moments.Latest(now)
	if !due.After(plan.since(s.Kind)) {
		return time.Time{}, nil
	}
	last, err := s.Store.LatestDue(ctx, s.Kind, now)
	if err != nil || !due.After(last) {
		return time.Time{}, err
	}
	return due, nil
}

// missed records that a job did not start.
func (s *Scheduler) missed(ctx context.Context, due time.Time) error {
	now := s.Now().Truncate(time.Microsecond)
	why := fault.Say("not_begun", "No server was running at the scheduled time and long after, or another job was running.")
	if s.failed != nil {
		why = fault.Sayf("could_not_begin", "It could not start: {why}", fault.Params{"why": said(s.failed)})
	}
	message := fault.Sayf("missed", "{why} Start one now, or wait for the next.", fault.Params{"why": why})
	j := Job{Kind: s.Kind, Type: "full", Scheduled: true, DueAt: &due, CreatedAt: now, Heartbeat: now}
	j = j.over(End{Status: Failed, ErrorMessage: message, At: now})
	_, err := s.Store.InsertFailed(ctx, j, endRecord(j))
	if errors.Is(err, ErrDone) {
		err = nil
	}
	if err == nil {
		s.failed = nil
		s.Log.ErrorContext(ctx, "a scheduled backup job did not start in time", "kind", string(s.Kind), "due", due, "reason", why.Text)
	}
	return err
}
