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
	"github.com/keyward/keyward/internal/backup/union"
	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/recovery"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/vault"
)

// Scratch is the database of a backup, in a file that nobody else uses.
type Scratch interface {
	chain.Store
	settings.Store
	CountRows(ctx context.Context, table string) (int64, error)
	Close() error
}

// Load makes a scratch database of a dump, in a file at path that is not there yet.
// migrated tells that the dump was of an older schema.
type Load func(ctx context.Context, path string, from *sqldump.Reader, judge union.Judge) (s Scratch, migrated bool, err error)

// Restored is the database that a restore writes to.
type Restored interface {
	settings.Store
	LastAuditBatch(ctx context.Context) (chain.Batch, error)
	// RestoreKind tells what a restore from a backup's database would be over. Conflict
	// where it must not be.
	RestoreKind(ctx context.Context, from Scratch) (union.Kind, error)
	// Restore brings all of it in, in one transaction, or nothing.
	Restore(ctx context.Context, from Scratch, o union.Options) (union.Report, error)
	// RestoreVault writes what stands before the vault's part where there is no database
	// to restore, or goes on after it.
	RestoreVault(ctx context.Context, o union.Options, goesOn bool) error
}

// Guard is what has to know that a restore is under way (package recovery).
type Guard interface {
	// RestoreBegins gives the setting that holds releases and signing back until RestoreEnds.
	// It is written in the transaction of the restore.
	RestoreBegins(u recovery.Unfinished) (name string, v settings.Value, err error)
	// RestoreUnfinished is the restore that has not ended; nil when there is none.
	RestoreUnfinished(ctx context.Context) (*recovery.Unfinished, error)
	// RestoreEnds lets database and vault belong together again, and forgets that setting
	// last. It may be repeated.
	RestoreEnds(ctx context.Context) error
}

// Numbers are the installation's in the database and in the vault; empty where there is none.
type Numbers func(ctx context.Context) (database, vault string, err error)

// Restorer restores backups, and tries whether they would restore.
type Restorer struct {
	Backups  *Service // where they are
	Runner   *Runner
	Database Restored
	Vault    vaultpart.Target
	Guard    Guard
	// Record has the database know of revocations; see vaultpart.Options.
	Record  func(ctx context.Context, list []vault.Revocation) error
	Load    Load
	Numbers Numbers
	// Rehearsal opens a new vault in a file of that folder, for a drill.
	Rehearsal func(ctx context.Context, folder string) (Rehearsal, error)
	// Folder is where scratch databases are while they are needed: on the disk of the
	// living one. What stands in them is as secret as that.
	Folder string
	// Free is how much room that disk has, in bytes, where that is known.
	Free func() (bytes int64, known bool, err error)
	// Beside tells that the installation's own database is on that disk.
	Beside bool
	// Barrier is this server's; nil: no server runs.
	Barrier *Barrier
	// Known is how long the others take to see that a restore is about to change things;
	// zero: there are no others.
	Known time.Duration
	// Ended has this server forget what it knows of the state before.
	Ended func(ctx context.Context) error
	// Tell, when not nil, hears every half second how far a restore is: for commands.
	Tell func(Reached)
	// Planned, when not nil, hears what a restore does, before it changes anything.
	Planned func(RestorePlan)
	// At is told of each point at which a restore may be broken off; an error breaks it off. For
	// tests; nil: none is.
	At  func(point string) error
	Log *slog.Logger
	Now func() time.Time

	tries turns // of passwords
}

// Restoration is what is asked for.
type Restoration struct {
	Key  string // of the object
	Path string // of a file of this machine, instead
	Type Type   // as the key says
	// Password opens it.
	Password archive.Password
	// ReplaceCA allows that another CA takes the place of the present one, and that
	// another installation that nobody uses yet is replaced.
	ReplaceCA bool
	// AcceptClock takes a backup whose times lie ahead: a clock was wrong when it was made.
	AcceptClock bool
	// Published is the last list that the backup's CA published: it brings back what was
	// revoked since the backup. Nil: none is at hand.
	Published *x509.RevocationList
	// Resume goes on with the vault part of a restore that stopped.
	Resume bool
	Actor  access.Actor
	Via    string // the command that was called, for the audit log
}

// Start begins the restore of a backup that is listed.
func (r *Restorer) Start(ctx context.Context, q Restoration) (Job, error) {
	if err := r.named(ctx, &q); err != nil {
		return Job{}, err
	}
	return r.Runner.Start(ctx, q.request(), r.work(q))
}

// Run is Start for commands, and waits for the end. It takes a file, too.
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

// admitted asks once more whether who asks still may, before anything is said.
func (r *Restorer) admitted(ctx context.Context) error {
	if r.Backups.Admitted == nil {
		return nil
	}
	return r.Backups.Admitted(ctx)
}

// named finds out what type the backup of a key is. NotFound unless it is listed.
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

// Retry does the vault part of a restore that stopped there again, and ends it.
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

// work is the restore as a job's work.
func (r *Restorer) work(q Restoration) Work {
	return func(ctx context.Context, p *Progress) (Result, error) {
		defer r.telling(p)()
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

// The points, in their order.
const (
	AtChecked  = "checked"  // nothing has changed
	AtDatabase = "database" // it is restored
	AtDocument = "document" // of the vault, the next one
	AtVault    = "vault"    // it is restored
)

func (r *Restorer) at(point string) error {
	if r.At == nil {
		return nil
	}
	return r.At(point)
}

// tellEvery is how often.
const tellEvery = 500 * time.Millisecond

// telling tells how far the work is, until it is over.
func (r *Restorer) telling(p *Progress) (over func()) {
	if r.Tell == nil {
		return func() {}
	}
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for ticker := time.NewTicker(tellEvery); ; {
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

// Look loads a backup and tells what its restore would do; nothing changes. Where there
// is no installation yet, the Restorer has no database.
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

// includes tells whether a type has a database, and secrets.
func includes(t Type) (database, secrets bool) { return t != archive.Vault, t != archive.Database }
