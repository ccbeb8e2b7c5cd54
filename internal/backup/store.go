package backup

import (
	"context"
	"errors"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
)

// Faults of jobs.
var (
	ErrRunning = fault.New(fault.JobRunning, "",
		"Another backup, restore or trial restore is running. Wait until it ends, or cancel it.")
	ErrNoJob = fault.New(fault.NotFound, "no_backup_job", "There is no such job.")
	ErrOver  = fault.New(fault.Conflict, "job_over", "The job has already ended.")
)

// Errors for the server that runs a job, and for the scheduler.
var (
	// ErrLost means that the job has ended or has another runner: its work must stop.
	ErrLost = errors.New("backup: the job is no longer this server's")
	// ErrDone means that the scheduled time already has its job.
	ErrDone = errors.New("backup: that moment of the schedule has its job")
)

// EndRecord is written with a job's end, in its transaction.
type EndRecord struct {
	Entry   audit.Entry
	Notices []notify.Message
}

// Store keeps jobs.
type Store interface {
	// InsertJob stores a new Pending job with a runner, and sets its id. ErrRunning
	// while any other is active, ErrDone if a job of its kind has the same scheduled time.
	InsertJob(ctx context.Context, j Job) (Job, error)
	// InsertFailed stores a job that could not start, with its end. ErrDone as above.
	InsertFailed(ctx context.Context, j Job, t EndRecord) (Job, error)

	// The next three are for the job's runner: ErrLost if the job has ended, is gone, or
	// has another runner.

	// BeginJob makes it Running; it is idempotent.
	BeginJob(ctx context.Context, id int64, runner string, at time.Time) error
	// BeatJob records its progress, and reports whether it is to be cancelled.
	BeatJob(ctx context.Context, id int64, runner string, now Reached, at time.Time) (cancel bool, err error)
	// EndJob ends it, once: if it already ended with the same runner and time, it
	// changes nothing and returns no error.
	EndJob(ctx context.Context, id int64, runner string, e End, t EndRecord) (Job, error)

	// EndSilent ends a job without a heartbeat since the given one, as any server may
	// after waiting. False if there was one, or the job has ended. Key, size and details stay.
	EndSilent(ctx context.Context, id int64, heartbeat time.Time, e End, t EndRecord) (bool, error)
	// CancelJob asks the job's runner to stop; it is idempotent. ErrOver if it has ended.
	CancelJob(ctx context.Context, id int64, entry audit.Entry) (Job, error)

	// BackupJob returns a job by its id, or ErrNoJob.
	BackupJob(ctx context.Context, id int64) (Job, error)
	// ActiveJob returns the job that is Pending or Running, if any.
	ActiveJob(ctx context.Context) (j Job, ok bool, err error)
	// ListJobs returns them, newest first.
	ListJobs(ctx context.Context, f Filter, p page.Request) (page.Page[Job], error)
	// LatestJobs returns the newest ended job of each kind, status and outcome.
	LatestJobs(ctx context.Context) ([]Job, error)
	// LatestDue returns the latest scheduled time, up to until, that has a job of the
	// kind; zero if none.
	LatestDue(ctx context.Context, k Kind, until time.Time) (time.Time, error)
}

// Filter narrows a list; zero fields do not filter.
type Filter struct {
	Kind   Kind
	Status Status
}
