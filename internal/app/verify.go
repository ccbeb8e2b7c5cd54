package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
)

// ErrVaultInUse: the vault cannot be asked, since a server has it open.
var ErrVaultInUse = errors.New(
	"a server runs on this data directory and holds its vault. Stop it first; or check the database beside it, " +
		"with --public-key HEX and --head FILE: GET /api/admin/audit/seal answers both, and a copy that you keep elsewhere is worth more")

// Verified is what a verification saw.
type Verified struct {
	chain.Report

	Schema store.SchemaReport
}

// VerifyAudit checks the audit log of an installation: against the anchor,
// or, when that is nil, against the vault beside the database; and the
// database's schema against this program's migrations. The error is chain.Bad
// when the log was changed; there is one, too, when v.Schema has differences.
func VerifyAudit(ctx context.Context, cfg config.Config, anchor *chain.Anchor) (v Verified, err error) {
	if anchor == nil {
		a, err := vaultAnchor(ctx, cfg)
		if err != nil {
			return Verified{}, err
		}
		anchor = &a
	}
	db, err := databaseReader(ctx, cfg)
	if err != nil {
		return Verified{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if v.Report, err = chain.Verify(ctx, db, *anchor); err != nil {
		return v, err
	}
	if v.Schema, err = db.CompareSchema(ctx); err == nil && len(v.Schema.Different) > 0 {
		err = fmt.Errorf("the log is as it was sealed, but somebody has changed the database's schema: %s. What acts on Keyward's tables "+
			"can leave out, change or add what is written: find out who did it, and undo it", strings.Join(v.Schema.Different, "; "))
	}
	return v, err
}

// vaultAnchor asks the vault how the log's chain stands.
func vaultAnchor(ctx context.Context, cfg config.Config) (a chain.Anchor, err error) {
	cfg.SiteURL = cmp.Or(cfg.SiteURL, "http://localhost") // nothing is signed
	if cfg.VaultAddr == "" {
		return embeddedAnchor(ctx, cfg)
	}
	engine, err := openVault(ctx, cfg, secret.String{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return chain.Anchor{}, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	return chain.VaultAnchor(ctx, engine)
}

// embeddedAnchor opens a vault that is there; a new one would know nothing.
func embeddedAnchor(ctx context.Context, cfg config.Config) (a chain.Anchor, err error) {
	path := filepath.Join(cfg.Data, vaultFile)
	if _, err := os.Stat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return chain.Anchor{}, errors.New("there is no vault in the data directory")
		}
		return chain.Anchor{}, fmt.Errorf("vault: %w", err)
	}
	engine, err := embedded.Open(ctx, embedded.Options{
		Path: path, Seal: seal(cfg), PublicBase: cfg.SiteURL, Logger: slog.New(slog.DiscardHandler),
	})
	if errors.Is(err, embedded.ErrLocked) {
		return chain.Anchor{}, ErrVaultInUse
	}
	if err != nil {
		return chain.Anchor{}, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	if engine.State(ctx) == vault.Sealed {
		return chain.Anchor{}, errors.New(
			"the vault is sealed: set VAULT_SEAL_KEY or VAULT_SEAL_PASSPHRASE as the server has it, or put its seal key in place")
	}
	return chain.VaultAnchor(ctx, engine)
}
