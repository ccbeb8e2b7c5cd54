package backup

import (
	"context"
	"sync/atomic"
	"time"
)

// Health is the state of backups.
type Health struct {
	Planned      bool      // set up, with a schedule
	Next         time.Time // by the schedule; zero: none planned
	NextDrill    time.Time
	Active       *Job
	Succeeded    *Job      // the latest Completed backup; nil: none
	Failed       *Job      // the latest failed backup, if none succeeded since
	Verified     *Job      // the latest Completed drill: its backup restores
	DrillFailed  *Job      // the latest failed drill, if none succeeded since
	Overdue      time.Time // the scheduled time whose backup is missing; zero if all is well
	DrillOverdue time.Time // the scheduled time whose drill is missing; zero if all is well
}

// Trouble says what someone should look at; empty if all is well.
func (s Health) Trouble() string {
	const form = "2006-01-02 15:04 UTC"
	switch {
	case s.Failed != nil:
		return "The latest backup failed, " + s.Failed.FinishedAt.UTC().Format(form) + ": " + s.Failed.ErrorMessage.Text
	case !s.Overdue.IsZero() && s.Succeeded == nil:
		return "The backup scheduled for " + s.Overdue.UTC().Format(form) + " did not run, and there is no backup yet."
	case !s.Overdue.IsZero():
		return "The backup scheduled for " + s.Overdue.UTC().Format(form) + " did not run. The latest one is from " +
			s.Succeeded.FinishedAt.UTC().Format(form) + "."
	case s.DrillFailed != nil:
		return "The latest trial restore failed, " + s.DrillFailed.FinishedAt.UTC().Format(form) + ": " + s.DrillFailed.ErrorMessage.Text
	case !s.DrillOverdue.IsZero() && s.Verified == nil:
		return "The trial restore scheduled for " + s.DrillOverdue.UTC().Format(form) + " did not run. There has never been a successful one."
	case !s.DrillOverdue.IsZero():
		return "The trial restore scheduled for " + s.DrillOverdue.UTC().Format(form) + " did not run. The last successful one was on " +
			s.Verified.FinishedAt.UTC().Format(form) + "."
	}
	return ""
}

// Watch monitors the state of backups, for health and metrics.
type Watch struct {
	Store Store
	Plan  func(context.Context) (Plan, error)
	Now   func() time.Time

	latest atomic.Pointer[Health]
}

// WatchEvery is how often each server looks, to keep metrics current.
const WatchEvery = 30 * time.Second

// Run looks, for Latest.
func (w *Watch) Run(ctx context.Context) error {
	_, err := w.Look(ctx)
	return err
}

// Latest returns the last observed state; false if there is none yet.
func (w *Watch) Latest() (Health, bool) {
	s := w.latest.Load()
	if s == nil {
		return Health{}, false
	}
	return *s, true
}

// Look returns the current state.
func (w *Watch) Look(ctx context.Context) (Health, error) {
	plan, err := w.Plan(ctx)
	if err != nil {
		return Health{}, err
	}
	jobs, err := w.Store.LatestJobs(ctx)
	if err != nil {
		return Health{}, err
	}
	active, ok, err := w.Store.ActiveJob(ctx)
	if err != nil {
		return Health{}, err
	}
	now := w.Now()
	s := Health{Planned: plan.Schedule != "", Next: plan.Next(Backup, now), NextDrill: plan.Next(Drill, now)}
	if ok {
		s.Active = &active
	}
	s.Succeeded, s.Failed = latestOf(jobs, Backup)
	s.Verified, s.DrillFailed = latestOf(jobs, Drill)
	s.Overdue = plan.Overdue(Backup, finished(s.Succeeded), now)
	s.DrillOverdue = plan.Overdue(Drill, finished(s.Verified), now)
	w.latest.Store(&s)
	return s, nil
}

// finished returns when a job ended; zero for nil.
func finished(j *Job) time.Time {
	if j == nil {
		return time.Time{}
	}
	return *j.FinishedAt
}

// latestOf returns the latest job of a kind that succeeded, and the latest that
// failed since; cancelled jobs do not count.
func latestOf(jobs []Job, k Kind) (succeeded, failed *Job) {
	for i, j := range jobs {
		switch {
		case j.Kind != k || j.Outcome == Cancelled:
		case j.Status == Completed && (succeeded == nil || succeeded.ID < j.ID):
			succeeded = &jobs[i]
		case j.Status == Failed && (failed == nil || failed.ID < j.ID):
			failed = &jobs[i]
		}
	}
	if failed != nil && succeeded != nil && failed.ID < succeeded.ID {
		failed = nil
	}
	return succeeded, failed
}
