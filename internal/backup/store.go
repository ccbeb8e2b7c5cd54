package backup

import (
	"context"
	"errors"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notice"
	"github.com/keyward/keyward/internal/page"
)

// Faults of jobs.
var (
	ErrRunning = fault.New(fault.JobRunning, "",
		"Another backup, restore or trial restore is running. Wait until it ends, or cancel it.")
	ErrNoJob = fault.New(fault.NotFound, "no_backup_job", "There is no such job.")
	ErrOver  = fault.New(fault.Conflict, "job_over", "The job has already ended.")
)

// Told to the server that works on a job, and to the schedule.
var (
	// ErrLost: the job is over, or another's. Whoever worked on it must stop.
	ErrLost = errors.New("backup: the job is no longer this server's")
	// ErrDone: the schedule's moment has its job already.
	ErrDone = errors.New("backup: that moment of the schedule has its job")
)

// Telling is what is written with a job's end, in its transaction.
type Telling struct {
	Entry   audit.Entry
	Notices []notice.Message
}

// Store keeps jobs.
type Store interface {
	// InsertJob keeps a new job, Pending, with a runner, and gives it its id. It is
	// ErrRunning while any other is active, and ErrDone when a job of its kind is for
	// the same moment of the schedule.
	InsertJob(ctx context.Context, j Job) (Job, error)
	// InsertFailed keeps a job that could not begin, with its end. ErrDone as above.
	InsertFailed(ctx context.Context, j Job, t Telling) (Job, error)

	// Those below, of the runner who works on it, are ErrLost when the job is over,
	// gone or another's.

	// BeginJob makes it Running; again changes nothing.
	BeginJob(ctx context.Context, id int64, runner string, at time.Time) error
	// BeatJob notes how far it is, and tells whether it is to be cancelled.
	BeatJob(ctx context.Context, id int64, runner string, now Reached, at time.Time) (cancel bool, err error)
	// EndJob ends it, once: with an end of the same runner and moment that stands
	// already it changes nothing, and is no error.
	EndJob(ctx context.Context, id int64, runner string, e End, t Telling) (Job, error)

	// EndSilent ends a job of which no heartbeat came after that one, as anybody who
	// has waited for it may. false: one came, or the job is over. Key, size and details stay.
	EndSilent(ctx context.Context, id int64, heartbeat time.Time, e End, t Telling) (bool, error)
	// CancelJob asks whoever works on it to stop; again changes nothing. ErrOver when
	// nobody does any more.
	CancelJob(ctx context.Context, id int64, entry audit.Entry) (Job, error)

	// BackupJob is one by its id; ErrNoJob.
	BackupJob(ctx context.Context, id int64) (Job, error)
	// ActiveJob is the one that is Pending or Running, if there is one.
	ActiveJob(ctx context.Context) (j Job, ok bool, err error)
	// ListJobs returns them, newest first.
	ListJobs(ctx context.Context, f Filter, p page.Request) (page.Page[Job], error)
	// LatestJobs are the newest of each kind, status and outcome that are over.
	LatestJobs(ctx context.Context) ([]Job, error)
	// LatestDue is the latest moment of the schedule, up to a time, for which there is a
	// job of the kind; the zero time when there is none.
	LatestDue(ctx context.Context, k Kind, until time.Time) (time.Time, error)
}

// Filter narrows a list; zero fields do not.
type Filter struct {
	Kind   Kind
	Status Status
}
