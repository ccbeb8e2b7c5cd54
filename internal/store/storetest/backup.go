package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/test/must"
)

var backupCases = map[string]func(*testing.T, *fixture){
	"a job from its beginning to its end":       jobWhole,
	"one job is active, many begin":             raceJobs,
	"one moment of the schedule, many begin":    raceDue,
	"whose job it is":                           jobLost,
	"an end stands once":                        jobEndTwice,
	"a job that is silent":                      jobSilent,
	"its end against its being ended":           raceEnd,
	"a job is cancelled":                        jobCancel,
	"a job that could not begin":                jobFailedAtOnce,
	"jobs by pages, the latest, the latest due": jobLists,
	"who began it was dismissed meanwhile":      jobAdmission,
}

// job is a new job of the admin's.
func (f *fixture) job(changes ...func(*backup.Job)) backup.Job {
	j := backup.Job{
		Kind: backup.Backup, Type: archive.Full, Status: backup.Pending, Runner: "one", CreatedAt: Now, Heartbeat: Now,
		Actor: access.Actor{UserID: f.admin.ID, Username: "admin", Hostname: "desk", IPAddress: "192.0.2.7", RequestID: "r-1"},
	}
	for _, change := range changes {
		change(&j)
	}
	return j
}

func (f *fixture) startJob(t *testing.T, changes ...func(*backup.Job)) backup.Job {
	t.Helper()
	return must.Get(f.InsertJob(t.Context(), f.job(changes...)))(t)
}

func scheduledAt(at time.Time) func(*backup.Job) {
	return func(j *backup.Job) { j.Scheduled, j.DueAt, j.Actor = true, &at, access.Actor{} }
}

// jobEnd is how a job ends, at a moment after it began.
func jobEnd(status backup.Status, after time.Duration) backup.End {
	e := backup.End{Status: status, Percent: 100, Outcome: backup.Warnings, Key: "k/backup.enc", SizeBytes: 1 << 40,
		Warnings: []fault.Sentence{fault.Say("size", "Größe"), {Text: "it's"}},
		Details:  []fault.Sentence{fault.Sayf("rows", "{rows} rows", fault.Params{"rows": "7"}), fault.Say("read", "read back")},
		At:       Now.Add(after)}
	if status == backup.Failed {
		e.Percent, e.Outcome, e.ErrorMessage = 12, backup.VaultIncomplete, fault.Say("vault_away", "The vault was away.")
	}
	return e
}

// tells is what is written with a job's end.
func tells(action audit.Action) backup.EndRecord {
	return backup.EndRecord{
		Entry:   entry(action, "backup_job"),
		Notices: []notify.Message{{Kind: notify.BackupFailed, Message: string(action), At: Now}},
	}
}

func jobWhole(t *testing.T, f *fixture) {
	want := f.job()
	j := f.startJob(t)
	want.ID = j.ID
	equal(t, "inserted", j, want)
	active, ok := must.Both(f.ActiveJob(t.Context()))(t)
	equal(t, "active", active, want)
	equal(t, "one is active", ok, true)

	began := Now.Add(time.Second)
	for _, at := range []time.Time{began, began.Add(time.Second)} { // the first time counts
		must.OK(t, f.BeginJob(t.Context(), j.ID, "one", at))
		want.Status, want.StartedAt, want.Heartbeat = backup.Running, &began, at
		equal(t, "begun", must.Get(f.BackupJob(t.Context(), j.ID))(t), want)
	}
	at := Now.Add(time.Minute)
	upload := backup.Reached{Phase: "upload", Percent: 55, Done: 3 << 40, Total: 1 << 42, Unit: backup.InBytes}
	equal(t, "to be cancelled", must.Get(f.BeatJob(t.Context(), j.ID, "one", upload, at))(t), false)
	want.Reached, want.Heartbeat = upload, at
	equal(t, "noted", must.Get(f.BackupJob(t.Context(), j.ID))(t), want)

	e := jobEnd(backup.Completed, time.Hour)
	want.Status, want.Percent, want.Outcome, want.FinishedAt = backup.Completed, 100, backup.Warnings, &e.At
	want.Key, want.SizeBytes, want.Warnings, want.Details = e.Key, e.SizeBytes, e.Warnings, e.Details
	equal(t, "ended", must.Get(f.EndJob(t.Context(), j.ID, "one", e, tells(audit.BackupCompleted)))(t), want)
	equal(t, "kept", must.Get(f.BackupJob(t.Context(), j.ID))(t), want)
	_, ok = must.Both(f.ActiveJob(t.Context()))(t)
	equal(t, "one is active", ok, false)
	equal(t, "log", f.logged(t), []string{"backup.completed backup_job " + audit.ID(j.ID)})
	equal(t, "told", f.noticesOf(t, f.admin.ID), []string{"backup.completed"})
	equal(t, "a manager is told", f.noticesOf(t, f.manager.ID), nil)
	refused(t, "another id", errOf(f.BackupJob(t.Context(), j.ID+1)), fault.NotFound)
}

func (f *fixture) noticesOf(t *testing.T, userID int64) []string {
	t.Helper()
	p := must.Get(f.ListNotices(t.Context(), userID, notify.Filter{}, page.Request{Limit: 99}))(t)
	return names(p.Items, func(n notify.Notice) string { return n.Message })
}

var oneJob = map[fault.Code]int{"": 1, fault.JobRunning: racers - 1}

func raceJobs(t *testing.T, f *fixture) {
	equal(t, "outcomes", race(func(i int) error {
		return errOf(f.InsertJob(t.Context(), f.job(func(j *backup.Job) {
			j.Runner, j.Kind = fmt.Sprint("racer ", i), []backup.Kind{backup.Backup, backup.Restore, backup.Drill}[i%3]
		})))
	}), oneJob)
	j, _ := must.Both(f.ActiveJob(t.Context()))(t)
	must.Get(f.EndJob(t.Context(), j.ID, j.Runner, jobEnd(backup.Completed, 0), tells(audit.BackupCompleted)))(t)
	f.startJob(t)
}

func raceDue(t *testing.T, f *fixture) {
	due := Now.Add(-time.Minute)
	var mu sync.Mutex
	var errs []error
	race(func(i int) error {
		err := errOf(f.InsertJob(t.Context(), f.job(scheduledAt(due), func(j *backup.Job) { j.Runner = fmt.Sprint("racer ", i) })))
		mu.Lock()
		defer mu.Unlock()
		errs = append(errs, err)
		return err
	})
	done := 0
	for _, err := range errs {
		switch {
		case errors.Is(err, backup.ErrDone):
			done++
		case err != nil:
			t.Errorf("a racer got %v", err)
		}
	}
	equal(t, "those that came too late", done, racers-1)
	j, _ := must.Both(f.ActiveJob(t.Context()))(t)
	equal(t, "due", j.DueAt, &due)
	equal(t, "its actor", j.Actor, access.Actor{})
	must.Get(f.EndJob(t.Context(), j.ID, j.Runner, jobEnd(backup.Failed, 0), tells(audit.BackupFailed)))(t)
	if err := errOf(f.InsertJob(t.Context(), f.job(scheduledAt(due)))); !errors.Is(err, backup.ErrDone) {
		t.Errorf("the moment again, when its job is over: %v", err)
	}
	f.startJob(t, scheduledAt(due), func(j *backup.Job) { j.Kind = backup.Drill })
	if err := errOf(f.InsertJob(t.Context(), f.job(scheduledAt(due.Add(1000))))); !errors.Is(err, backup.ErrRunning) {
		t.Errorf("another moment, beside an active job: %v", err)
	}
}

// lost checks that a job is refused to runners that do not have it.
func (f *fixture) lost(t *testing.T, what string, id int64, runner string) {
	t.Helper()
	for name, err := range map[string]error{
		"begin": f.BeginJob(t.Context(), id, runner, Now),
		"beat":  errOf(f.BeatJob(t.Context(), id, runner, backup.Reached{Phase: "dump", Percent: 99, Done: 7, Unit: backup.InBytes}, Now)),
		"end":   errOf(f.EndJob(t.Context(), id, runner, jobEnd(backup.Completed, time.Minute), tells(audit.BackupCompleted))),
	} {
		if !errors.Is(err, backup.ErrLost) {
			t.Errorf("%s, %s: %v", what, name, err)
		}
	}
}

func jobLost(t *testing.T, f *fixture) {
	j := f.startJob(t)
	f.lost(t, "another runner", j.ID, "two")
	f.lost(t, "no such job", j.ID+1, "one")
	equal(t, "the job", must.Get(f.BackupJob(t.Context(), j.ID))(t), j)
	must.Get(f.EndSilent(t.Context(), j.ID, j.Heartbeat, silent, tells(audit.BackupFailed)))(t)
	failed := must.Get(f.BackupJob(t.Context(), j.ID))(t)
	f.lost(t, "failed by another server", j.ID, "one")
	equal(t, "the failed job", must.Get(f.BackupJob(t.Context(), j.ID))(t), failed)
	equal(t, "log", f.logged(t), []string{"backup.failed backup_job " + audit.ID(j.ID)})
}

func jobEndTwice(t *testing.T, f *fixture) {
	j := f.startJob(t)
	first := must.Get(f.EndJob(t.Context(), j.ID, "one", jobEnd(backup.Failed, time.Minute), tells(audit.BackupFailed)))(t)
	again := must.Get(f.EndJob(t.Context(), j.ID, "one", jobEnd(backup.Failed, time.Minute), tells(audit.BackupFailed)))(t)
	equal(t, "again", again, first)
	f.lost(t, "another end", j.ID, "one")
	equal(t, "kept", must.Get(f.BackupJob(t.Context(), j.ID))(t), first)
	equal(t, "log", f.logged(t), []string{"backup.failed backup_job " + audit.ID(j.ID)})
	equal(t, "told", f.noticesOf(t, f.admin.ID), []string{"backup.failed"})
}

// silent is a job's end by another server.
var silent = backup.End{
	Status: backup.Failed, Percent: 80, Outcome: backup.VaultIncomplete, ErrorMessage: fault.Say("silent", "Silent."),
	Warnings: []fault.Sentence{fault.Say("w", "W.")},
	At:       Now.Add(time.Hour),
}

func jobSilent(t *testing.T, f *fixture) {
	j := f.startJob(t)
	must.OK(t, f.BeginJob(t.Context(), j.ID, "one", Now.Add(time.Second)))
	fail := func(heartbeat time.Time) bool {
		return must.Get(f.EndSilent(t.Context(), j.ID, heartbeat, silent, tells(audit.BackupFailed)))(t)
	}
	equal(t, "a heartbeat came since", fail(j.Heartbeat), false)
	equal(t, "none came", fail(Now.Add(time.Second)), true)
	equal(t, "again", fail(Now.Add(time.Second)), false)
	j = must.Get(f.BackupJob(t.Context(), j.ID))(t)
	equal(t, "end", backup.End{Status: j.Status, Percent: j.Percent, Outcome: j.Outcome, ErrorMessage: j.ErrorMessage,
		Warnings: j.Warnings, At: *j.FinishedAt}, silent)
	equal(t, "log", f.logged(t), []string{"backup.failed backup_job " + audit.ID(j.ID)})
	f.startJob(t)
}

// raceEnd: of several ends, one is stored, with one entry.
func raceEnd(t *testing.T, f *fixture) {
	j := f.startJob(t)
	outcomes := race(func(i int) error {
		if i%2 == 0 {
			return errOf(f.EndSilent(t.Context(), j.ID, j.Heartbeat, silent, tells(audit.BackupFailed)))
		}
		err := errOf(f.EndJob(t.Context(), j.ID, "one", jobEnd(backup.Completed, time.Minute), tells(audit.BackupCompleted)))
		if errors.Is(err, backup.ErrLost) {
			return fault.New(fault.Conflict, "", "lost")
		}
		return err
	})
	want := map[fault.Code]int{"": racers}
	action := "backup.completed"
	if must.Get(f.BackupJob(t.Context(), j.ID))(t).Status == backup.Failed {
		want, action = map[fault.Code]int{"": racers / 2, fault.Conflict: racers / 2}, "backup.failed"
	}
	equal(t, "outcomes", outcomes, want)
	equal(t, "log", f.logged(t), []string{action + " backup_job " + audit.ID(j.ID)})
}

func jobCancel(t *testing.T, f *fixture) {
	j := f.startJob(t)
	asked := entry(audit.BackupCancelRequested, "backup_job")
	asked.TargetID = audit.ID(j.ID)
	for range 2 { // the second changes nothing
		equal(t, "cancelled", must.Get(f.CancelJob(t.Context(), j.ID, asked))(t).Cancel, true)
	}
	equal(t, "log", f.logged(t), []string{"backup.cancel_requested backup_job " + audit.ID(j.ID)})
	equal(t, "heard", must.Get(f.BeatJob(t.Context(), j.ID, "one", backup.Reached{}, Now))(t), true)
	must.Get(f.EndJob(t.Context(), j.ID, "one", jobEnd(backup.Failed, time.Minute), tells(audit.BackupFailed)))(t)
	refused(t, "one that is over", errOf(f.CancelJob(t.Context(), j.ID, asked)), fault.Conflict)
	refused(t, "none", errOf(f.CancelJob(t.Context(), j.ID+1, asked)), fault.NotFound)
}

func jobFailedAtOnce(t *testing.T, f *fixture) {
	active := f.startJob(t)
	due := Now.Add(-time.Hour)
	missed := f.job(scheduledAt(due), func(j *backup.Job) {
		j.Status, j.ErrorMessage, j.FinishedAt = backup.Failed, fault.Say("late", "It could not begin."), ptr(Now)
	})
	j := must.Get(f.InsertFailed(t.Context(), missed, tells(audit.BackupFailed)))(t) // beside the active one
	missed.ID = j.ID
	equal(t, "kept", j, missed)
	if err := errOf(f.InsertFailed(t.Context(), missed, tells(audit.BackupFailed))); !errors.Is(err, backup.ErrDone) {
		t.Errorf("again: %v", err)
	}
	now, _ := must.Both(f.ActiveJob(t.Context()))(t)
	equal(t, "active", now, active)
	equal(t, "log", f.logged(t), []string{"backup.failed backup_job " + audit.ID(j.ID)})
	equal(t, "told", f.noticesOf(t, f.admin.ID), []string{"backup.failed"})
}

func jobLists(t *testing.T, f *fixture) {
	equal(t, "due before", must.Get(f.LatestDue(t.Context(), backup.Backup, Now))(t), time.Time{})
	equal(t, "latest before", must.Get(f.LatestJobs(t.Context()))(t), nil)
	var ids []int64
	for i, c := range []struct {
		kind   backup.Kind
		status backup.Status
	}{
		{backup.Backup, backup.Completed}, {backup.Backup, backup.Failed}, {backup.Drill, backup.Completed},
		{backup.Backup, backup.Completed}, {backup.Restore, backup.Failed}, {backup.Drill, backup.Running},
	} {
		j := f.startJob(t, func(j *backup.Job) { j.Kind = c.kind },
			scheduledAt(Now.Add(-time.Duration(i)*time.Hour)))
		ids = append(ids, j.ID)
		if c.status != backup.Running {
			must.Get(f.EndJob(t.Context(), j.ID, "one", jobEnd(c.status, time.Minute), tells(audit.BackupCompleted)))(t)
		}
	}
	id := func(j backup.Job) string { return audit.ID(j.ID) }
	pick := func(which ...int) (want []string) {
		for _, i := range which {
			want = append(want, audit.ID(ids[i]))
		}
		return want
	}
	list := func(filter backup.Filter) []string {
		return names(walk(t, 2, func(p page.Request) (page.Page[backup.Job], error) { return f.ListJobs(t.Context(), filter, p) }), id)
	}
	equal(t, "all", list(backup.Filter{}), pick(5, 4, 3, 2, 1, 0))
	equal(t, "backups", list(backup.Filter{Kind: backup.Backup}), pick(3, 1, 0))
	equal(t, "failed", list(backup.Filter{Status: backup.Failed}), pick(4, 1))
	equal(t, "completed drills", list(backup.Filter{Kind: backup.Drill, Status: backup.Completed}), pick(2))
	equal(t, "latest", names(must.Get(f.LatestJobs(t.Context()))(t), id), pick(4, 3, 2, 1))
	equal(t, "due", must.Get(f.LatestDue(t.Context(), backup.Backup, Now))(t), Now)
	equal(t, "due before a time", must.Get(f.LatestDue(t.Context(), backup.Backup, Now.Add(-time.Minute)))(t), Now.Add(-time.Hour))
	equal(t, "due drill", must.Get(f.LatestDue(t.Context(), backup.Drill, Now))(t), Now.Add(-2*time.Hour))
}

// jobAdmission: a request whose sender was dismissed starts nothing.
func jobAdmission(t *testing.T, f *fixture) {
	second := f.user(t, "second", access.GlobalAdmin, nil)
	a := actorOf(second)
	a.SessionID = f.signIn(t, second).ID
	ctx := access.Admit(t.Context(), access.Admission{Actor: a})
	j := must.Get(f.InsertJob(ctx, f.job()))(t)
	must.Get(f.EndJob(t.Context(), j.ID, "one", jobEnd(backup.Completed, 0), tells(audit.BackupCompleted)))(t)
	f.changed(t, second.ID, func(u *account.User) { u.IsActive = false })
	if err := errOf(f.InsertJob(ctx, f.job())); !fault.Is(err, fault.AccountDisabled) && !fault.Is(err, fault.SessionNotFound) {
		t.Errorf("a dismissed administrator: %v", err)
	}
	_, ok := must.Both(f.ActiveJob(t.Context()))(t)
	equal(t, "one is active", ok, false)
}
