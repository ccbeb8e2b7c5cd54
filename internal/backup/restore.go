package backup

import (
	"context"
	"crypto/x509"
	"log/slog"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/backup/sqldump"
	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/vault"
)

// Scratch is the database of a backup, in a file that no one else uses.
type Scratch interface {
	chain.Store
	settings.Store
	CountRows(ctx context.Context, table string) (int64, error)
	Close() error
}

// Load creates a scratch database from a dump, in a new file at path. migrated
// reports that the dump had an older schema.
type Load func(ctx context.Context, path string, from *sqldump.Reader, judge restore.Judge) (s Scratch, migrated bool, err error)

// Restored is the database that a restore writes to.
type Restored interface {
	settings.Store
	LastAuditBatch(ctx context.Context) (chain.Batch, error)
	// RestoreKind returns what a restore from a backup's database would replace.
	// Conflict if it must not be.
	RestoreKind(ctx context.Context, from Scratch) (restore.Target, error)
	// Restore restores everything in one transaction, or nothing.
	Restore(ctx context.Context, from Scratch, o restore.Options) (restore.Report, error)
	// RestoreVault writes what must precede the vault part if there is no database to
	// restore, or when a restore resumes after it.
	RestoreVault(ctx context.Context, o restore.Options, goesOn bool) error
}

// Guard must know that a restore is in progress (package rollback).
type Guard interface {
	// RestoreBegins returns the setting that holds back releases and signing until
	// RestoreEnds. It is written in the restore's transaction.
	RestoreBegins(u rollback.Unfinished) (name string, v settings.Value, err error)
	// RestoreUnfinished returns the restore that has not ended; nil if none.
	RestoreUnfinished(ctx context.Context) (*rollback.Unfinished, error)
	// RestoreEnds makes database and vault consistent, and clears that setting last. It
	// may be repeated.
	RestoreEnds(ctx context.Context) error
}

// Numbers returns the installation's id in database and vault; empty where there is none.
type Numbers func(ctx context.Context) (database, vault string, err error)

// Restorer restores backups, and tests that they restore.
type Restorer struct {
	Backups  *Service // where they are
	Runner   *Runner
	Database Restored
	Vault    vaultpart.Target
	Guard    Guard
	// Record records revocations in the database; see vaultpart.Options.
	Record  func(ctx context.Context, list []vault.Revocation) error
	Load    Load
	Numbers Numbers
	// Rehearsal opens a new vault in a file of that folder, for a drill.
	Rehearsal func(ctx context.Context, folder string) (Rehearsal, error)
	// Folder is where scratch databases are while needed: on the disk of the live one.
	// They are as secret as that.
	Folder string
	// Free returns the free space of that disk in bytes, if known.
	Free func() (bytes int64, known bool, err error)
	// Beside means that the installation's own database is on that disk.
	Beside bool
	// Barrier is this server's; nil if no server runs.
	Barrier *Barrier
	// Known is how long other servers take to notice that a restore is about to change
	// things; zero if there are none.
	Known time.Duration
	// Ended makes this server discard cached state from before.
	Ended func(ctx context.Context) error
	// Tell, if not nil, is called every half second with the progress, for commands.
	Tell func(Reached)
	// Planned, if not nil, is called with the plan before anything changes.
	Planned func(RestorePlan)
	// At, if not nil, is called at each point at which a restore may be interrupted; an
	// error interrupts it. For tests.
	At  func(point string) error
	Log *slog.Logger
	Now func() time.Time

	tries turns // at trying passwords
}

// Restoration is a request to restore.
type Restoration struct {
	Key  string // of the object
	Path string // of a local file, instead
	Type Type   // from the key
	// Password decrypts the backup.
	Password archive.Password
	// ReplaceCA allows replacing the current CA by another one, and an unused other installation.
	ReplaceCA bool
	// AcceptClock accepts a backup with times in the future: a clock was wrong at the time.
	AcceptClock bool
	// Published is the last CRL published by the backup's CA: it restores the
	// revocations made since the backup. Nil if not available.
	Published *x509.RevocationList
	// Resume continues the vault part of an interrupted restore.
	Resume bool
	Actor  access.Actor
	Via    string // the command, for the audit log
}

// Start starts the restore of a listed backup.
func (r *Restorer) Start(ctx context.Context, q Restoration) (Job, error) {
	if err := r.named(ctx, &q); err != nil {
		return Job{}, err
	}
	return r.Runner.Start(ctx, q.request(), r.work(q))
}

// Run is Start for commands: it waits for the end, and also takes a file.
func (r *Restorer) Run(ctx context.Context, q Restoration) (Job, error) {
	if q.Path == "" {
		if err := r.named(ctx, &q); err != nil {
			return Job{}, err
		}
	}
	return r.Runner.Run(ctx, q.request(), r.work(q))
}

func (q Restoration) request() Request {
	return Request{Kind: Restore, Type: q.Type, Key: q.Key, Actor: q.Actor}
}

// admitted checks again that the caller still may do this, before anything is disclosed.
func (r *Restorer) admitted(ctx context.Context) error {
	if r.Backups.Admitted == nil {
		return nil
	}
	return r.Backups.Admitted(ctx)
}

// named determines the type of a backup. NotFound unless it is listed.
func (r *Restorer) named(ctx context.Context, q *Restoration) error {
	if err := r.admitted(ctx); err != nil {
		return err
	}
	store, _, o, err := r.Backups.listed(ctx, q.Key)
	if err != nil {
		return err
	}
	q.Type = typeOf(store.Prefix(), o.Key)
	return store.Close()
}

// Retry repeats the vault part of a restore that stopped there, and ends it.
func (r *Restorer) Retry(ctx context.Context, actor access.Actor, id int64, password archive.Password) (Job, error) {
	if err := r.admitted(ctx); err != nil {
		return Job{}, err
	}
	j, err := r.Runner.Store.BackupJob(ctx, id)
	if err != nil {
		return Job{}, err
	}
	u, err := r.Guard.RestoreUnfinished(ctx)
	switch {
	case err != nil:
		return Job{}, err
	case u == nil || j.Kind != Restore || j.Key != u.Key:
		return Job{}, errNothingToRetry
	case j.Key == "":
		return Job{}, errRetryByFile
	}
	return r.Start(ctx, Restoration{Key: j.Key, Password: password, Resume: true, Actor: actor})
}

// work returns the restore as a job's work.
func (r *Restorer) work(q Restoration) Work {
	return func(ctx context.Context, p *Progress) (Result, error) {
		defer r.report(p)()
		l, err := r.fetchAndLoad(ctx, q, p)
		if err != nil {
			return Result{}, err
		}
		defer l.close()
		w := &restoring{Restorer: r, q: q, p: p, loaded: l, result: Result{Key: q.Key, SizeBytes: l.archive.FileBytes}}
		err = w.run(ctx)
		return w.result, err
	}
}

// The points, in order.
const (
	AtChecked  = "checked"  // nothing has changed yet
	AtDatabase = "database" // it is restored
	AtDocument = "document" // before the next vault document
	AtVault    = "vault"    // it is restored
)

func (r *Restorer) at(point string) error {
	if r.At == nil {
		return nil
	}
	return r.At(point)
}

// progressEvery is the interval of calls to Tell.
const progressEvery = 500 * time.Millisecond

// report passes on the progress until over is called.
func (r *Restorer) report(p *Progress) (over func()) {
	if r.Tell == nil {
		return func() {}
	}
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for ticker := time.NewTicker(progressEvery); ; {
			select {
			case <-ticker.C:
				r.Tell(p.Now())
			case <-done:
				ticker.Stop()
				return
			}
		}
	})
	return func() { close(done); group.Wait() }
}

// Look loads a backup and returns what its restore would do; nothing changes. If
// there is no installation yet, the Restorer has no database.
func (r *Restorer) Look(ctx context.Context, q Restoration) (RestorePlan, archive.Contents, error) {
	if q.Path == "" {
		if err := r.named(ctx, &q); err != nil {
			return RestorePlan{}, archive.Contents{}, err
		}
	}
	l, err := r.fetchAndLoad(ctx, q, nil)
	if err != nil {
		return RestorePlan{}, archive.Contents{}, err
	}
	defer l.close()
	plan, err := r.plan(ctx, q, l)
	if err == nil && l.survey != nil && r.Vault != nil {
		err = vaultpart.Reachable(ctx, r.Vault, l.survey, r.Now())
	}
	return plan, l.archive.Contents, err
}

// includes reports whether a type has a database, and secrets.
func includes(t Type) (database, secrets bool) { return t != archive.Vault, t != archive.Database }
