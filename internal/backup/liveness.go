package backup

import (
	"context"
	"errors"
	"time"
)

// SweepEvery is how often each server checks the others' jobs.
const SweepEvery = 5 * time.Second

// endsItself is how long a job may take to end by itself when out of time.
const endsItself = time.Minute

// liveness is since when a job's heartbeat has not changed, by this server's own
// clock: those of the others may be wrong.
type liveness struct {
	id        int64
	heartbeat time.Time
	since     time.Time
}

// Sweep ends a job whose server no longer sends heartbeats, and one that takes too
// long. Every server calls it every SweepEvery, never concurrently.
func (r *Runner) Sweep(ctx context.Context) error {
	j, ok, err := r.Store.ActiveJob(ctx)
	if err != nil || !ok {
		r.silence = liveness{}
		return err
	}
	now := time.Now()
	if s := r.silence; s.id != j.ID || !s.heartbeat.Equal(j.Heartbeat) {
		r.silence = liveness{j.ID, j.Heartbeat, now}
	}
	began := j.CreatedAt
	if j.StartedAt != nil {
		began = *j.StartedAt
	}
	mine := r.own(j.Runner) != nil
	switch {
	case r.Now().Sub(began) > LongestJob+endsItself:
		return r.fail(ctx, j, errTooLong)
	case mine:
		return nil
	case r.Alone, now.Sub(r.silence.since) >= SilentFor:
		return r.fail(ctx, j, errSilent)
	}
	return nil
}

// Await returns when no job is active, for a command: it sweeps as a server does, so
// a killed server's job ends after SilentFor at the latest. ErrRunning if a server
// still works on it: its heartbeat has changed, or another job began. waits, if not
// nil, is called once, before the first wait.
func (r *Runner) Await(ctx context.Context, waits func()) error {
	first, ok, err := r.Store.ActiveJob(ctx)
	for err == nil && ok {
		if err := r.Sweep(ctx); err != nil {
			return err
		}
		var j Job
		j, ok, err = r.Store.ActiveJob(ctx)
		switch {
		case err != nil || !ok:
			return err
		case j.ID != first.ID || !j.Heartbeat.Equal(first.Heartbeat):
			return ErrRunning
		}
		if waits != nil {
			waits()
			waits = nil
		}
		err = after(ctx, SweepEvery)
	}
	return err
}

// fail ends a job that another process has, or had.
func (r *Runner) fail(ctx context.Context, j Job, why *cut) error {
	e, err := r.settled(ctx, j, End{Status: Failed, Percent: j.Percent, ErrorMessage: why.text, Key: j.Key, SizeBytes: j.SizeBytes,
		Warnings: j.Warnings, At: r.Now().Truncate(time.Microsecond)}, why.what)
	if err != nil {
		return err
	}
	ended, err := r.Store.EndSilent(ctx, j.ID, j.Heartbeat, e, endRecord(j.over(e)))
	if ended {
		r.Log.ErrorContext(ctx, "a backup job was ended",
			"job", j.ID, "kind", string(j.Kind), "status", string(e.Status), "reason", why.text.Text)
	}
	if errors.Is(err, ErrLost) {
		return nil
	}
	return err
}
