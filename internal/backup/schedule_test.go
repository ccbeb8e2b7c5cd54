package backup

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/must"
)

// led is the scheduler of a leading server, every night at two.
type led struct {
	server

	kind Kind
	plan Plan
	fate error // of attempts to start a job
}

// lead checks the schedule for d, like the leader.
func (l *led) lead(t *testing.T, d time.Duration) (errs []string) {
	t.Helper()
	s := &Scheduler{
		Kind: l.kind, Store: l.replica, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Plan: func(context.Context) (Plan, error) { return l.plan, nil },
		Begin: func(ctx context.Context, due time.Time) error {
			if l.fate != nil {
				return l.fate
			}
			_, err := l.Start(ctx, Request{Kind: l.kind, Type: archive.Full, Scheduled: true, DueAt: due}, until(time.Minute))
			return err
		},
	}
	const look = 20 * ScheduleEvery // enough here
	for end := time.Now().Add(d); time.Now().Before(end); pass(look) {
		if err := s.Run(t.Context()); err != nil && (len(errs) == 0 || errs[len(errs)-1] != err.Error()) {
			errs = append(errs, err.Error())
		}
	}
	return errs
}

// begun returns the jobs, with their times and states, and how late they started.
func (s *shared) begun() (lines []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.jobs {
		late := j.CreatedAt.Sub(*j.DueAt).Truncate(time.Minute)
		lines = append(lines, fmt.Sprintf("%s %s +%s", j.DueAt.UTC().Format("02 15:04"), j.Status, late))
	}
	return lines
}

func TestSchedule(t *testing.T) {
	t.Parallel()
	away := fault.New(fault.VaultUnavailable, "", "The vault is away.")
	for name, c := range map[string]struct {
		do   func(t *testing.T, s *shared, a, b *led)
		want []string
	}{
		"each night, once": {func(t *testing.T, _ *shared, a, _ *led) { a.lead(t, 60*time.Hour) },
			[]string{"01 02:00 Completed +0s", "02 02:00 Completed +0s", "03 02:00 Completed +0s"}},
		"two that both think they lead": {func(t *testing.T, _ *shared, a, b *led) {
			done := make(chan struct{})
			go func() { defer close(done); b.lead(t, 30*time.Hour) }()
			a.lead(t, 30*time.Hour)
			<-done
		}, []string{"01 02:00 Completed +0s", "02 02:00 Completed +0s"}},
		"no server at the moment": {func(t *testing.T, _ *shared, a, b *led) {
			a.lead(t, time.Hour)
			pass(6 * time.Hour)
			b.lead(t, 2*time.Hour)
		}, []string{"01 02:00 Completed +5h0m0s"}},
		"no server for days": {func(t *testing.T, _ *shared, a, b *led) {
			a.lead(t, time.Hour)
			pass(3*24*time.Hour + 16*time.Hour)
			b.lead(t, 10*time.Hour)
		}, []string{"04 02:00 Failed +15h0m0s", "05 02:00 Completed +0s"}},
		"it could not begin at first": {func(t *testing.T, _ *shared, a, _ *led) {
			a.fate = away
			if errs := a.lead(t, 4*time.Hour); len(errs) != 1 || errs[0] != away.Error() {
				t.Errorf("errors %q", errs)
			}
			a.fate = nil
			a.lead(t, time.Hour)
		}, []string{"01 02:00 Completed +2h0m0s"}},
		"it could not begin at all": {func(t *testing.T, s *shared, a, _ *led) {
			a.fate = away
			a.lead(t, 20*time.Hour)
			want := []string{"backup.failed: [Scheduled] It could not start: The vault is away. Start one now, or wait for the next.",
				"notice: The scheduled backup of 1 January 2000, 02:00 UTC failed. It could not start: The vault is away. " +
					"Start one now, or wait for the next."}
			if diff := cmp.Diff(want, s.lines()); diff != "" {
				t.Errorf("told (-want +got): %s", diff)
			}
		}, []string{"01 02:00 Failed +12h5m0s"}},
		"set up after the moment": {func(t *testing.T, _ *shared, a, _ *led) {
			pass(4 * time.Hour)
			a.plan.Since = time.Now()
			a.lead(t, 23*time.Hour)
		}, []string{"02 02:00 Completed +0s"}},
		"another job at the moment": {func(t *testing.T, _ *shared, a, b *led) {
			pass(2*time.Hour - time.Minute)
			due := time.Now()
			must.Get(b.Start(t.Context(), Request{Kind: Drill, DueAt: due}, until(31*time.Minute)))(t)
			a.lead(t, 2*time.Hour)
		}, []string{"01 01:59 Completed +0s", "01 02:00 Completed +34m0s"}},
		"drills on Sundays, beside backups": {func(t *testing.T, _ *shared, a, b *led) {
			b.kind = Drill // the year begins on a Saturday
			done := make(chan struct{})
			go func() { defer close(done); b.lead(t, 54*time.Hour) }()
			a.lead(t, 54*time.Hour)
			<-done
		}, []string{"01 02:00 Completed +0s", "02 02:00 Completed +0s", "02 05:00 Completed +0s", "03 02:00 Completed +0s"}},
		"a drill, with nothing to try for a week": {func(t *testing.T, s *shared, a, _ *led) {
			a.kind, a.fate = Drill, errNoBackup
			a.plan.Drills = "0 5 2 * *"
			a.lead(t, 9*24*time.Hour)
			want := []string{
				"backup.drill_failed: [Scheduled] It could not start: " + errNoBackup.Detail + " Start one now, or wait for the next.",
				"notice: The scheduled trial restore of 2 January 2000, 05:00 UTC failed. It could not start: " + errNoBackup.Detail +
					" Start one now, or wait for the next."}
			if diff := cmp.Diff(want, s.lines()); diff != "" {
				t.Errorf("told (-want +got): %s", diff)
			}
		}, []string{"02 05:00 Failed +168h5m0s"}},
		"not wanted": {func(t *testing.T, _ *shared, a, _ *led) {
			a.plan = Plan{}
			a.lead(t, 3*time.Hour)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &shared{}
				nightly := Plan{Schedule: "0 2 * * *", Drills: "0 5 * * 0", Since: time.Now(), DrillsSince: time.Now()}
				a, b := s.server(t, "a"), s.server(t, "b")
				a.kill() // no one watches over the others' jobs here
				b.kill()
				c.do(t, s, &led{a, Backup, nightly, nil}, &led{b, Backup, nightly, nil})
				pass(10 * time.Minute) // for jobs that have started
				if diff := cmp.Diff(c.want, s.begun()); diff != "" {
					t.Errorf("jobs (-want +got): %s", diff)
				}
			})
		})
	}
}

func TestOverdue(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	never := time.Time{}
	p := Plan{Schedule: "0 2 * * *", Drills: "0 5 4 * *", Since: day.Add(-24 * time.Hour), DrillsSince: day.Add(-24 * time.Hour)}
	for name, c := range map[string]struct {
		plan      Plan
		kind      Kind
		succeeded time.Time
		now, want time.Time
	}{
		"made":              {p, Backup, day.Add(2*time.Hour + time.Minute), day.Add(20 * time.Hour), never},
		"not yet":           {p, Backup, day.Add(-22 * time.Hour), day.Add(4 * time.Hour), never},
		"not made":          {p, Backup, day.Add(-21 * time.Hour), day.Add(6 * time.Hour), day.Add(2 * time.Hour)},
		"never made":        {p, Backup, never, day.Add(6 * time.Hour), day.Add(2 * time.Hour)},
		"by hand afterward": {p, Backup, day.Add(5 * time.Hour), day.Add(6 * time.Hour), never},
		"not its own":       {Plan{Schedule: p.Schedule, Since: day.Add(3 * time.Hour)}, Backup, never, day.Add(6 * time.Hour), never},
		"no schedule":       {Plan{Since: p.Since}, Backup, never, day.Add(6 * time.Hour), never},
		"no drill, yet":     {p, Drill, never, day.Add(28 * time.Hour), never},
		"no drill":          {p, Drill, never, day.Add(30 * time.Hour), day.Add(5 * time.Hour)},
		"a drill since":     {p, Drill, day.Add(20 * time.Hour), day.Add(30 * time.Hour), never},
		"drills by hand":    {Plan{Schedule: p.Schedule, Since: p.Since}, Drill, never, day.Add(30 * time.Hour), never},
	} {
		if got := c.plan.Overdue(c.kind, c.succeeded, c.now); !got.Equal(c.want) {
			t.Errorf("%s: %s, should be %s", name, got, c.want)
		}
	}
}
