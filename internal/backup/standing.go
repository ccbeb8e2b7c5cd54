package backup

import (
	"context"
	"sync/atomic"
	"time"
)

// Standing is the state of backups.
type Standing struct {
	Planned   bool      // set up, with a schedule
	Next      time.Time // by the schedule; zero: none planned
	NextDrill time.Time
	Active    *Job
	Succeeded *Job      // the latest Completed backup; nil: none
	Failed    *Job      // the latest failed backup, if none succeeded since
	Proven    *Job      // the latest Completed drill: its backup restores
	Disproven *Job      // the latest failed drill, if none succeeded since
	Overdue   time.Time // the scheduled time whose backup is missing; zero if all is well
	Unproven  time.Time // the scheduled time whose drill is missing; zero if all is well
}

// Trouble says what someone should look at; empty if all is well.
func (s Standing) Trouble() string {
	const form = "2006-01-02 15:04 UTC"
	switch {
	case s.Failed != nil:
		return "The latest backup failed, " + s.Failed.FinishedAt.UTC().Format(form) + ": " + s.Failed.ErrorMessage.Text
	case !s.Overdue.IsZero() && s.Succeeded == nil:
		return "The backup scheduled for " + s.Overdue.UTC().Format(form) + " did not run, and there is no backup yet."
	case !s.Overdue.IsZero():
		return "The backup scheduled for " + s.Overdue.UTC().Format(form) + " did not run. The latest one is from " +
			s.Succeeded.FinishedAt.UTC().Format(form) + "."
	case s.Disproven != nil:
		return "The latest trial restore failed, " + s.Disproven.FinishedAt.UTC().Format(form) + ": " + s.Disproven.ErrorMessage.Text
	case !s.Unproven.IsZero() && s.Proven == nil:
		return "The trial restore scheduled for " + s.Unproven.UTC().Format(form) + " did not run. There has never been a successful one."
	case !s.Unproven.IsZero():
		return "The trial restore scheduled for " + s.Unproven.UTC().Format(form) + " did not run. The last successful one was on " +
			s.Proven.FinishedAt.UTC().Format(form) + "."
	}
	return ""
}

// Watch monitors the state of backups, for health and metrics.
type Watch struct {
	Store Store
	Plan  func(context.Context) (Plan, error)
	Now   func() time.Time

	latest atomic.Pointer[Standing]
}

// WatchEvery is how often each server looks, to keep metrics current.
const WatchEvery = 30 * time.Second

// Run looks, for Latest.
func (w *Watch) Run(ctx context.Context) error {
	_, err := w.Look(ctx)
	return err
}

// Latest returns the last observed state; false if there is none yet.
func (w *Watch) Latest() (Standing, bool) {
	s := w.latest.Load()
	if s == nil {
		return Standing{}, false
	}
	return *s, true
}

// Look returns the current state.
func (w *Watch) Look(ctx context.Context) (Standing, error) {
	plan, err := w.Plan(ctx)
	if err != nil {
		return Standing{}, err
	}
	jobs, err := w.Store.LatestJobs(ctx)
	if err != nil {
		return Standing{}, err
	}
	active, ok, err := w.Store.ActiveJob(ctx)
	if err != nil {
		return Standing{}, err
	}
	now := w.Now()
	s := Standing{Planned: plan.Schedule != "", Next: plan.Next(Backup, now), NextDrill: plan.Next(Drill, now)}
	if ok {
		s.Active = &active
	}
	s.Succeeded, s.Failed = latestOf(jobs, Backup)
	s.Proven, s.Disproven = latestOf(jobs, Drill)
	s.Overdue = plan.Overdue(Backup, finished(s.Succeeded), now)
	s.Unproven = plan.Overdue(Drill, finished(s.Proven), now)
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
