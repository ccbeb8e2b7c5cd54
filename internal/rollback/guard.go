package rollback

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

// PollEvery is how often a server polls, so findings of one reach all others within
// that time; CompareEvery is how often it compares everything.
const (
	PollEvery    = 10 * time.Second
	CompareEvery = time.Hour
)

// Database is what the guard needs of the database.
type Database interface {
	Marks
	settings.Swapper
	// SchemaTampering names foreign changes to its tables, sorted; empty if there are none.
	SchemaTampering(ctx context.Context) ([]string, error)
	// AcceptVault writes an acceptance of an older vault: the given marks, settled, the
	// setting and the entry; and it clears the counters of the tokens' documents.
	AcceptVault(ctx context.Context, a VaultAcceptance) error
	// AcceptDatabase writes an acceptance of an older database, and ends everything that
	// lets someone in: sessions, refresh families, API keys, invitations and rounds of
	// single sign-on. It drops waiting mail, which may have been sent since, except
	// about the finding. NotFound if there is no account to spare.
	AcceptDatabase(ctx context.Context, a DatabaseAcceptance) error
}

// CRL is the vault's CRL and the recorded revocations that it should list.
type CRL interface {
	// Number returns the CA (DER) and the number of its last CRL.
	Number(ctx context.Context) (ca []byte, number uint64, err error)
	// MissingRevocations returns the serial numbers of revocations that the vault once had and its
	// CRL should still list, but does not.
	MissingRevocations(ctx context.Context) ([]string, error)
	// Republish sends these revocations to the vault again and publishes a CRL with a
	// number above the given one.
	Republish(ctx context.Context, serials []string, above uint64) error
	// Learn records what the vault has revoked.
	Learn(ctx context.Context) error
}

// Log is the audit log's chain, on both sides.
type Log interface {
	Ends(ctx context.Context) (chain.Ends, error)
	// BeginSegment continues the chain over an older database.
	BeginSegment(ctx context.Context) error
	// SegmentDue reports whether nothing can be sealed before BeginSegment.
	SegmentDue(ctx context.Context) (bool, error)
}

// Source is another kind of thing that the vault logs once it is in the database.
type Source struct {
	What What
	// Missing names what was logged as done since then (zero: ever) and is not in the
	// database; it reads the vault first.
	Missing func(ctx context.Context, since time.Time) ([]string, error)
	// MarkUnaccounted is called when an older database is accepted: what it lacks is no longer
	// reported as missing. It is idempotent.
	MarkUnaccounted func(ctx context.Context) error
}

// Guard determines whether signing or signing in must be blocked. Its methods are safe for
// concurrent use.
type Guard struct {
	Database Database
	Vault    vault.KV
	CRL      CRL
	Audit    Log
	Sources  []Source
	// Admitted, if not nil, checks before an older vault is accepted that the caller still may.
	Admitted func(ctx context.Context) error
	// Renew replaces the secret of the access tokens in the vault; Renewed, if not nil,
	// makes this server use it before anything is let through.
	Renew   func(ctx context.Context) error
	Renewed func(ctx context.Context) error
	// Forget, if not nil, drops data of an older database that is no longer reliable
	// after its acceptance. It is idempotent.
	Forget func(ctx context.Context) error
	Log    *slog.Logger
	Now    func() time.Time

	state    atomic.Pointer[state] // from the last poll; nil: none yet
	starting sync.Mutex
	started  atomic.Bool
	looking  sync.Mutex // one poll or comparison at a time
	lost     bool       // the last poll did not reach both sides; under looking
	renewed  uint64     // the acceptance for which Renewed was last called; under looking
}

// state is the current findings.
type state struct {
	tampering []string
	vault     *Finding // the vault is older
	database  *Finding
	restore   *Unfinished
}

// consistent reports whether both sides are as they should be.
func (s state) consistent() bool { return s.vault == nil && s.database == nil && s.restore == nil }

func (g *Guard) now() state {
	if s := g.state.Load(); s != nil {
		return *s
	}
	return state{}
}

// Poll loads what any server found, and compares what is quick to read. Earlier
// findings hold while database or vault do not answer; once they do, everything is
// compared. An unavailable vault is no error: it is reported elsewhere.
func (g *Guard) Poll(ctx context.Context) error { return present(g.poll(ctx, false)) }

// Compare compares everything. VaultUnavailable, DatabaseUnavailable.
func (g *Guard) Compare(ctx context.Context) error { return g.poll(ctx, true) }

// Again is Compare as a task: an unavailable vault is no error.
func (g *Guard) Again(ctx context.Context) error { return present(g.Compare(ctx)) }

// present drops the error of an unavailable vault, which is reported elsewhere.
func present(err error) error {
	if fault.Is(err, fault.VaultUnavailable) {
		return nil
	}
	return err
}

func (g *Guard) poll(ctx context.Context, all bool) (err error) {
	g.looking.Lock()
	defer g.looking.Unlock()
	defer func() { g.lost = err != nil }()
	altered, err := g.Database.SchemaTampering(ctx)
	if err != nil {
		return err
	}
	begun, err := g.RestoreUnfinished(ctx)
	if err != nil {
		return err
	}
	g.see(ctx, func(s *state) {
		s.tampering = altered
		if begun != nil { // even without the vault; that it has ended is seen with it
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

// see stores new findings, and logs what has changed.
func (g *Guard) see(ctx context.Context, change func(*state)) {
	was := g.now()
	is := was
	change(&is)
	g.state.Store(&is)
	switch changed := !slices.Equal(is.tampering, was.tampering); {
	case changed && len(is.tampering) > 0:
		g.Log.ErrorContext(ctx, "somebody changed the database's tables: secrets and signatures are held back until that is undone",
			"found", is.tampering)
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

// These errors do not tell people what was found if they cannot do anything about
// it: that is in the log and in the health report.
var (
	errTampering = fault.New(fault.RecoveryRequired, "database_altered",
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

// SigningBlocked returns RecoveryRequired while secrets and signatures are blocked, and
// DatabaseUnavailable or VaultUnavailable if that was never determined.
func (g *Guard) SigningBlocked(ctx context.Context) error {
	if g.state.Load() == nil {
		if err := g.poll(ctx, false); err != nil {
			return err
		}
	}
	switch s := g.now(); {
	case s.database != nil:
		return errDatabaseOlder
	case len(s.tampering) > 0:
		return errTampering
	case s.restore != nil:
		return errRestoring
	case s.vault != nil:
		return errVaultOlder
	case !g.started.Load():
		return errNotCompared
	}
	return nil
}

// SignInBlocked returns RecoveryRequired while nobody can sign in, and VaultUnavailable
// before anything was compared.
func (g *Guard) SignInBlocked() error {
	switch s := g.now(); {
	case s.database != nil:
		return errDatabaseOlder
	case !g.started.Load():
		return errNotCompared
	}
	return nil
}

// Consistent reports whether one side may be overwritten with what the other says:
// everything was compared, neither is older, and no restore is unfinished.
func (g *Guard) Consistent() bool {
	return g.started.Load() && g.now().consistent()
}

// Publishes reports whether revocations are sent to the vault: even to an older one,
// which needs them most.
func (g *Guard) Publishes() bool { return g.started.Load() && g.now().database == nil }

// SchemaTampering returns the foreign changes to the tables found by the last poll.
func (g *Guard) SchemaTampering() []string { return g.now().tampering }

// VaultRolledBack returns the finding about the vault; nil unless it was rolled back or
// a restore stopped halfway.
func (g *Guard) VaultRolledBack() *Finding { return older(g.now().vault, g.now().restore) }

// DatabaseRolledBack returns the finding about the database, nil if it was not rolled back.
func (g *Guard) DatabaseRolledBack() *Finding { return g.now().database }

// States returns the state of database and vault in a word: "altered", "older", or
// empty if there is no finding.
func (g *Guard) States() (database, vault string) {
	s := g.now()
	switch {
	case s.database != nil:
		database = "older"
	case len(s.tampering) > 0:
		database = "altered"
	}
	if s.vault != nil || s.restore != nil {
		vault = "older"
	}
	return database, vault
}

// DocumentRolledBack records that a token's document is older than the database expects. still
// checks again: the vault may have been accepted meanwhile. The error is the answer
// to the caller, nil if the document is no longer older.
func (g *Guard) DocumentRolledBack(ctx context.Context, serial string, still func(context.Context) (bool, error)) error {
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
