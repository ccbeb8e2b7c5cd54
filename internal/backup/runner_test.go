package backup

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/must"
)

var asked = Request{Kind: Backup, Type: archive.Full, Actor: access.Actor{UserID: 7, Username: "admin", IPAddress: "192.0.2.7"}}

// until is work that lasts until its context ends, or for d.
func until(d time.Duration) Work {
	return func(ctx context.Context, _ *Progress) (Result, error) {
		select {
		case <-time.After(d):
			return Result{Key: "k", SizeBytes: 5, Details: []fault.Sentence{{Text: "3 rows"}}}, nil
		case <-ctx.Done():
			return Result{}, ctx.Err()
		}
	}
}

// pass lets time pass, in a synctest bubble.
func pass(d time.Duration) { <-time.After(d) }

// expect compares a job's state and what was reported.
func expect(t *testing.T, s *shared, id int64, status Status, outcome Outcome, message string, lines ...string) {
	t.Helper()
	j := s.job(id)
	if j.Status != status || j.Outcome != outcome || j.ErrorMessage.Text != message || j.FinishedAt == nil {
		t.Errorf("the job is %s, %q: %q, finished %v", j.Status, j.Outcome, j.ErrorMessage, j.FinishedAt)
	}
	if diff := cmp.Diff(lines, s.lines()); diff != "" {
		t.Errorf("told (-want +got): %s", diff)
	}
}

func failedAt(at time.Time, message string) []string {
	return []string{"backup.failed: " + message,
		"notice: The backup of " + at.UTC().Format("2 January 2006, 15:04 UTC") + " failed. " + message}
}

func TestJobCompletes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		a, b := s.server(t, "a"), s.server(t, "b")
		began := time.Now()
		ctx, cancel := context.WithCancel(access.Admit(t.Context(), access.Admission{Actor: asked.Actor}))
		j := must.Get(a.Start(ctx, asked, func(ctx context.Context, p *Progress) (Result, error) {
			if access.AdmissionOf(ctx) != nil {
				t.Error("the work is stopped by the end of the session of who asked for it")
			}
			p.Phase("dump", 100)
			p.Add(50)
			return until(90*time.Minute)(ctx, p)
		}))(t)
		cancel() // the request has its answer
		pass(10 * time.Second)
		if now := s.job(j.ID); now.Status != Running || now.Phase != "dump" || now.Percent != 12 {
			t.Errorf("after 10 s: %+v", now)
		}
		if _, err := b.Start(t.Context(), asked, until(0)); !fault.Is(err, fault.JobRunning) {
			t.Errorf("a second job: %v", err)
		}
		pass(2 * time.Hour)
		expect(t, s, j.ID, Completed, OK, "", "backup.completed: 3 rows")
		e := s.told[0].Entry
		if e.FileName != "k" || e.BackupType != "full" || *e.SizeBytes != 5 || *e.DurationMS != (90*time.Minute).Milliseconds() ||
			e.Actor != "admin" || *e.ActorID != 7 || e.IPAddress != "192.0.2.7" || e.TargetID != "1" {
			t.Errorf("entry %+v", e)
		}
		if now := s.job(j.ID); now.Percent != 100 || !now.FinishedAt.Equal(began.Add(90*time.Minute)) {
			t.Errorf("the job: %+v", now)
		}
		must.Get(b.Start(t.Context(), asked, until(0)))(t)
		synctest.Wait()
	})
}

// TestScheduledJob: the system asks for it.
func TestScheduledJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		a := s.server(t, "a")
		due := time.Now().Add(-time.Minute)
		q := Request{Kind: Backup, Type: archive.Full, Scheduled: true, DueAt: due}
		j := must.Get(a.Run(t.Context(), q, until(time.Second)))(t)
		e := s.told[0].Entry
		if e.Actor != "system" || e.ActorID != nil || e.IPAddress != "system" || j.TriggeredBy() != nil {
			t.Errorf("%+v, entry %+v", j, e)
		}
		if _, err := a.Run(t.Context(), q, until(time.Second)); !errors.Is(err, ErrDone) {
			t.Errorf("its moment again: %v", err)
		}
		q.DueAt = due.Add(time.Second)
		if _, err := a.Run(t.Context(), q, func(context.Context, *Progress) (Result, error) {
			return Result{Warnings: []fault.Sentence{{Text: "w"}}},
				fault.New(fault.StorageUnavailable, "", "The bucket is full.").With(errors.New("secret cause"))
		}); !fault.Is(err, fault.StorageUnavailable) {
			t.Errorf("work that fails: %v", err)
		}
		expect(t, s, 2, Failed, "", "The bucket is full.", "backup.completed: [Scheduled] 3 rows",
			"backup.failed: [Scheduled] The bucket is full. (1 warnings)",
			"notice: The scheduled backup of "+q.DueAt.UTC().Format("2 January 2006, 15:04 UTC")+" failed. The bucket is full.")
	})
}

func TestWorkThatBreaks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		work    Work
		outcome Outcome
		message string
	}{
		"an error without a face": {func(context.Context, *Progress) (Result, error) {
			return Result{Outcome: OK}, errors.New("secret")
		}, "", "Something went wrong. The server's log has details."},
		"a panic": {func(context.Context, *Progress) (Result, error) { panic("secret") }, "",
			"Something went wrong. The server's log has details."},
		"the vault is restored in part": {func(context.Context, *Progress) (Result, error) {
			return Result{Outcome: VaultIncomplete}, fault.New(fault.VaultUnavailable, "", "Half of it.")
		}, VaultIncomplete, "Half of it."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &shared{}
				began := time.Now()
				if _, err := s.server(t, "a").Run(t.Context(), asked, c.work); err == nil {
					t.Error("no error")
				}
				expect(t, s, 1, Failed, c.outcome, c.message, failedAt(began, c.message)...)
			})
		})
	}
}

// TestWhatEndsAJob: every way from outside; the work ends with the job.
func TestWhatEndsAJob(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after   time.Duration // of the job's beginning
		end     func(t *testing.T, a, b server)
		within  time.Duration // by when the work has ended
		outcome Outcome
		message string
	}{
		"cancelled here": {5 * time.Minute, func(t *testing.T, a, _ server) {
			must.Get(a.Cancel(t.Context(), asked.Actor, 1))(t)
		}, 0, Cancelled, errCancelled.text.Text},
		"cancelled there": {5 * time.Minute, func(t *testing.T, _, b server) {
			must.Get(b.Cancel(t.Context(), asked.Actor, 1))(t)
		}, BeatEvery, Cancelled, errCancelled.text.Text},
		"stopped": {time.Hour + time.Second/2, func(t *testing.T, a, _ server) {
			must.OK(t, a.Stop(t.Context()))
		}, 0, "", errStopped.text.Text},
		"too long": {LongestJob, func(*testing.T, server, server) {}, 0, "", errTooLong.text.Text},
		"lost": {time.Hour + time.Second/2, func(t *testing.T, _, b server) {
			j := b.job(1)
			must.OK(t, b.fail(t.Context(), j, errSilent))
		}, BeatEvery, "", errSilent.text.Text},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &shared{}
				a, b := s.server(t, "a"), s.server(t, "b")
				began := time.Now()
				var over time.Time
				must.Get(a.Start(t.Context(), asked, func(ctx context.Context, _ *Progress) (Result, error) {
					<-ctx.Done()
					over = time.Now()
					return Result{}, ctx.Err()
				}))(t)
				pass(c.after)
				c.end(t, a, b)
				pass(c.within)
				synctest.Wait()
				if over.IsZero() || over.After(began.Add(c.after+c.within)) {
					t.Errorf("the work ended at %v", over.Sub(began))
				}
				lines := []string{"backup.failed: " + c.message}
				if c.outcome != Cancelled {
					lines = failedAt(began, c.message)
				}
				expect(t, s, 1, Failed, c.outcome, c.message, lines...)
				if _, err := a.Cancel(t.Context(), asked.Actor, 1); !fault.Is(err, fault.Conflict) {
					t.Errorf("cancelled when it is over: %v", err)
				}
			})
		})
	}
}

// TestStoppedServer takes nothing more, and waits for what it has.
func TestStoppedServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := (&shared{}).server(t, "a")
		slow := make(chan struct{})
		must.Get(a.Start(t.Context(), asked, func(ctx context.Context, _ *Progress) (Result, error) { <-slow; return Result{}, ctx.Err() }))(t)
		synctest.Wait()
		brief, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := a.Stop(brief); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("beside work that does not end: %v", err)
		}
		close(slow)
		must.OK(t, a.Stop(t.Context()))
		if _, err := a.Start(t.Context(), asked, until(0)); !fault.Is(err, fault.Overloaded) || !strings.Contains(err.Error(), "stopping") {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// TestCancelledTooLate: finished work counts.
func TestCancelledTooLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		a := s.server(t, "a")
		must.Get(a.Start(t.Context(), asked, func(ctx context.Context, _ *Progress) (Result, error) {
			<-ctx.Done()
			return Result{Key: "k"}, nil
		}))(t)
		synctest.Wait()
		must.Get(a.Cancel(t.Context(), asked.Actor, 1))(t)
		synctest.Wait()
		expect(t, s, 1, Completed, OK, "", "backup.completed: ")
	})
}
