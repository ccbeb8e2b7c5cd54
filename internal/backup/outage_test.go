package backup

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/must"
)

// TestKilledServer: another server ends its job, a minute after its last heartbeat
// and not before; then the next job may start.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		a, b := s.server(t, "a"), s.server(t, "b")
		began := time.Now()
		must.Get(a.Start(t.Context(), asked, until(time.Hour)))(t)
		pass(31*time.Second + time.Second/2)
		a.kill()
		a.fails(func(string) outage { return failed }) // as good as killed: nothing arrives
		heard := s.job(1).Heartbeat
		pass(time.Until(heard.Add(SilentFor - time.Second)))
		if now := s.job(1); now.Status != Running {
			t.Errorf("after %v of silence it is %s: %s", time.Since(now.Heartbeat), now.Status, now.ErrorMessage)
		}
		pass(2*SweepEvery + time.Second)
		expect(t, s, 1, Failed, "", errSilent.text.Text, failedAt(began, errSilent.text.Text)...)
		must.Get(b.Run(t.Context(), asked, until(time.Second)))(t)
		pass(time.Hour)
		if now := s.job(1); now.Status != Failed || len(s.lines()) != 3 {
			t.Errorf("what the killed one did afterwards: %+v, %q", now, s.lines())
		}
		must.OK(t, a.Stop(context.WithoutCancel(t.Context())))
	})
}

// TestAlone: if there can be no other process, a killed process's job is ended at once.
func TestAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		began := time.Now()
		r := &replica{shared: s}
		must.Get(r.InsertJob(t.Context(), Job{Kind: Backup, Status: Pending, Runner: "before", CreatedAt: began, Heartbeat: began}))(t)
		a := s.server(t, "a")
		a.Alone = true
		must.OK(t, a.Sweep(t.Context()))
		expect(t, s, 1, Failed, "", errSilent.text.Text, failedAt(began, errSilent.text.Text)...)
		must.Get(a.Start(t.Context(), asked, until(time.Minute)))(t)
		pass(10 * time.Minute) // its own job is left alone
		if now := s.job(2); now.Status != Completed {
			t.Errorf("its own: %+v", now)
		}
	})
}

// TestAwait: a command waits until a job without a runner is ended, and no longer; a
// job with a runner is left alone.
func TestAwait(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		killed bool
		later  time.Duration // how long before the command it was killed
		want   error
		within time.Duration
	}{
		"killed just now":      {true, 0, nil, SilentFor + SweepEvery},
		"killed an hour ago":   {true, time.Hour, nil, SilentFor + SweepEvery},
		"killed a day ago":     {true, 24 * time.Hour, nil, 0},
		"somebody works on it": {false, 0, ErrRunning, BeatEvery + SweepEvery},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &shared{}
				a, command := s.server(t, "a"), s.server(t, "command")
				a.kill() // only the command watches over jobs
				command.kill()
				must.Get(a.Start(t.Context(), asked, until(time.Hour+time.Minute)))(t)
				pass(31 * time.Second)
				if c.killed {
					a.fails(func(string) outage { return failed })
				}
				pass(c.later)
				began, told := time.Now(), 0
				err := command.Await(t.Context(), func() { told++ })
				if took := time.Since(began); !errors.Is(err, c.want) || took > c.within || (told == 1) != (c.within > 0) {
					t.Errorf("after %v, told %d times: %v", took, told, err)
				}
				if now := s.job(1); now.Status.Active() == c.killed {
					t.Errorf("the job is %s", now.Status)
				}
				if c.killed {
					must.Get(command.Run(t.Context(), asked, until(time.Second)))(t)
				}
				must.OK(t, a.Stop(context.WithoutCancel(t.Context())))
			})
		})
	}
}

// TestClocksDiffer: a server whose clock is wrong keeps its job.
func TestClocksDiffer(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{-time.Hour, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			s := &shared{}
			a, b := s.server(t, "a"), s.server(t, "b")
			a.Now = func() time.Time { return time.Now().Add(off) }
			_ = b
			must.Get(a.Run(t.Context(), asked, until(30*time.Minute)))(t)
			if now := s.job(1); now.Status != Completed {
				t.Errorf("clock off by %s: %s, %s", off, now.Status, now.ErrorMessage)
			}
		})
	}
}

// TestDatabaseAway: for less time than the others' limit, nothing is lost; for
// longer, the work is stopped before they end the job.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		away    time.Duration
		status  Status
		message string
	}{
		"for 40 s":     {40*time.Second - BeatEvery, Completed, ""},
		"for a minute": {time.Minute + SilentFor, Failed, errSilent.text.Text}, // b sees the database
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &shared{}
				a := s.server(t, "a")
				s.server(t, "b")
				var over time.Time
				must.Get(a.Start(t.Context(), asked, func(ctx context.Context, p *Progress) (Result, error) {
					defer func() { over = time.Now() }()
					return until(time.Hour)(ctx, p)
				}))(t)
				pass(5*time.Minute + time.Second/2)
				heard := s.job(1).Heartbeat
				a.fails(func(string) outage { return failed })
				pass(c.away)
				a.fails(nil)
				pass(time.Hour)
				j := s.job(1)
				if j.Status != c.status || j.ErrorMessage.Text != c.message {
					t.Errorf("%s: %q", j.Status, j.ErrorMessage)
				}
				if c.status == Failed && over.Sub(heard) >= SilentFor {
					t.Errorf("the work went on for %s without a heartbeat", over.Sub(heard))
				}
			})
		})
	}
}

// TestNobodyElse: without other servers, the one that lost the database for too long
// records that itself.
func TestNobodyElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		a := s.server(t, "a")
		began := time.Now()
		must.Get(a.Start(t.Context(), asked, until(time.Hour)))(t)
		pass(5*time.Minute + time.Second/2)
		a.fails(func(string) outage { return failed })
		pass(10 * time.Minute)
		a.fails(nil)
		pass(time.Minute)
		expect(t, s, 1, Failed, "", errAlone.text.Text, failedAt(began, errAlone.text.Text)...)
	})
}

// TestAnswersLost: each operation fails once, and once happens without an answer:
// the job is done once, ends once, and is reported once.
func TestAnswersLost(t *testing.T) {
	t.Parallel()
	for _, operation := range []string{"insert", "begin", "beat", "end"} {
		for _, fate := range []outage{failed, unsettled} {
			synctest.Test(t, func(t *testing.T) {
				s := &shared{}
				a := s.server(t, "a")
				s.server(t, "b")
				var happened, runs atomic.Int32
				a.fails(func(o string) outage {
					if o == operation && happened.Add(1) == 1 {
						return fate
					}
					return reached
				})
				j, err := a.Run(t.Context(), asked, func(ctx context.Context, p *Progress) (Result, error) {
					runs.Add(1)
					return until(time.Minute)(ctx, p)
				})
				if operation == "insert" && fate == failed {
					if !fault.Is(err, fault.DatabaseUnavailable) || len(s.jobs) > 0 || runs.Load() > 0 {
						t.Errorf("an insertion that failed: %v, %d jobs", err, len(s.jobs))
					}
					return
				}
				if err != nil || j.Status != Completed || runs.Load() != 1 || happened.Load() < 1 {
					t.Errorf("%s, %d: %v, %s, %d runs", operation, fate, err, j.Status, runs.Load())
				}
				expect(t, s, 1, Completed, OK, "", "backup.completed: 3 rows")
			})
		}
	}
}

// TestEndNotTaken: a stopping server does not wait for the database forever; the
// others find its job.
func TestEndNotTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		a := s.server(t, "a")
		s.server(t, "b")
		must.Get(a.Start(t.Context(), asked, until(time.Minute)))(t)
		pass(30*time.Second + time.Second/2)
		a.fails(func(string) outage { return failed })
		pass(31*time.Second + time.Second/2)
		must.OK(t, a.Stop(t.Context()))
		pass(2 * SilentFor)
		if j := s.job(1); j.Status != Failed || j.ErrorMessage.Text != errSilent.text.Text {
			t.Errorf("%+v", j)
		}
	})
}

// TestEndRefused: an end that the database refuses, for an error of the program,
// does not block anything.
func TestEndRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		a := s.server(t, "a")
		a.fails(func(operation string) outage {
			if operation == "end" {
				return refused
			}
			return reached
		})
		if _, err := a.Run(t.Context(), asked, until(time.Minute)); !errors.Is(err, errRefused) {
			t.Errorf("its error: %v", err)
		}
		pass(2 * SilentFor)
		if j := s.job(1); j.Status != Failed || j.ErrorMessage.Text != errSilent.text.Text {
			t.Errorf("%+v", j)
		}
	})
}
