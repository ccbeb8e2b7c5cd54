package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/rollback"
)

// RecoverRequest holds the arguments of keyward recover.
type RecoverRequest struct {
	// Accept is the side to accept as it is: "vault", "database", or empty to only
	// inspect.
	Accept string
	// Disable, for an older database, disables all accounts except Administrator.
	Disable       bool
	Administrator string
	Via           string // the command and its user, for the audit log
}

// Recovery is the result: nil for a side that is not older.
type Recovery struct{ Vault, Database *rollback.Finding }

// errVaultRuns: only one program can open the embedded vault.
var errVaultRuns = errors.New("a server is running on this data directory and using its vault: stop it first. Stopping " +
	"it accepts nothing. A global administrator can also accept an older vault while the server is running, " +
	"on the System health page")

// Recover compares the database and vault of an installation, and accepts an older one.
// Without want.Accept it writes nothing.
func Recover(ctx context.Context, cfg config.Config, want RecoverRequest) (found Recovery, err error) {
	cfg.SiteURL = cmp.Or(cfg.SiteURL, "http://localhost") // only a CRL is signed
	log := slog.New(slog.DiscardHandler)
	e := &engines{}
	if e.vault, err = vaultBeside(ctx, cfg); err != nil {
		if errors.Is(err, ErrVaultInUse) {
			err = errVaultRuns
		}
		return found, err
	}
	if e.store, err = existingDatabase(ctx, cfg); err != nil {
		return found, errors.Join(err, e.vault.Close())
	}
	defer func() { err = errors.Join(err, e.close()) }()
	if e.webhooks, err = webhookClient(cfg); err != nil {
		return found, err
	}
	s := newServices(cfg, e, log)
	if err := strangers(ctx, e.store, e.vault); errors.Is(err, errStranger) {
		return found, stranger(cfg)
	} else if err != nil {
		return found, err
	}
	if found.Vault, found.Database, err = s.guard.Inspect(ctx); err != nil || want.Accept == "" {
		return found, err
	}
	if older := map[string]*rollback.Finding{"vault": found.Vault, "database": found.Database}; older[want.Accept] == nil {
		return found, fmt.Errorf("the %s is not older: there is nothing to accept", want.Accept)
	}
	if err := s.paired(ctx); err != nil {
		return found, err
	}
	by := rollback.By{Via: want.Via}
	if hostname, err := os.Hostname(); err == nil {
		by.Actor.Hostname = hostname
	}
	if want.Accept == "vault" {
		return found, s.guard.AcceptVault(ctx, by)
	}
	return found, s.guard.AcceptDatabase(ctx, by, rollback.Accounts{Disable: want.Disable, Spare: want.Administrator})
}
