package backup

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/vault"
)

// Rehearsal is a new vault that a drill restores into.
type Rehearsal interface {
	vaultpart.Target
	vaultpart.Source
	Close() error
}

// errNoBackup means that there is no backup to try.
var errNoBackup = fault.New(fault.Conflict, "no_backup_to_try", "There is no backup yet. Create one, then try to restore it.")

// errFormerPassword: the data is intact, since its checksum matched, but salt and nonce have none.
var errFormerPassword = fault.New(fault.Conflict, "drill_former_password", "The current encryption password "+
	"doesn't open this backup, and a trial restore has no other. It was most likely created with an earlier "+
	"password; if not, its beginning is damaged. Create a new backup and try that one. Keep the earlier password "+
	"as long as you keep this file.")

// Drill starts a drill of a listed backup, with the encryption password of the
// settings; for an empty key that of newestToTry.
func (r *Restorer) Drill(ctx context.Context, actor access.Actor, key string) (Job, error) {
	if err := r.admitted(ctx); err != nil {
		return Job{}, err
	}
	q, err := r.drillOf(ctx, key)
	if err != nil {
		return Job{}, err
	}
	return r.Runner.Start(ctx, Request{Kind: Drill, Type: q.Type, Key: q.Key, Actor: actor}, r.Drilling(q))
}

// DrillNow is Drill, and waits for the end; around may wrap the work.
func (r *Restorer) DrillNow(ctx context.Context, actor access.Actor, key string, around func(Work) Work) (Job, error) {
	q, err := r.drillOf(ctx, key)
	if err != nil {
		return Job{}, err
	}
	return r.Runner.Run(ctx, Request{Kind: Drill, Type: q.Type, Key: q.Key, Actor: actor}, around(r.Drilling(q)))
}

// drillOf determines the backup and reads the password.
func (r *Restorer) drillOf(ctx context.Context, key string) (q Restoration, err error) {
	if _, q.Password, err = r.Backups.ready(ctx); err != nil {
		return q, err
	}
	if q.Key = key; key == "" {
		if q.Key, err = r.newestToTry(ctx); err != nil {
			return q, err
		}
	}
	return q, r.named(ctx, &q)
}

// newestToTry returns the newest Completed full backup. If there is none, as with a
// new record of jobs, it returns the newest Completed one, or else the newest of all.
func (r *Restorer) newestToTry(ctx context.Context) (string, error) {
	latest, _, err := r.Backups.List(ctx, triedOf, "")
	if err != nil {
		return "", err
	}
	completed, err := r.Backups.Completed(ctx)
	if err != nil {
		return "", err
	}
	whole := func(o Object) bool { return slices.Contains(completed, o.Key) }
	for _, fits := range []func(Object) bool{
		func(o Object) bool { return whole(o) && o.Type == archive.Full }, whole, func(Object) bool { return true },
	} {
		if i := slices.IndexFunc(latest, fits); i >= 0 {
			return latest[i].Key, nil
		}
	}
	return "", errNoBackup
}

// triedOf is how many of the newest backups are considered.
const triedOf = 100

// Drilling is the work of a drill: it restores the backup into a scratch database
// and a new vault, without touching the installation. Without an error, the backup is proven.
func (r *Restorer) Drilling(q Restoration) Work {
	return func(ctx context.Context, p *Progress) (Result, error) {
		l, err := r.fetchAndLoad(ctx, q, p)
		if fault.Is(err, fault.BackupPasswordWrong) {
			err = errFormerPassword.With(err)
		}
		if err != nil {
			return Result{}, err
		}
		defer l.close()
		d := &drill{Restorer: r, loaded: l, p: p}
		result := Result{Key: q.Key, SizeBytes: l.archive.FileBytes}
		if err := d.run(ctx); err != nil {
			return result, err
		}
		result.Details = append((&restoring{loaded: l}).details(), d.saw...)
		return result, nil
	}
}

// drill is a drill in progress.
type drill struct {
	*Restorer
	*loaded

	p   *Progress
	saw []fault.Sentence // besides the counts, for people
}

func (d *drill) run(ctx context.Context) (err error) {
	if d.folder == nil { // a backup of only the vault
		if d.folder, err = d.scratchFolder(); err != nil {
			return local(err)
		}
	}
	var rehearsal Rehearsal
	if d.survey != nil {
		if rehearsal, err = d.Rehearsal(ctx, d.folder.path); err != nil {
			return local(err)
		}
		defer func() { err = errors.Join(err, rehearsal.Close()) }()
	}
	d.p.Phase("database", d.totalRows())
	if d.scratch != nil {
		if err := d.counts(ctx); err != nil {
			return err
		}
	}
	if d.survey == nil {
		return nil
	}
	d.p.Phase("vault", drillPasses*d.survey.Count().Documents)
	if err := d.secrets(ctx, rehearsal); err != nil {
		return err
	}
	if d.scratch == nil || !d.archive.Header.IncludesAudit {
		return nil
	}
	return d.auditLog(ctx, rehearsal)
}

// differsInDrill reports that the backup differs from what was restored of it.
func differsInDrill(what fault.Sentence, has, came int64) error {
	return fault.Newf(fault.BackupCorrupt, "drill_counts", "The backup opens, but doesn't restore: {what}: it "+
		"has {has}, and {came} were restored. Create another backup. If that fails too, report "+
		"it.", fault.Params{"what": what, "has": has, "came": came})
}

// counts compares the rows of the backup with the scratch database.
func (d *drill) counts(ctx context.Context) error {
	for table, rows := range d.rows {
		n, err := d.scratch.CountRows(ctx, table)
		if err != nil {
			return err
		}
		if n != rows && !d.migrated {
			return differsInDrill(fault.Sayf("rows_of_table", "rows of the table {table}", fault.Params{"table": table}), rows, n)
		}
		d.p.Add(rows)
	}
	return nil
}

// secrets restores the secrets into the new vault, and reads it back.
func (d *drill) secrets(ctx context.Context, to Rehearsal) error {
	w, err := vaultpart.NewWriter(ctx, to, d.survey, vaultpart.Options{
		Over: restore.Empty, ReplaceCA: d.survey.HasKey(), Now: d.Now(), Progress: d.p.Add,
	})
	if err != nil {
		return err
	}
	if err := d.archive.ReadSecrets(ctx, w.Put); err != nil {
		w.Stop()
		return err
	}
	report, err := w.End()
	if err != nil {
		return err
	}
	for path, err := range report.Failed {
		return fmt.Errorf("the document %s: %w", path, err)
	}
	came, err := vaultpart.Read(ctx, to, func(string, vault.Data) error { d.p.Add(1); return nil })
	if err != nil {
		return err
	}
	for class, n := range d.survey.Count().Classes {
		if class != vaultpart.CA && class != vaultpart.Own && came.Classes[class] != n {
			return differsInDrill(fault.Sayf("documents_of_class", "documents of the vault "+
				"({class})", fault.Params{"class": string(class)}),
				n, came.Classes[class])
		}
	}
	return d.authority(ctx, to)
}
