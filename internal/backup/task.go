package backup

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/tracing"
)

// Intervals and limits of a task's notes.
const (
	noteEvery = time.Second      // for progress, if any, and for retries
	noteTakes = 10 * time.Second // at most, each
)

// task is a job that this server runs.
type task struct {
	runner   *Runner
	name     string // the job's runner
	job      Job    // as known here
	progress *Progress

	mu     sync.Mutex
	why    *cut               // the first reason for ending the work
	cancel context.CancelFunc // of the work, while it runs
	alone  *time.Timer        // fires when nothing was recorded for too long
	latest time.Time          // when it was last reset
}

func newTask(r *Runner, j Job) *task {
	t := &task{runner: r, name: j.Runner, job: j, progress: &Progress{phases: phases[j.Kind]}}
	t.progress.heard = t.heard
	return t
}

// stop ends the work, with a reason unless there already is one.
func (t *task) stop(why *cut) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.why == nil {
		t.why = why
	}
	if t.cancel != nil && t.why != nil {
		t.cancel()
	}
}

func (t *task) stoppedBy() *cut {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.why
}

// run does the work and records how it ended.
func (t *task) run(ctx context.Context, work Work) (Job, error) {
	r := t.runner
	under, cancel := context.WithCancel(ctx)
	defer cancel()
	t.mu.Lock()
	t.cancel = cancel
	t.latest, t.alone = time.Now(), time.AfterFunc(AloneFor, t.isolated)
	stopped := t.why != nil
	t.mu.Unlock()
	defer t.alone.Stop()
	if stopped {
		cancel()
	}
	limit := time.AfterFunc(LongestJob, func() { t.stop(errTooLong) })
	defer limit.Stop()

	under, span := tracing.Root(under, string(t.job.Kind)+" job", trace.SpanKindInternal)
	began := time.Now()
	var res Result
	err := t.begin(under)
	if err == nil {
		notes, end := context.WithCancel(ctx)
		var noting sync.WaitGroup
		noting.Go(func() { t.note(notes) })
		res, err = t.safely(under, work)
		end()
		noting.Wait()
	}
	span.End(err)
	end := endOf(t.job, res, err, t.stoppedBy(), t.progress.Now().Percent, r.Now())
	log := r.Log.With("job", t.job.ID, "kind", string(t.job.Kind), "type", string(t.job.Type), "key", end.Key, "took", time.Since(began))
	if err != nil {
		log.ErrorContext(ctx, "a backup job failed", "reason", end.ErrorMessage.Text, "error", err)
	}
	stored, endErr := t.end(ctx, end, err)
	if endErr != nil {
		log.ErrorContext(ctx, "could not record how a backup job ended", "error", endErr)
		return t.job.over(end), errors.Join(err, endErr)
	}
	if stored.Status == Completed {
		err = nil
		log.InfoContext(ctx, "a backup job has completed", "size_bytes", stored.SizeBytes, "warnings", len(stored.Warnings))
	}
	return stored, err
}

// isolated ends work whose notes could not be recorded for too long. A restore's
// transaction blocks all notes, and checks by itself that the job is still this server's.
func (t *task) isolated() {
	phase := t.progress.Now().Phase
	if t.job.Kind == Restore && phase == inDatabase {
		t.heard()
		return
	}
	t.mu.Lock()
	since := time.Since(t.latest) // it may have just been reset
	t.mu.Unlock()
	if since >= AloneFor {
		t.stop(errAlone)
	}
}

// heard resets the time within which the database must answer.
func (t *task) heard() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.latest = time.Now()
	t.alone.Reset(AloneFor)
}

// safely runs the work and turns a panic into an error, so that the server survives.
func (t *task) safely(ctx context.Context, work Work) (res Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanicked, p, debug.Stack())
		}
	}()
	return work(ctx, t.progress)
}

// begin makes the job Running before any work, waiting a while for the database.
func (t *task) begin(ctx context.Context) error {
	for {
		at := t.runner.Now().Truncate(time.Microsecond)
		err := t.ask(ctx, func(ctx context.Context) error { return t.runner.Store.BeginJob(ctx, t.job.ID, t.name, at) })
		switch {
		case err == nil:
			t.job.Status, t.job.StartedAt, t.job.Heartbeat = Running, &at, at
			return nil
		case errors.Is(err, ErrLost):
			return err
		}
		if !pause(ctx, nil) {
			return err
		}
	}
}

// note records that the work continues, and its progress: with news every second,
// otherwise every BeatEvery. It stops the work if the job is to be cancelled, or lost.
func (t *task) note(ctx context.Context) {
	var told struct {
		Reached
		at time.Time
	}
	for told.at = time.Now(); pause(ctx, nil); {
		now := t.progress.Now()
		if now == told.Reached && time.Since(told.at) < BeatEvery {
			continue
		}
		var cancel bool
		err := t.ask(ctx, func(ctx context.Context) (err error) {
			at := t.runner.Now().Truncate(time.Microsecond)
			cancel, err = t.runner.Store.BeatJob(ctx, t.job.ID, t.name, now, at)
			return err
		})
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, ErrLost):
			t.stop(errSilent)
			return
		case err != nil:
			t.runner.Log.WarnContext(ctx, "could not record that a backup job is still running; trying again", "job", t.job.ID, "error", err)
			continue
		}
		told.Reached, told.at = now, time.Now()
		if cancel {
			t.stop(errCancelled)
		}
	}
}

// end writes the end, retrying while the database is away until the server stops. It
// recognizes an end whose answer was lost. failed is the work's error.
func (t *task) end(ctx context.Context, e End, failed error) (stored Job, err error) {
	what := said(failed)
	if why := t.stoppedBy(); why != nil {
		what = why.what
	}
	t.runner.mu.Lock()
	quit := t.runner.quit()
	t.runner.mu.Unlock()
	for tries := 0; ; tries++ {
		err = t.ask(ctx, func(ctx context.Context) (err error) {
			e, err := t.runner.settled(ctx, t.job, e, what)
			if err == nil {
				stored, err = t.runner.Store.EndJob(ctx, t.job.ID, t.job.Runner, e, endRecord(t.job.over(e)))
			}
			return err
		})
		if err == nil || errors.Is(err, ErrLost) {
			return stored, err
		}
		if tries == 0 {
			t.runner.Log.WarnContext(ctx, "could not record how a backup job ended; trying again", "job", t.job.ID, "error", err)
		}
		away := fault.Is(err, fault.DatabaseUnavailable) || errors.Is(err, context.DeadlineExceeded)
		if goesOn := pause(ctx, quit); tries >= lastTries && (!away || !goesOn) {
			return stored, err
		}
	}
}

// lastTries is the minimum of retries when the server stops or the database refuses the end.
const lastTries = 3

// ask limits the wait for the database. An answer shows that this server is not alone.
func (t *task) ask(ctx context.Context, question func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, noteTakes)
	defer cancel()
	err := question(ctx)
	if err == nil {
		t.heard()
	}
	return err
}

// pause waits before the next note; false if ctx or quit ended.
func pause(ctx context.Context, quit <-chan struct{}) bool {
	timer := time.NewTimer(noteEvery)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-quit:
		return false
	case <-ctx.Done():
		return false
	}
}
