package backup

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/must"
)

var restoreAsked = Request{Kind: Restore, Type: archive.Full, Key: "k", Actor: access.Actor{UserID: 7, Username: "admin"}}

// leaves is the work of a restore that leaves that mark, a minute after it began,
// and continues until it is stopped.
func (s *shared) leaves(m mark) Work {
	return func(ctx context.Context, p *Progress) (Result, error) {
		id, _ := p.Job()
		pass(time.Minute)
		s.begins(id, m)
		<-ctx.Done()
		return Result{}, ctx.Err()
	}
}

// TestWhatEndsARestore: whatever ends its job, the job says what the restore has left.
func TestWhatEndsARestore(t *testing.T) {
	t.Parallel()
	ways := map[string]struct {
		end  func(t *testing.T, a server)
		why  *cut
		when time.Duration // when it has ended
	}{
		"killed": {func(_ *testing.T, a server) {
			a.kill()
			a.fails(func(string) outage { return failed })
		}, errSilent, SilentFor + 2*SweepEvery},
		"stopped":   {func(t *testing.T, a server) { must.OK(t, a.Stop(t.Context())) }, errStopped, time.Second},
		"cancelled": {func(t *testing.T, a server) { must.Get(a.Cancel(t.Context(), asked.Actor, 1))(t) }, errCancelled, time.Second},
		"too long":  {func(*testing.T, server) {}, errTooLong, LongestJob},
		"lost": {func(t *testing.T, a server) {
			must.OK(t, a.fail(t.Context(), a.job(1), errTooLong))
		}, errTooLong, BeatEvery},
		"the mark cannot be read for a while": {func(t *testing.T, a server) {
			tries := 0
			a.fails(func(operation string) outage {
				if operation == "mark" && tries < 5 {
					tries++
					return failed
				}
				return reached
			})
			must.Get(a.Cancel(t.Context(), asked.Actor, 1))(t)
		}, errCancelled, BeatEvery},
	}
	for name, way := range ways {
		for left, m := range map[string]mark{"nothing": {}, "changes": {unfinished: true}, "all": {ended: true}} {
			if way.why == errTooLong && left != "changes" {
				continue // a sweep of hours
			}
			t.Run(name+", left "+left, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					s := &shared{}
					a := s.server(t, "a")
					s.server(t, "b")
					must.Get(a.Start(t.Context(), restoreAsked, s.leaves(m)))(t)
					pass(5*time.Minute + time.Second/2)
					way.end(t, a)
					pass(way.when)
					synctest.Wait()
					status, outcome, message := Failed, Outcome(""), way.why.text.Text
					switch {
					case m.ended:
						status, outcome, message = Completed, Warnings, ""
					case m.unfinished:
						outcome, message = VaultIncomplete, incomplete(way.why.what).Detail
					case way.why == errCancelled:
						outcome = Cancelled
					}
					j := s.job(1)
					if j.Status != status || j.Outcome != outcome || j.ErrorMessage.Text != message || j.FinishedAt == nil {
						t.Errorf("the job is %s, %q: %q, finished %v", j.Status, j.Outcome, j.ErrorMessage.Text, j.FinishedAt)
					}
					if m.ended && (len(j.Warnings) != 1 || j.Percent != 100) {
						t.Errorf("what was done: %d %%, warnings %q", j.Percent, j.Warnings)
					}
					if told := s.lines(); len(told) == 0 || m.ended && told[0] != "restore.completed:  (1 warnings)" {
						t.Errorf("told: %q", told)
					}
					a.fails(nil)
					pass(time.Minute)
				})
			})
		}
	}
}

// TestAnswerOfTheEndLost: a restore that has ended is no failure because the answer
// to its last write was lost.
func TestAnswerOfTheEndLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		j, err := s.server(t, "a").Run(t.Context(), restoreAsked, func(_ context.Context, p *Progress) (Result, error) {
			id, _ := p.Job()
			s.begins(id, mark{ended: true})
			return Result{Outcome: VaultIncomplete}, incomplete(fault.Sentence{}).With(errAway)
		})
		if err != nil || j.Status != Completed || j.Outcome != Warnings || j.ErrorMessage.Text != "" {
			t.Errorf("%v, %+v", err, j)
		}
	})
}

// TestLongTransaction: a restore's database transaction blocks all notes.
// Afterwards, the time limit for them starts again.
func TestLongTransaction(t *testing.T) {
	t.Parallel()
	for _, long := range []time.Duration{AloneFor - time.Second, 2*AloneFor - time.Second, 20 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			s := &shared{}
			a := s.server(t, "a")
			_, err := a.Run(t.Context(), restoreAsked, func(ctx context.Context, p *Progress) (Result, error) {
				p.Phase(inDatabase, 1)
				pass(2 * noteEvery)
				a.fails(func(string) outage { return failed })
				pass(long)
				p.Heard()
				p.Phase("vault", 1)
				pass(AloneFor - 2*time.Second) // nor is it answered right afterwards
				a.fails(nil)
				pass(time.Minute)
				return Result{}, ctx.Err()
			})
			if j := s.job(1); err != nil || j.Status != Completed {
				t.Errorf("after %s: %v, %s %q", long, err, j.Status, j.ErrorMessage)
			}
		})
	}
}

// TestWorkThatSaysSo: a restore that failed in the vault part says more than its mark.
func TestWorkThatSaysSo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		said := incomplete(fault.Sentence{Text: "The vault is away."})
		_, err := s.server(t, "a").Run(t.Context(), restoreAsked, func(_ context.Context, p *Progress) (Result, error) {
			id, _ := p.Job()
			s.begins(id, mark{unfinished: true})
			return Result{Outcome: VaultIncomplete}, said.With(errAway)
		})
		if j := s.job(1); !errors.Is(err, errAway) || !fault.Is(err, fault.VaultUnavailable) || j.Outcome != VaultIncomplete ||
			j.ErrorMessage.Text != said.Detail {
			t.Errorf("%v, %+v", err, j)
		}
	})
}
