package backup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
)

// cut is why a job was ended from outside, for people: what happened, and the same
// with what to do.
type cut struct{ what, text fault.Sentence }

func cutOff(what, todo fault.Sentence) *cut {
	return &cut{what, fault.Sayf("happened", "{what} {todo}", fault.Params{"what": what, "todo": todo})}
}

func (c *cut) Error() string { return "backup: " + c.text.Text }

// Reasons for ending a job from outside.
var (
	cancelled    = fault.Say("cancelled", "The job was cancelled.")
	errCancelled = &cut{cancelled, cancelled}
	again        = fault.Say("start_again", "Start it again.")
	errStopped   = cutOff(fault.Say("server_stopped", "The server was stopped while the job ran."), again)
	errTooLong   = cutOff(fault.Say("too_long", "The job was stopped because it took longer than two hours."),
		fault.Say("start_again_faster", "Check how fast the database, the vault and the store respond, then start it again."))
	errAlone = cutOff(fault.Say("database_away", "The server could not reach the database for too long and stopped this job."),
		fault.Say("start_again_with_database", "Start it again when the database is available."))
	errSilent = cutOff(fault.Say("server_silent", "The server that ran this job is gone: it stopped or lost the database."),
		again)
)

// said is what people may read of an error.
func said(err error) fault.Sentence {
	if c, ok := errors.AsType[*cut](err); ok {
		return c.text
	}
	return saidOr(err, fault.Say("went_wrong", "Something went wrong. The server's log has details."))
}

// saidOr returns other if an error has no sentence for people.
func saidOr(err error, other fault.Sentence) fault.Sentence {
	if f, ok := fault.As(err); ok && f.Code != fault.Internal {
		return f.Sentence()
	}
	return other
}

// endOf returns the end of a job whose work has returned. why is what stopped it, if anything.
func endOf(j Job, res Result, err error, why *cut, percent int, at time.Time) End {
	e := End{
		Status: Completed, Percent: 100, Outcome: res.Outcome, Key: res.Key, SizeBytes: res.SizeBytes,
		Warnings: res.Warnings, Details: res.Details, At: at.Truncate(time.Microsecond),
	}
	if e.Key == "" {
		e.Key = j.Key
	}
	if err == nil {
		if e.Outcome == "" {
			e.Outcome = OK
		}
		return e
	}
	e.Status, e.Percent, e.Details, e.ErrorMessage = Failed, percent, nil, said(err)
	switch {
	case e.Outcome == VaultIncomplete: // whatever the reason, people must know this
	case why != nil:
		e.Outcome, e.ErrorMessage = "", why.text
		if why == errCancelled {
			e.Outcome = Cancelled
		}
	default:
		e.Outcome = ""
	}
	return e
}

// settled adjusts the end of a job to what it left. A restore records in the
// database that it has begun to change things, and that it has ended, so whoever
// ends its job knows, whatever happened to its server. what is what ended the job.
func (r *Runner) settled(ctx context.Context, j Job, e End, what fault.Sentence) (End, error) {
	if j.Kind != Restore || e.Status != Failed || r.Restores == nil {
		return e, nil
	}
	unfinished, ended, err := r.Restores(ctx, j.ID)
	switch {
	case err != nil:
		return e, err
	case unfinished && e.Outcome != VaultIncomplete:
		e.Outcome, e.ErrorMessage = VaultIncomplete, incomplete(what).Sentence()
	case ended:
		e.Status, e.Percent, e.Outcome, e.ErrorMessage = Completed, 100, Warnings, fault.Sentence{}
		e.Warnings = append(slices.Clone(e.Warnings), unheard)
	}
	return e, nil
}

// unheard is the warning for a restore that was completed but could not report it.
var unheard = fault.Say("restore_unheard", "The restore is complete, but the server could not report its "+
	"warnings: check the People page for accounts that are disabled now, and restart the server.")

// ended maps kinds and ends to audit actions.
var ended = map[Kind]map[Status]audit.Action{
	Backup:  {Completed: audit.BackupCompleted, Failed: audit.BackupFailed},
	Restore: {Completed: audit.RestoreCompleted, Failed: audit.RestoreFailed},
	Drill:   {Completed: audit.BackupDrillCompleted, Failed: audit.BackupDrillFailed},
}

// endRecord returns what is written with the end of a job: the audit entry, and, if it
// failed, a notice to the global administrators.
func endRecord(j Job) EndRecord {
	details := Counted(j.Details)
	outcome := audit.Success
	if j.Status == Failed {
		details, outcome = j.ErrorMessage.Text, audit.Failure
	}
	if n := len(j.Warnings); n > 0 {
		details = fmt.Sprintf("%s (%d warnings)", details, n)
	}
	if j.Scheduled {
		details = "[Scheduled] " + details
	}
	entry := audit.By(j.Actor, ended[j.Kind][j.Status], "backup_job", "", details).As(outcome).In(nil)
	if j.ID != 0 {
		entry.TargetID = audit.ID(j.ID)
	}
	entry.At = *j.FinishedAt
	entry.FileName, entry.BackupType, entry.SizeBytes = j.Key, string(j.Type), &j.SizeBytes
	began := j.CreatedAt
	if j.StartedAt != nil {
		began = *j.StartedAt
	}
	took := max(0, j.FinishedAt.Sub(began)).Milliseconds()
	entry.DurationMS = &took
	t := EndRecord{Entry: entry}
	if j.Status == Failed && j.Outcome != Cancelled {
		t.Notices = []notify.Message{failure(j)}
	}
	return t
}

// failure is the notice about a failed job.
func failure(j Job) notify.Message {
	kind := notify.BackupFailed
	if j.Kind == Drill {
		kind = notify.DrillFailed
	}
	began := j.CreatedAt
	if j.DueAt != nil {
		began = *j.DueAt
	}
	return notify.Message{Kind: kind, At: *j.FinishedAt, Params: notify.Params{
		"job": string(j.Kind), "scheduled": strconv.FormatBool(j.Scheduled), "began": began.UTC().Format(time.RFC3339),
		"error": j.ErrorMessage.Text, "cause": notify.Cause(j.ErrorMessage),
	}}
}
