package backup

import (
	"context"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 6, 0, 0, 0, time.UTC)
	job := func(k Kind, s Status, o Outcome, ago time.Duration) Job {
		at := now.Add(-ago)
		return Job{Kind: k, Status: s, Outcome: o, ErrorMessage: fault.Sentence{Text: "The bucket is full."}, FinishedAt: &at}
	}
	night, drill := job(Backup, Completed, OK, 4*time.Hour), job(Drill, Completed, OK, 12*time.Hour)
	for name, c := range map[string]struct {
		jobs []Job // oldest first
		want string
	}{
		"all is well": {[]Job{job(Backup, Failed, "", 30*time.Hour), job(Drill, Completed, OK, 5*time.Hour), night}, ""},
		"it failed": {[]Job{night, job(Backup, Failed, "", time.Hour)},
			"The latest backup failed, 2026-05-04 05:00 UTC: The bucket is full."},
		"it was cancelled": {[]Job{drill, night, job(Backup, Failed, Cancelled, time.Hour)}, ""},
		"it failed, before that": {[]Job{night, job(Backup, Failed, "", 2*time.Hour), job(Backup, Failed, Cancelled, time.Hour)},
			"The latest backup failed, 2026-05-04 04:00 UTC: The bucket is full."},
		"a restore failed": {[]Job{drill, night, job(Restore, Failed, "", time.Hour)}, ""},
		"none for a day": {[]Job{job(Backup, Completed, OK, 28*time.Hour)},
			"The backup scheduled for 2026-05-04 02:00 UTC did not run. The latest one is from 2026-05-03 02:00 UTC."},
		"none at all": {nil, "The backup scheduled for 2026-05-04 02:00 UTC did not run, and there is no backup yet."},
		"a drill failed": {[]Job{night, job(Drill, Completed, OK, 3*time.Hour), job(Drill, Failed, "", time.Hour)},
			"The latest trial restore failed, 2026-05-04 05:00 UTC: The bucket is full."},
		"a drill succeeded since": {[]Job{night, job(Drill, Failed, "", 3*time.Hour), job(Drill, Completed, Warnings, time.Hour)}, ""},
		"no drill on Sunday": {[]Job{job(Drill, Completed, OK, 40*time.Hour), night},
			"The trial restore scheduled for 2026-05-03 04:00 UTC did not run. The last successful one was on 2026-05-02 14:00 UTC."},
		"none ever": {[]Job{night},
			"The trial restore scheduled for 2026-05-03 04:00 UTC did not run. There has never been a successful one."},
	} {
		s := &shared{}
		for _, j := range c.jobs {
			if _, err := s.insert(j); err != nil {
				t.Fatal(err)
			}
		}
		w := &Watch{Store: &replica{shared: s}, Now: func() time.Time { return now }, Plan: func(context.Context) (Plan, error) {
			return Plan{Schedule: "0 2 * * *", Drills: "0 4 * * 0"}, nil
		}}
		if _, ok := w.Latest(); ok {
			t.Error("somebody looked")
		}
		got, err := w.Look(t.Context())
		if err != nil || got.Trouble() != c.want || !got.Planned {
			t.Errorf("%s: %q, %v", name, got.Trouble(), err)
		}
		if latest, ok := w.Latest(); !ok || latest.Trouble() != c.want {
			t.Errorf("%s, afterwards: %q", name, latest.Trouble())
		}
	}
}
