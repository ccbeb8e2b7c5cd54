package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/move"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/remote"
)

// MoveRequest holds the arguments of keyward move.
type MoveRequest struct {
	From          config.Config            // the old installation: directory and seal
	To            config.Config            // the target, with an operator's token
	DryRun        bool                     // only report
	Credentials   string                   // directory for the AppRole's ids; empty: none
	ForgetUnknown bool                     // see move.Move.Forget
	Page          int                      // see move.Move.Page
	At            func(point string) error // see move.Move.At
}

// Move moves an installation of one machine to PostgreSQL and a remote vault, or
// reports what it would do. It writes its progress to progress.
func Move(ctx context.Context, want MoveRequest, progress io.Writer) (report move.Report, err error) {
	if !want.DryRun {
		if err := siteForVault(want.To); err != nil {
			return report, err
		}
	}
	log := slog.New(slog.DiscardHandler)
	m := &move.Move{
		Dir: want.From.Data, Database: databaseServer(want.To).Place(), Vault: vaultPlace(want.To),
		Forget: want.ForgetUnknown, Page: want.Page, Now: time.Now, At: want.At,
		Progress: func(format string, args ...any) { fmt.Fprintf(progress, format+"\n", args...) },
	}
	var closing []func() error
	defer func() {
		for _, end := range slices.Backward(closing) {
			err = errors.Join(err, end())
		}
	}()
	opened := func(end func() error) { closing = append(closing, end) }

	old, err := oldVault(ctx, want.From, want.To.PKIBase(), log)
	if err != nil {
		return report, err
	}
	opened(old.Close)
	m.OldVault = old
	rows, err := store.OpenSQLiteSource(ctx, filepath.Join(want.From.Data, databaseFile))
	if err != nil {
		return report, fmt.Errorf("the database in %s can't be read, or another program is using it: %w", want.From.Data, err)
	}
	opened(rows.Close)
	m.OldRows = rows

	o, err := remoteOptions(want.To, log)
	if err != nil {
		return report, err
	}
	setup, err := moveSetup(ctx, old, o, want)
	if err != nil {
		return report, err
	}
	opened(setup.setup.Close)
	m.Setup = setup
	engine, err := remote.Open(ctx, o)
	if err != nil {
		return report, err
	}
	opened(engine.Close)
	m.NewVault, setup.engine = engine, engine

	// Before the database gets its tables, the vault has to answer.
	if _, err := setup.Examine(ctx); err != nil {
		return report, vaultTrouble(err, want.To)
	}

	db, err := newRows(ctx, want)
	if err != nil {
		return report, err
	}
	if db != nil {
		opened(db.Close)
		m.NewRows = db
	}
	if want.DryRun {
		report, err = m.Survey(ctx)
	} else {
		report, err = m.Run(ctx)
	}
	return report, vaultTrouble(err, want.To)
}

// vaultPlace describes a remote vault and its mounts, for people.
func vaultPlace(cfg config.Config) string {
	place := cfg.VaultAddr
	if cfg.VaultNamespace != "" {
		place += "/" + cfg.VaultNamespace
	}
	return place + " (" + cfg.VaultKVMount + ", " + cfg.VaultPKIMount + ")"
}

// oldVault opens the vault in a directory, exclusively.
func oldVault(ctx context.Context, cfg config.Config, site string, log *slog.Logger) (*embedded.Engine, error) {
	for _, name := range []string{databaseFile, vaultFile} {
		if _, err := os.Stat(filepath.Join(cfg.Data, name)); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no %s in %s: give the data directory of a single-machine installation with --from", name, cfg.Data)
		} else if err != nil {
			return nil, err
		}
	}
	engine, err := embedded.Open(ctx, embedded.Options{
		Path: filepath.Join(cfg.Data, vaultFile), Seal: seal(cfg), PublicBase: site, Logger: log,
	})
	if errors.Is(err, embedded.ErrLocked) {
		return nil, fmt.Errorf("a server or another move is running on %s: stop it first", cfg.Data)
	}
	if err != nil {
		return nil, err
	}
	if engine.State(ctx) == vault.Sealed {
		return nil, errors.Join(fmt.Errorf("the vault in %s is sealed: set VAULT_SEAL_KEY or VAULT_SEAL_PASSPHRASE as on its "+
			"server, or put its %s in place", cfg.Data, sealFile), engine.Close())
	}
	return engine, nil
}

// newRows opens the database to move to. A dry run creates no tables: it returns nil if
// there are none.
func newRows(ctx context.Context, want MoveRequest) (*store.DB, error) {
	server := databaseServer(want.To)
	tables, err := store.PostgresTables(ctx, server)
	switch {
	case err != nil:
		return nil, named(err)
	case len(tables) > 0 && !slices.Contains(tables, "goose_db_version"):
		return nil, fmt.Errorf("the database %s is not empty: it has a table %s that is not Keyward's. Choose an empty one",
			server.Place(), tables[0])
	case len(tables) == 0 && want.DryRun:
		return nil, nil
	case want.DryRun:
		db, err := store.OpenPostgresReader(ctx, server)
		return db, named(err)
	}
	db, err := store.OpenPostgres(ctx, server, store.Options{Now: time.Now})
	return db, named(err)
}

// setupForMove is keyward vault setup with the old installation's CA.
type setupForMove struct {
	setup  *remote.Setup
	engine *remote.Engine
	mounts remote.Mounts
}

func moveSetup(ctx context.Context, old *embedded.Engine, o remote.Options, want MoveRequest) (*setupForMove, error) {
	cas, err := old.ExportCAs(ctx)
	if err != nil {
		return nil, err
	}
	s := &setupForMove{mounts: o.Mounts}
	s.setup, err = remote.NewSetup(ctx, o, remote.Preparation{
		CAKeyType: piv.KeyType(want.To.CAKeyType), CACommonName: caCommonName, ImportCAs: cas,
		Credentials: remote.Credentials{Directory: want.Credentials}, Ours: ourDocument, SharedMount: true,
		Profiles: func(ctx context.Context, _ vault.KV) ([]remote.ProfileRole, error) { return profileRoles(ctx, old) },
	})
	return s, err
}

// Examine implements move.Setup.
func (s *setupForMove) Examine(ctx context.Context) ([]move.Item, error) {
	refused, err := s.engine.Refused(ctx, remote.MoveRights(s.mounts))
	if err != nil {
		return nil, err
	}
	var items []move.Item
	if len(refused) > 0 {
		items = append(items, move.Item{Name: "VAULT_TOKEN", Lacks: refused, Hopeless: errors.New("it must be an operator's token")})
	}
	list, err := s.setup.Examine(ctx)
	for _, item := range list {
		items = append(items, move.Item{Name: item.Name, Lacks: item.Lacks, Hopeless: item.Hopeless, Apply: item.Apply})
	}
	return items, err
}

// notMoved refuses a data directory whose installation was moved elsewhere.
func notMoved(cfg config.Config) error { return move.Refuse(cfg.Data) }

// complete refuses a database that a move is filling.
func complete(ctx context.Context, db *store.DB) (*store.DB, error) {
	if err := move.RefuseTarget(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}
