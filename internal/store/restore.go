package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/schematables"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

var (
	errAnotherInstallation = fault.New(fault.Conflict, "backup_of_another_installation",
		"The backup is from another installation, and this one already has tokens or certificates. Restore it on "+
			"a separate computer with keyward restore.")
	errReplacesAll = fault.New(fault.Conflict, "backup_replaces_all",
		"The backup is from another installation: it replaces everything here, including the accounts and the "+
			"CA. Confirm that you want this.")
)

// contradicts is the fault if backup and installation disagree on a row.
func contradicts(table string, id int64) error {
	return fault.Newf(fault.Conflict, "backup_contradicts",
		"The backup and this installation disagree about row {id} of the table {table}: they have diverged since "+
			"an earlier restore. Nothing was changed. Restore the backup on a separate computer with keyward restore.",
		fault.Params{"table": table, "id": id})
}

// RestoreKind returns the kind of installation that a restore from that database would meet.
func (db *DB) RestoreKind(ctx context.Context, from *DB) (restore.Target, error) {
	list, err := tablesOf(ctx, db.read, db.engine)
	if err != nil {
		return "", asFault("restore kind", err)
	}
	kind, err := kindOf(ctx, db.read, from, list)
	return kind, asFault("restore kind", err)
}

// kindOf returns it, by what is there now.
func kindOf(ctx context.Context, now querier, from *DB, list []schematables.Table) (restore.Target, error) {
	bare := true
	for _, t := range list {
		if p, ok := policyOf(t.Name); ok && (p.aside || p.told) {
			continue
		}
		some, err := any1(ctx, now, t.Name)
		if err != nil {
			return "", err
		}
		if bare = bare && !some; !bare {
			break
		}
	}
	if bare {
		return restore.Empty, nil
	}
	here, err := installationIn(ctx, now)
	if err != nil {
		return "", err
	}
	there, err := installationIn(ctx, from.read)
	if err != nil {
		return "", err
	}
	if here != "" && here == there {
		return restore.InUse, nil
	}
	for _, table := range []string{"hwkeys", "certificates", "unrecorded_revocations"} {
		some, err := any1(ctx, now, table)
		if err != nil {
			return "", err
		}
		if some {
			return "", errAnotherInstallation
		}
	}
	return restore.Fresh, nil
}

// any1 reports whether a table has a row.
func any1(ctx context.Context, from querier, table string) (bool, error) {
	n, err := queryOne(ctx, from, scanInt, "SELECT count(*) FROM (SELECT 1 FROM "+quoted(table)+" LIMIT 1) AS one")
	return n > 0, err
}

// installationIn returns the installation's id; empty if it has none.
func installationIn(ctx context.Context, from querier) (string, error) {
	text, err := queryOne(ctx, from, scanText, "SELECT value FROM settings WHERE name = $1", restore.InstallationSetting)
	if none(err) {
		return "", nil
	}
	var is struct {
		ID string `json:"id"`
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &is)
	}
	return is.ID, err
}

// Restore brings a backup into the database in one transaction: all or nothing. from is opened by
// OpenSQLiteReader on the file that LoadDump made, and nobody else uses it. The policies
// (restore_policies.go) decide what becomes of the rows, by the kind of what is there
// (restore.Target). Every reference finds its row, and nobody else writes meanwhile; reading goes on. Memory
// is bounded however many rows there are, except for what SQLite needs to sort an index. ctx counts
// until the commit.
//
// Conflict if the backup must not be restored here, or not like that; then nothing has changed. The
// positions of the audit log's followers (webhooks, SIEM) are past what came with the backup. Close
// the database only afterwards.
func (db *DB) Restore(ctx context.Context, from *DB, o restore.Options) (restore.Report, error) {
	return db.restore(ctx, from, o, func(*restoring) {})
}

// restore calls prepare at the start of each try.
func (db *DB) restore(ctx context.Context, from *DB, o restore.Options, prepare func(*restoring)) (restore.Report, error) {
	if db.writer == nil {
		return restore.Report{}, asFault("restore", errReader)
	}
	if from.engine != onSQLite {
		return restore.Report{}, errors.New("store: restore: the backup is to be loaded into a file before")
	}
	var report restore.Report
	fn := func(ctx context.Context, t *tx) error {
		r := &restoring{tx: t, base: t.sql.base, of: db.engine, from: from, o: o}
		prepare(r)
		err := r.run(ctx)
		report = r.report // of this try
		return err
	}
	with := db.restoreSQLite
	if db.engine == onPostgres {
		with = db.restorePostgres
	}
	if err := with(ctx, from, fn); err != nil {
		return restore.Report{}, asFault("restore", err)
	}
	return report, nil
}

// restoring is a restore under way, in its transaction.
type restoring struct {
	*tx

	base    sqlcgen.DBTX // its connection
	of      engine
	from    *DB
	o       restore.Options
	report  restore.Report
	kind    restore.Target
	columns map[string][]string // of the backup's tables
	rows    int64               // of the backup, looked at so far
}

// run keeps the job in its hands: nobody else can while this transaction blocks other writes. If
// the job was ended before, by a server that had not heard from this one, nothing of the restore is
// kept.
func (r *restoring) run(ctx context.Context) error {
	if err := r.beat(ctx); err != nil {
		return err
	}
	if err := r.restore(ctx); err != nil {
		return err
	}
	return r.beat(ctx)
}

func (r *restoring) beat(ctx context.Context) error { return r.beatRestore(ctx, r.o.Job, r.o.Runner) }

func (r *restoring) restore(ctx context.Context) error {
	if err := r.q.LockAccounts(ctx); err != nil {
		return err
	}
	if err := r.begin(ctx); err != nil {
		return err
	}
	merge := r.replace
	if r.kind == restore.InUse {
		merge = r.merge
	}
	if err := merge(ctx); err != nil {
		return err
	}
	if err := r.raiseIDs(ctx); err != nil {
		return err
	}
	if err := r.tell(ctx); err != nil {
		return err
	}
	if r.o.Setting != "" {
		if err := r.writeSetting(ctx, r.o.Setting, r.o.Value); err != nil {
			return err
		}
	}
	e := r.o.Entry // this may run again
	e.Details += fmt.Sprintf("; over a %s installation: %d sessions ended, %d API keys revoked, %d accounts come back disabled",
		r.kind, r.report.SessionsEnded, r.report.KeysRevoked, r.report.AccountCount)
	return r.audit(ctx, e)
}

// begin reads both sides.
func (r *restoring) begin(ctx context.Context) error {
	here, err := tablesOf(ctx, r.sql, r.of)
	if err != nil {
		return err
	}
	there, err := tablesOf(ctx, r.from.read, r.from.engine)
	if err != nil {
		return err
	}
	r.columns = map[string][]string{}
	for _, t := range there {
		r.columns[t.Name] = t.Columns
	}
	if r.kind, err = kindOf(ctx, r.sql, r.from, here); err != nil {
		return err
	}
	r.report.Kind, r.report.Kept = r.kind, map[restore.Kept]int64{}
	if r.kind == restore.Fresh && !r.o.ReplaceAll {
		return errReplacesAll
	}
	return nil
}

// warn adds a sentence for people.
func (r *restoring) warn(s fault.Sentence) { r.report.Warnings = append(r.report.Warnings, s) }

// looked counts rows of the backup.
func (r *restoring) looked(rows int64) {
	r.rows += rows
	if r.o.Progress != nil {
		r.o.Progress(r.rows)
	}
}
