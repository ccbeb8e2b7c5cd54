package backup

import (
	"context"
	"sync/atomic"
	"time"
)

// Standing is how backups stand.
type Standing struct {
	Planned   bool      // somebody set them up, with a schedule
	Next      time.Time // of the schedule; zero: none is planned
	NextDrill time.Time
	Active    *Job
	Succeeded *Job      // the latest backup that is Completed; nil: none
	Failed    *Job      // the latest backup that failed, if none succeeded since
	Proven    *Job      // the latest drill that is Completed: what it tried restores
	Disproven *Job      // the latest drill that failed, if none succeeded since
	Overdue   time.Time // the moment of the schedule whose backup should be there; zero when all is well
	Unproven  time.Time // the moment of the schedule whose drill should be over; zero when all is well
}

// Trouble is what somebody should look at; empty when all is well.
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

// Watch looks how backups stand, for health and metrics.
type Watch struct {
	Store Store
	Plan  func(context.Context) (Plan, error)
	Now   func() time.Time

	latest atomic.Pointer[Standing]
}

// WatchEvery is how often each server looks, so that metrics are of today.
const WatchEvery = 30 * time.Second

// Run looks, for Latest.
func (w *Watch) Run(ctx context.Context) error {
	_, err := w.Look(ctx)
	return err
}

// Latest is how they stood when somebody looked last; false: nobody has yet.
func (w *Watch) Latest() (Standing, bool) {
	s := w.latest.Load()
	if s == nil {
		return Standing{}, false
	}
	return *s, true
}

// Look tells how they stand.
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

// finished is when a job was over; zero of none.
func finished(j *Job) time.Time {
	if j == nil {
		return time.Time{}
	}
	return *j.FinishedAt
}

// latestOf are the latest job of a kind that succeeded, and the latest that failed
// since, by itself: one that somebody cancelled is no trouble.
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
