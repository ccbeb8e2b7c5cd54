package backup

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
)

// Request asks for a job.
type Request struct {
	Kind      Kind
	Type      Type
	Key       string       // the object's, if already known
	Actor     access.Actor // zero: the system, or the command line
	Scheduled bool
	DueAt     time.Time // the scheduled time, if Scheduled
}

// Work does the work of a job. ctx ends when the job is cancelled, lost or out of
// time, and when the server stops; Work must then return soon. People read the
// error: a fault's own sentence, otherwise a general one; its cause is logged. The
// result also counts with an error.
type Work func(ctx context.Context, p *Progress) (Result, error)

// Result is the result of a job's work.
type Result struct {
	Outcome   Outcome // empty: ok
	Key       string  // empty: the request's
	SizeBytes int64
	Warnings  []fault.Sentence
	Details   []fault.Sentence // counts, for people
}

// Runner runs the jobs that this server takes, and watches over those of all
// servers. It must not be copied.
type Runner struct {
	Store  Store
	Server string // this server's name, among the others
	// Alone means that no other process can work on the database. Any job that this one
	// does not run has no runner.
	Alone bool
	// Restores reports what a restore job has left: unfinished changes, or that it has
	// ended (rollback.Guard.RestoreOf). Nil if there are no restores.
	Restores func(ctx context.Context, job int64) (unfinished, ended bool, err error)
	Log      *slog.Logger
	Now      func() time.Time

	mu      sync.Mutex
	tasks   map[*task]struct{}
	ended   sync.WaitGroup
	stopped chan struct{} // closed by Stop; see quit
	silence liveness
}

// Start starts a job and returns; its work outlives the request. ErrRunning while
// another job is active; ErrDone if the scheduled time already has its job. The
// transaction that stores the job checks the actor again.
func (r *Runner) Start(ctx context.Context, q Request, work Work) (Job, error) {
	t, err := r.take(ctx, q)
	if err != nil {
		return Job{}, err
	}
	j, apart := t.job, access.OnRecord(context.WithoutCancel(ctx))
	go func() {
		defer r.leave(t)
		_, _ = t.run(apart, work) // already logged
	}()
	return j, nil
}

// Run is Start, and waits for the end, for commands. The end of ctx stops the job
// like a server's stop. The error is that of the work, or of starting the job.
func (r *Runner) Run(ctx context.Context, q Request, work Work) (Job, error) {
	t, err := r.take(ctx, q)
	if err != nil {
		return Job{}, err
	}
	defer r.leave(t)
	defer context.AfterFunc(ctx, func() { t.stop(errStopped) })()
	return t.run(access.OnRecord(context.WithoutCancel(ctx)), work)
}

// take stores a new job with this server as its runner.
func (r *Runner) take(ctx context.Context, q Request) (*task, error) {
	now := r.Now().Truncate(time.Microsecond)
	j := Job{
		Kind: q.Kind, Type: q.Type, Status: Pending, Key: q.Key, Actor: q.Actor, Scheduled: q.Scheduled,
		CreatedAt: now, Heartbeat: now, Runner: r.Server + " " + rand.Text(),
	}
	if !q.DueAt.IsZero() {
		j.DueAt = &q.DueAt
	}
	t := newTask(r, j)
	if !r.enter(t) {
		return nil, fault.New(fault.Overloaded, "stopping", "The server is stopping. Try again shortly.")
	}
	stored, err := r.Store.InsertJob(ctx, j)
	if fault.Is(err, fault.DatabaseUnavailable) {
		// It may have been stored anyway; then this server runs it.
		if active, ok, lookErr := r.Store.ActiveJob(ctx); lookErr == nil && ok && active.Runner == j.Runner {
			stored, err = active, nil
		}
	}
	if err != nil {
		r.leave(t)
		return nil, err
	}
	t.job = stored
	t.progress.job, t.progress.runner = stored.ID, stored.Runner
	return t, nil
}

func (r *Runner) enter(t *task) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopping() {
		return false
	}
	if r.tasks == nil {
		r.tasks = map[*task]struct{}{}
	}
	r.tasks[t] = struct{}{}
	r.ended.Add(1)
	return true
}

func (r *Runner) leave(t *task) {
	t.stop(nil)
	r.mu.Lock()
	delete(r.tasks, t)
	r.mu.Unlock()
	r.ended.Done()
}

// quit returns the channel closed when the server stops. The caller holds mu.
func (r *Runner) quit() chan struct{} {
	if r.stopped == nil {
		r.stopped = make(chan struct{})
	}
	return r.stopped
}

func (r *Runner) stopping() bool {
	select {
	case <-r.quit():
		return true
	default:
		return false
	}
}

// own returns the task of a job that this server runs; nil for others.
func (r *Runner) own(runner string) *task {
	r.mu.Lock()
	defer r.mu.Unlock()
	for t := range r.tasks {
		if t.name == runner {
			return t
		}
	}
	return nil
}

// Stop ends this server's jobs (Failed, "the server was stopped"), and takes no
// more. It returns when their ends are written, or ctx ends.
func (r *Runner) Stop(ctx context.Context) error {
	r.mu.Lock()
	if !r.stopping() {
		close(r.quit())
	}
	for t := range r.tasks {
		t.stop(errStopped)
	}
	r.mu.Unlock()
	all := make(chan struct{})
	go func() { r.ended.Wait(); close(all) }()
	select {
	case <-all:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Cancel asks for the end of a job on any server, which learns of it within a
// heartbeat. Its outcome is then cancelled, unless its work was already done.
// ErrNoJob; ErrOver if the job has ended.
func (r *Runner) Cancel(ctx context.Context, actor access.Actor, id int64) (Job, error) {
	entry := audit.By(actor, audit.BackupCancelRequested, "backup_job", audit.ID(id), "").In(nil)
	j, err := r.Store.CancelJob(ctx, id, entry)
	if err != nil {
		return Job{}, err
	}
	if t := r.own(j.Runner); t != nil {
		t.stop(errCancelled)
	}
	return j, nil
}

var errPanicked = errors.New("backup: the job's work panicked")
