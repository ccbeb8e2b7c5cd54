package backup

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify/text"
	"github.com/keyward/keyward/internal/page"
)

// shared is a table of jobs like the store's (storetest has the engines), shared by
// several runners.
type shared struct {
	mu    sync.Mutex
	jobs  []Job
	told  []EndRecord
	marks map[int64]mark // of restores, by their jobs
}

// mark is what a restore has left: unfinished changes, and its end.
type mark struct{ unfinished, ended bool }

// begins is called by a restore's work when it changes things, and when it has ended.
func (s *shared) begins(job int64, m mark) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.marks == nil {
		s.marks = map[int64]mark{}
	}
	s.marks[job] = m
}

func (r *replica) restores(ctx context.Context, job int64) (unfinished, ended bool, err error) {
	err = r.do(ctx, "mark", func() error {
		unfinished, ended = r.marks[job].unfinished, r.marks[job].ended
		return nil
	})
	return unfinished, ended, err
}

// replica is the table as one server sees it: away makes operations fail.
type replica struct {
	*shared

	mu   sync.Mutex
	away func(operation string) outage
}

// outage is what happens to an operation.
type outage int

const (
	reached   outage = iota
	failed           // nothing happened
	unsettled        // it happened, but the answer was lost
	refused          // an error of the program
)

var errRefused = errors.New("constraint violated")

var errAway = fault.New(fault.DatabaseUnavailable, "away", "The database is away.")

func (r *replica) fails(with func(operation string) outage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = with
}

// do performs an operation on the table, or not.
func (r *replica) do(ctx context.Context, operation string, f func() error) error {
	r.mu.Lock()
	away := r.away
	r.mu.Unlock()
	var fate outage
	if away != nil {
		fate = away(operation)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	switch fate {
	case failed:
		return errAway
	case refused:
		return errRefused
	}
	r.shared.mu.Lock()
	defer r.shared.mu.Unlock()
	err := f()
	if fate == unsettled {
		return errAway
	}
	return err
}

func (s *shared) find(want func(*Job) bool) *Job {
	for i := range s.jobs {
		if want(&s.jobs[i]) {
			return &s.jobs[i]
		}
	}
	return nil
}

func (s *shared) of(id int64, runner string) (*Job, error) {
	j := s.find(func(j *Job) bool { return j.ID == id && j.Runner == runner && j.Status.Active() })
	if j == nil {
		return nil, ErrLost
	}
	return j, nil
}

func (s *shared) insert(j Job) (Job, error) {
	if j.DueAt != nil && s.find(func(o *Job) bool { return o.Kind == j.Kind && o.DueAt != nil && o.DueAt.Equal(*j.DueAt) }) != nil {
		return Job{}, ErrDone
	}
	if j.Status.Active() && s.find(func(o *Job) bool { return o.Status.Active() }) != nil {
		return Job{}, ErrRunning
	}
	j.ID = int64(len(s.jobs) + 1)
	s.jobs = append(s.jobs, j)
	return j, nil
}

func (r *replica) InsertJob(ctx context.Context, j Job) (stored Job, err error) {
	err = r.do(ctx, "insert", func() error { stored, err = r.insert(j); return err })
	return stored, err
}

func (r *replica) InsertFailed(ctx context.Context, j Job, t EndRecord) (stored Job, err error) {
	err = r.do(ctx, "insert failed", func() error {
		if stored, err = r.insert(j); err == nil {
			r.told = append(r.told, t)
		}
		return err
	})
	return stored, err
}

func (r *replica) BeginJob(ctx context.Context, id int64, runner string, at time.Time) error {
	return r.do(ctx, "begin", func() error {
		j, err := r.of(id, runner)
		if err == nil {
			j.Status, j.StartedAt, j.Heartbeat = Running, &at, at
		}
		return err
	})
}

func (r *replica) BeatJob(ctx context.Context, id int64, runner string, now Reached, at time.Time) (cancel bool, err error) {
	err = r.do(ctx, "beat", func() error {
		j, err := r.of(id, runner)
		if err == nil {
			j.Reached, j.Heartbeat, cancel = now, at, j.Cancel
		}
		return err
	})
	return cancel, err
}

func (r *replica) EndJob(ctx context.Context, id int64, runner string, e End, t EndRecord) (stored Job, err error) {
	err = r.do(ctx, "end", func() error {
		j, err := r.of(id, runner)
		if err != nil {
			j = r.find(func(j *Job) bool {
				return j.ID == id && j.Runner == runner && j.Status == e.Status && j.FinishedAt.Equal(e.At)
			})
			if j == nil {
				return err
			}
			stored = *j
			return nil
		}
		*j = j.over(e)
		r.told = append(r.told, t)
		stored = *j
		return nil
	})
	return stored, err
}

func (r *replica) EndSilent(ctx context.Context, id int64, heartbeat time.Time, e End, t EndRecord) (done bool, err error) {
	err = r.do(ctx, "fail", func() error {
		j := r.find(func(j *Job) bool { return j.ID == id && j.Heartbeat.Equal(heartbeat) && j.Status.Active() })
		if done = j != nil; done {
			*j = j.over(e)
			r.told = append(r.told, t)
		}
		return nil
	})
	return done, err
}

func (r *replica) CancelJob(ctx context.Context, id int64, _ audit.Entry) (stored Job, err error) {
	err = r.do(ctx, "cancel", func() error {
		j := r.find(func(j *Job) bool { return j.ID == id })
		switch {
		case j == nil:
			return ErrNoJob
		case !j.Status.Active():
			return ErrOver
		}
		j.Cancel = true
		stored = *j
		return nil
	})
	return stored, err
}

func (r *replica) BackupJob(ctx context.Context, id int64) (found Job, err error) {
	err = r.do(ctx, "job", func() error {
		j := r.find(func(j *Job) bool { return j.ID == id })
		if j == nil {
			return ErrNoJob
		}
		found = *j
		return nil
	})
	return found, err
}

func (r *replica) ActiveJob(ctx context.Context) (active Job, ok bool, err error) {
	err = r.do(ctx, "active", func() error {
		if j := r.find(func(j *Job) bool { return j.Status.Active() }); j != nil {
			active, ok = *j, true
		}
		return nil
	})
	return active, ok, err
}

func (r *replica) ListJobs(context.Context, Filter, page.Request) (page.Page[Job], error) {
	return page.Page[Job]{}, errors.New("not asked for here")
}

func (r *replica) LatestJobs(ctx context.Context) (list []Job, err error) {
	err = r.do(ctx, "latest", func() error {
		for _, j := range slices.Backward(r.jobs) {
			if !j.Status.Active() && !slices.ContainsFunc(list, func(l Job) bool {
				return l.Kind == j.Kind && l.Status == j.Status && l.Outcome == j.Outcome
			}) {
				list = append(list, j)
			}
		}
		return nil
	})
	return list, err
}

func (r *replica) LatestDue(ctx context.Context, k Kind, until time.Time) (due time.Time, err error) {
	err = r.do(ctx, "due", func() error {
		for _, j := range r.jobs {
			if j.Kind == k && j.DueAt != nil && j.DueAt.After(due) && !j.DueAt.After(until) {
				due = *j.DueAt
			}
		}
		return nil
	})
	return due, err
}

// server is a runner on the table that watches over the others' jobs like a server,
// until the test ends or it is killed.
type server struct {
	*Runner
	*replica

	kill func()
}

func (s *shared) server(t *testing.T, name string) server {
	t.Helper()
	r := &replica{shared: s}
	run := &Runner{Store: r, Server: name, Restores: r.restores, Log: slog.New(slog.DiscardHandler), Now: time.Now}
	killed := make(chan struct{})
	kill := sync.OnceFunc(func() { close(killed) })
	t.Cleanup(kill)
	go func() {
		for {
			select {
			case <-killed:
				return
			case <-time.After(SweepEvery):
				_ = run.Sweep(context.Background()) // one that fails comes again
			}
		}
	}()
	return server{run, r, kill}
}

// job returns the current state of a job.
func (s *shared) job(id int64) Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.jobs[id-1]
}

// lines returns the entries and notices so far.
func (s *shared) lines() (lines []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.told {
		lines = append(lines, string(t.Entry.Action)+": "+t.Entry.Details)
		for _, n := range t.Notices {
			lines = append(lines, "notice: "+text.Plain(n.Kind, n.Params))
		}
	}
	return lines
}
