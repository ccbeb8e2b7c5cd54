package recovery

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/vault"
)

// How often a server looks (what one of several could find, all have found
// within ten seconds), and how often everything is compared.
const (
	LookEvery    = 10 * time.Second
	CompareEvery = time.Hour
)

// Database is what is looked at of it.
type Database interface {
	Marks
	settings.Swapper
	// Altered names what somebody did to its tables, sorted; empty when all is as
	// it should be.
	Altered(ctx context.Context) ([]string, error)
	// AcceptVault writes an acceptance of an older vault: the marks as they are
	// given, settled, the setting, the entry; and that the counter of no token's
	// document is known.
	AcceptVault(ctx context.Context, a VaultAcceptance) error
	// AcceptDatabase writes an acceptance of an older database, and ends whatever
	// lets somebody in: sessions, refresh families, API keys, invitations and
	// rounds of single sign-on. Mail that waits is dropped, but for what tells of the
	// finding: it may have been sent since. NotFound when the one to spare is none.
	AcceptDatabase(ctx context.Context, a DatabaseAcceptance) error
}

// CRL is the vault's, and the revocations on record that it should show.
type CRL interface {
	// Number gives the CA (DER) and the number of its last CRL.
	Number(ctx context.Context) (ca []byte, number uint64, err error)
	// Lacking are the serial numbers of revocations that the vault had, and that
	// its CRL should still show and does not.
	Lacking(ctx context.Context) ([]string, error)
	// Republish has those carried to the vault again, and a CRL published with a
	// number above.
	Republish(ctx context.Context, serials []string, above uint64) error
	// Learn marks on record what the vault has revoked.
	Learn(ctx context.Context) error
}

// Log is the audit log's chain, on both sides.
type Log interface {
	Ends(ctx context.Context) (chain.Ends, error)
	// BeginSegment lets it go on over an older database.
	BeginSegment(ctx context.Context) error
	// SegmentDue tells whether nothing can be sealed before that.
	SegmentDue(ctx context.Context) (bool, error)
}

// Source is one more thing of which the vault has logged that it stands in
// the database.
type Source struct {
	What What
	// Missing names what was logged as done since then (the zero time: ever),
	// read first, and is not in the database.
	Missing func(ctx context.Context, since time.Time) ([]string, error)
	// Lose is called when an older database is accepted: what it lacks is missing
	// no more. It may be repeated.
	Lose func(ctx context.Context) error
}

// Guard finds out whether anything is to be held back. Its methods may be
// called from any goroutine.
type Guard struct {
	Database Database
	Vault    vault.KV
	CRL      CRL
	Audit    Log
	Sources  []Source
	// Admitted, when not nil, is asked before an older vault is accepted: whether who
	// asks still may.
	Admitted func(ctx context.Context) error
	// Renew makes the secret of the access tokens anew, in the vault; Renewed, when
	// not nil, has this server take it, before anything is let through.
	Renew   func(ctx context.Context) error
	Renewed func(ctx context.Context) error
	// Forget, when not nil, drops what an older database says that an accepter cannot
	// rely on. It may be repeated.
	Forget func(ctx context.Context) error
	Log    *slog.Logger
	Now    func() time.Time

	state    atomic.Pointer[state] // as the last look found it; nil: none has
	starting sync.Mutex
	started  atomic.Bool
	looking  sync.Mutex // one look or comparison at a time
	lost     bool       // the last look did not reach both; under looking
	renewed  uint64     // of which acceptance Renewed was called; under looking
}

// state is what holds at the moment.
type state struct {
	altered  []string
	vault    *Finding // about it: it is older
	database *Finding
	restore  *Unfinished
}

// settled tells whether both sides are what they should be.
func (s state) settled() bool { return s.vault == nil && s.database == nil && s.restore == nil }

func (g *Guard) now() state {
	if s := g.state.Load(); s != nil {
		return *s
	}
	return state{}
}

// Look sees what was found, by any server, and compares what is quickly read. What
// was found before holds when database or vault do not answer; when they answer
// again, everything is compared. That the vault is away is no error: others tell.
func (g *Guard) Look(ctx context.Context) error { return present(g.look(ctx, false)) }

// Compare compares everything. VaultUnavailable, DatabaseUnavailable.
func (g *Guard) Compare(ctx context.Context) error { return g.look(ctx, true) }

// Again is Compare as a task: that the vault is away is no error.
func (g *Guard) Again(ctx context.Context) error { return present(g.Compare(ctx)) }

// present leaves it to others to tell that the vault is away.
func present(err error) error {
	if fault.Is(err, fault.VaultUnavailable) {
		return nil
	}
	return err
}

func (g *Guard) look(ctx context.Context, all bool) (err error) {
	g.looking.Lock()
	defer g.looking.Unlock()
	defer func() { g.lost = err != nil }()
	altered, err := g.Database.Altered(ctx)
	if err != nil {
		return err
	}
	begun, err := g.RestoreUnfinished(ctx)
	if err != nil {
		return err
	}
	g.see(ctx, func(s *state) {
		s.altered = altered
		if begun != nil { // without the vault, too; that it has ended is seen with it
			s.restore = begun
		}
	})
	if !g.started.Load() && !all {
		return nil // nothing was compared yet, so nobody is let in
	}
	found, err := g.compare(ctx, all || g.lost)
	if err != nil {
		return err
	}
	if found.accepted != g.renewed && g.started.Load() && g.Renewed != nil {
		if err := g.Renewed(ctx); err != nil {
			return err
		}
	}
	g.renewed = found.accepted
	g.see(ctx, func(s *state) { s.vault, s.database, s.restore = found.vault, found.database, found.restore })
	return found.mend
}

// see takes what was found, and logs what has changed.
func (g *Guard) see(ctx context.Context, change func(*state)) {
	was := g.now()
	is := was
	change(&is)
	g.state.Store(&is)
	switch changed := !slices.Equal(is.altered, was.altered); {
	case changed && len(is.altered) > 0:
		g.Log.ErrorContext(ctx, "somebody changed the database's tables: secrets and signatures are held back until that is undone",
			"found", is.altered)
	case changed:
		g.Log.WarnContext(ctx, "the database's tables are as they should be again")
	}
	switch {
	case is.vault != nil && (was.vault == nil || was.vault.ID != is.vault.ID):
		g.Log.ErrorContext(ctx, "the vault is older than the database expects: secrets and signatures are held back until that is "+
			"accepted, or the right one is put in place; see keyward recover, and docs/operations.md", "missing", is.vault.Lacks)
	case is.vault == nil && was.vault != nil:
		g.Log.WarnContext(ctx, "the vault is no longer considered older: the hold is lifted")
	}
	switch {
	case is.database != nil && (was.database == nil || was.database.ID != is.database.ID):
		g.Log.ErrorContext(ctx, "the database is older than the vault expects: nobody can sign in, and "+
			"secrets and signatures are held "+
			"back, until that is accepted, or the right one is put in place; see keyward recover, and docs/operations.md",
			"missing", is.database.Lacks)
	case is.database == nil && was.database != nil:
		g.Log.WarnContext(ctx, "the database is no longer considered older: the hold is lifted")
	}
	switch {
	case is.restore != nil && (was.restore == nil || was.restore.ID != is.restore.ID):
		g.Log.WarnContext(ctx, "a restore has not ended: secrets and signatures are held back until it has; if none is running, retry its "+
			"job, or run keyward restore --resume with the same backup", "backup", is.restore.Key)
	case is.restore == nil && was.restore != nil:
		g.Log.InfoContext(ctx, "the restore has ended: the hold is lifted", "backup", was.restore.Key)
	}
}

// The answers. They keep what was found from people who cannot do anything
// about it: that is in the log and in the health report.
var (
	errAltered = fault.New(fault.RecoveryRequired, "database_altered",
		"Someone has changed the database's tables, so its records can't be trusted. Secrets and signatures are "+
			"on hold until that is undone. Ask an administrator: System health and the server's log have details.")
	errVaultOlder = fault.New(fault.RecoveryRequired, "vault_older",
		"The vault is an older copy, perhaps from a snapshot, and may have old secrets. Secrets and signatures "+
			"are on hold until an administrator accepts it.")
	errDatabaseOlder = fault.New(fault.RecoveryRequired, "database_older",
		"The database is an older copy, perhaps from a snapshot, or records were deleted from it. Nobody can "+
			"sign in until an administrator "+
			"runs keyward recover on the server.")
	errRestoring = fault.New(fault.RecoveryRequired, "restore_unfinished",
		"A restore is not finished. Until it is, secrets and signatures are on hold. If it was interrupted, an "+
			"administrator can finish it.")
	errNotCompared = fault.New(fault.VaultUnavailable, "not_compared",
		"The server has not reached its vault since it started, so nobody can sign in yet. Try again in a moment.")
)

// Held is RecoveryRequired while secrets and signatures are held back, and
// DatabaseUnavailable or VaultUnavailable when that could not be found out once.
func (g *Guard) Held(ctx context.Context) error {
	if g.state.Load() == nil {
		if err := g.look(ctx, false); err != nil {
			return err
		}
	}
	switch s := g.now(); {
	case s.database != nil:
		return errDatabaseOlder
	case len(s.altered) > 0:
		return errAltered
	case s.restore != nil:
		return errRestoring
	case s.vault != nil:
		return errVaultOlder
	case !g.started.Load():
		return errNotCompared
	}
	return nil
}

// Barred is RecoveryRequired while nobody is let in, and VaultUnavailable before
// anything was compared.
func (g *Guard) Barred() error {
	switch s := g.now(); {
	case s.database != nil:
		return errDatabaseOlder
	case !g.started.Load():
		return errNotCompared
	}
	return nil
}

// Settled tells whether nothing stands against what writes over one side what
// the other says: everything was compared, neither is older, and no restore is
// unfinished.
func (g *Guard) Settled() bool {
	return g.started.Load() && g.now().settled()
}

// Publishes tells whether revocations are carried to the vault: also to an older
// one, which needs them most.
func (g *Guard) Publishes() bool { return g.started.Load() && g.now().database == nil }

// Altered is what the last look found that somebody did to the tables.
func (g *Guard) Altered() []string { return g.now().altered }

// VaultOlder is the finding about the vault, nil when it is not older, nor left half-way
// by a restore.
func (g *Guard) VaultOlder() *Finding { return older(g.now().vault, g.now().restore) }

// DatabaseOlder is the same about the database.
func (g *Guard) DatabaseOlder() *Finding { return g.now().database }

// States are how database and vault stand in a word: "altered", "older", or
// empty where nothing was found.
func (g *Guard) States() (database, vault string) {
	s := g.now()
	switch {
	case s.database != nil:
		database = "older"
	case len(s.altered) > 0:
		database = "altered"
	}
	if s.vault != nil || s.restore != nil {
		vault = "older"
	}
	return database, vault
}

// Older takes note that a token's document is older than the database knows it
// to be. still looks again whether it is: it may have been accepted since somebody
// came across it. The error is the answer to them, nil when it is so no more.
func (g *Guard) Older(ctx context.Context, serial string, still func(context.Context) (bool, error)) error {
	g.looking.Lock()
	defer g.looking.Unlock()
	ctx = access.OnRecord(context.WithoutCancel(ctx))
	for {
		n, err := g.noted(ctx)
		if err != nil {
			return err
		}
		if is, err := still(ctx); err != nil || !is {
			return err
		}
		f, err := g.aboutVault(ctx, n, missing(Secrets, []string{serial}), false)
		if errors.Is(err, errChanged) {
			continue
		}
		if err != nil {
			return err
		}
		g.see(ctx, func(s *state) { s.vault = f })
		return errVaultOlder
	}
}
