package backup

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/vault"
)

// restoring is a restore of a loaded backup.
type restoring struct {
	*Restorer
	*loaded

	q      Restoration
	p      *Progress
	plan   RestorePlan
	notes  []fault.Sentence // on the database part
	mark   rollback.Unfinished
	result Result
}

// run makes the changes. Whatever interrupts it, the database is entirely old or
// entirely new; if it is new, secrets and signatures are held back until the rest is done.
func (w *restoring) run(ctx context.Context) (err error) {
	if w.plan, err = w.Restorer.plan(ctx, w.q, w.loaded); err != nil {
		return err
	}
	if w.Planned != nil {
		w.Planned(w.plan)
	}
	if w.survey != nil && !w.plan.Again {
		if err := vaultpart.Reach(ctx, w.Vault, w.survey, w.Now()); err != nil {
			return err
		}
	}
	if w.mark, err = w.begins(ctx); err != nil {
		return err
	}
	if err := w.at(AtChecked); err != nil {
		return err
	}
	if w.scratch != nil && !w.plan.Again {
		err = w.database(ctx)
	} else {
		err = w.announce(ctx)
	}
	if err != nil {
		return err
	}
	if err = w.rest(ctx); err != nil {
		w.result.Outcome = VaultIncomplete
		return incomplete(whyIncomplete(err)).With(err)
	}
	w.result.Details = w.details()
	if len(w.result.Warnings) > 0 {
		w.result.Outcome = Warnings
	}
	return nil
}

// rest is everything after the database; all of it is repeatable.
func (w *restoring) rest(ctx context.Context) error {
	if err := w.at(AtDatabase); err != nil {
		return err
	}
	if w.survey != nil {
		if err := w.vault(ctx); err != nil {
			return err
		}
	}
	if err := w.at(AtVault); err != nil {
		return err
	}
	w.p.Phase("finish", 1)
	if err := w.Guard.RestoreEnds(ctx); err != nil {
		return err
	}
	w.p.Add(1)
	if err := w.Ended(ctx); err != nil {
		w.Log.ErrorContext(ctx, "the restore has ended, but this server could not reload everything: restart it", "error", err)
		w.result.Warnings = append(w.result.Warnings,
			fault.Say("restart_needed", "The server could not reload everything after the restore: restart it."))
	}
	return nil
}

// begins returns the mark of this restore.
func (w *restoring) begins(ctx context.Context) (rollback.Unfinished, error) {
	if w.plan.Again {
		u, err := w.Guard.RestoreUnfinished(ctx)
		if err != nil || u == nil {
			return rollback.Unfinished{}, orNothing(err)
		}
		u.Job, _ = w.p.Job()
		return *u, nil
	}
	u, err := w.unfinished(ctx, w.q, w.loaded, w.plan, rand.Text())
	u.Job, _ = w.p.Job()
	return u, err
}

func orNothing(err error) error {
	if err == nil {
		err = errNothingToRetry
	}
	return err
}

// database restores the database, in one transaction with the mark.
func (w *restoring) database(ctx context.Context) error {
	w.p.Phase("database", w.totalRows())
	if err := w.bar(ctx); err != nil {
		return err
	}
	o, err := w.options()
	if err != nil {
		return err
	}
	var seen int64
	o.ReplaceAll, o.Progress = w.q.ReplaceCA, func(rows int64) { w.p.Add(rows - seen); seen = rows }
	report, err := w.Database.Restore(ctx, w.scratch, o)
	w.p.Heard() // it blocked all heartbeats
	if err != nil {
		return w.unlessDone(ctx, err)
	}
	w.notes = report.Notes
	w.result.Warnings = append(w.result.Warnings, report.Warnings...)
	w.result.Warnings = append(w.result.Warnings, accounts(report)...)
	w.result.Warnings = append(w.result.Warnings, stays(report)...)
	return nil
}

// unlessDone returns the error of a transaction, or nil if it was committed and only
// the answer was lost.
func (w *restoring) unlessDone(ctx context.Context, why error) error {
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer end()
	u, err := w.Guard.RestoreUnfinished(ctx)
	if err != nil || u == nil || u.ID != w.mark.ID {
		return why
	}
	w.result.Warnings = append(w.result.Warnings, fault.Say("accounts_unheard", "The database was restored, but "+
		"the list of accounts that are disabled now was lost: check the People page."))
	return nil
}

// documents returns the number of vault documents in the backup.
func (w *restoring) documents() int64 {
	if w.survey == nil {
		return 0
	}
	return w.survey.Count().Documents
}

// announce writes the mark of a restore without a database before its vault part, or
// of a resumed restore, which now belongs to this job.
func (w *restoring) announce(ctx context.Context) error {
	w.p.Phase("vault", w.documents())
	if err := w.bar(ctx); err != nil {
		return err
	}
	o, err := w.options()
	if err != nil {
		return err
	}
	return w.Database.RestoreVault(ctx, o, w.plan.Again)
}

// options are those for the first change of a restore.
func (w *restoring) options() (restore.Options, error) {
	name, value, err := w.Guard.RestoreBegins(w.mark)
	job, runner := w.p.Job()
	return restore.Options{At: w.Now(), Entry: w.entry(), Setting: name, Value: value, Job: job, Runner: runner}, err
}

// entry is the audit entry for when the restore changes things.
func (w *restoring) entry() audit.Entry {
	h := w.archive.Header
	details := fmt.Sprintf("a %s backup of %s", h.Type, h.CreatedAt.UTC().Format(time.RFC3339))
	if w.q.Via != "" {
		details += "; " + w.q.Via
	}
	e := audit.By(w.q.Actor, audit.RestoreApplied, "backup", w.q.Key, details).In(nil)
	e.FileName, e.BackupType, e.SizeBytes = w.q.Key, string(h.Type), &w.archive.FileBytes
	return e
}

// barEvery is how often bar checks the job.
const barEvery = 100 * time.Millisecond

// bar returns once all servers refuse changes because of this job's phase.
func (w *restoring) bar(ctx context.Context) error {
	if w.Barrier == nil {
		return nil
	}
	id, _ := w.p.Job()
	for {
		j, ok, err := w.Runner.Store.ActiveJob(ctx)
		if err != nil {
			return err
		}
		if ok && j.ID == id && bars(j) {
			break
		}
		if err := after(ctx, barEvery); err != nil {
			return err
		}
	}
	if err := w.Barrier.Look(ctx); err != nil {
		return err
	}
	return after(ctx, w.Known)
}

func after(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// vault restores the secrets. Fewer than half of them may fail.
func (w *restoring) vault(ctx context.Context) error {
	w.p.Phase("vault", w.survey.Count().Documents)
	writer, err := vaultpart.NewWriter(ctx, w.Vault, w.survey, vaultpart.Options{
		Over: w.mark.Over, ReplaceCA: w.mark.ReplaceCA, Record: w.Record, Now: w.Now(), Progress: w.p.Add,
	})
	if err != nil {
		return err
	}
	err = w.archive.ReadSecrets(ctx, func(path string, data vault.Data) error {
		if err := w.at(AtDocument); err != nil {
			return err
		}
		return writer.Put(path, data)
	})
	if err != nil {
		writer.Stop()
		return err
	}
	report, err := writer.End()
	if err != nil {
		return err
	}
	failed := slices.Sorted(maps.Keys(report.Failed))
	for _, path := range failed {
		w.Log.WarnContext(ctx, "could not restore a document of the vault", "path", path, "error", report.Failed[path])
	}
	if report.Incomplete() {
		return fault.Newf(fault.VaultUnavailable, "restore_incomplete", "{failed} of {all} documents of the vault could not be restored.",
			fault.Params{"failed": len(failed), "all": w.survey.Count().Documents})
	}
	w.result.Warnings = append(w.result.Warnings, report.Warnings...)
	if len(failed) > 0 {
		w.result.Warnings = append(w.result.Warnings, documents(failed))
	}
	return nil
}

// incomplete is the error of a restore that stopped after its first change.
func incomplete(why fault.Sentence) *fault.Error {
	return fault.Newf(fault.VaultUnavailable, "vault_incomplete", "The restore was interrupted after changing "+
		"data. Until it is finished, secrets and signatures are on hold. {why} Make sure the vault is available, "+
		"then retry the job, or run keyward restore --resume on the server. You need the same "+
		"backup.", fault.Params{"why": why})
}

// whyIncomplete is what people may read of its cause.
func whyIncomplete(err error) fault.Sentence {
	return saidOr(err, fault.Say("vault_took_less", "The vault did not accept all of it."))
}
