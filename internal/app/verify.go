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
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/httpapi/resource"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
)

// ErrVaultInUse: a server has the vault open.
var ErrVaultInUse = errors.New(
	"a server is running on this data directory and using its vault. Stop it first, or check the database while it runs, " +
		"with --public-key HEX and --head FILE: GET /api/admin/audit/seal gives you both, and a copy that you " +
		"keep elsewhere is worth more")

// Verified is the result of a verification.
type Verified struct {
	chain.Report

	Schema store.SchemaReport
	// Releases compares the releases logged by the vault with the audit log; nil when
	// the vault was not asked.
	Releases *intentlog.ReleaseReport
	// Issuances compares the certificates logged by the vault likewise.
	Issuances *intentlog.IssuanceReport
}

// VerifyAudit checks the audit log of an installation against the anchor or, when that
// is nil, against its vault, including the releases and certificates that it logged;
// and the database's schema against this program's migrations. The error holds a
// chain.Bad when the log was changed, a intentlog.BadReleases when a release is missing or
// differs, and a intentlog.BadIssuances when a certificate is missing or differs.
// Differences in v.Schema are an error, too.
func VerifyAudit(ctx context.Context, cfg config.Config, anchor *chain.Anchor) (v Verified, err error) {
	var beside vault.Engine
	if anchor == nil {
		if beside, err = vaultBeside(ctx, cfg); err != nil {
			return Verified{}, err
		}
		defer func() { err = errors.Join(err, beside.Close()) }()
		a, err := chain.VaultAnchor(ctx, beside)
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
	found, err := v.verify(ctx, db, *anchor, beside, func(int64) {})
	return v, errors.Join(append(found, err)...)
}

// verify continues after a finding, to report all of them together; err: not all could be checked.
func (v *Verified) verify(
	ctx context.Context, db *store.DB, anchor chain.Anchor, beside vault.Engine, tell func(last int64),
) (wrong []error, err error) {
	v.Report, err = chain.Follow(ctx, db, anchor, tell)
	if _, bad := errors.AsType[*chain.Bad](err); bad {
		wrong = append(wrong, err)
	} else if err != nil {
		return wrong, err
	}
	if v.Schema, err = db.CompareSchema(ctx); err != nil {
		return wrong, err
	}
	if found := v.Schema.Different; len(found) > 0 {
		wrong = append(wrong, fmt.Errorf("someone changed the database's schema: %s. Anything that acts on Keyward's tables "+
			"can drop, change or add what is written. Find out who did it, and undo it", strings.Join(found, "; ")))
	}
	if beside != nil {
		released, err1 := intentlog.VerifyReleases(ctx, beside, db)
		v.Releases = &released
		issued, err2 := intentlog.VerifyIssuances(ctx, beside, db, time.Now())
		v.Issuances = &issued
		_, bad1 := errors.AsType[*intentlog.BadReleases](err1)
		_, bad2 := errors.AsType[*intentlog.BadIssuances](err2)
		for _, outcome := range []struct {
			err error
			bad bool
		}{{err1, bad1}, {err2, bad2}} {
			if outcome.bad {
				wrong = append(wrong, outcome.err)
			} else {
				err = errors.Join(err, outcome.err)
			}
		}
	}
	return wrong, err
}

// verifyLive is VerifyAudit beside the server's own vault and database.
func (e *engines) verifyLive(ctx context.Context, tell func(last, of int64)) (resource.Verified, error) {
	anchor, err := chain.VaultAnchor(ctx, e.vault)
	if err != nil {
		return resource.Verified{}, err
	}
	var of int64
	if anchor.Head != nil {
		of = anchor.Head.LastID
	}
	tell(0, of)
	var v Verified
	found, err := v.verify(ctx, e.store, anchor, e.vault, func(last int64) { tell(last, max(last, of)) })
	if err != nil {
		return resource.Verified{}, err
	}
	out := resource.Verified{Report: v.Report, Releases: v.Releases.Releases, Certificates: v.Issuances.Recorded, Found: found}
	// On PostgreSQL, transactions that are rolled back use up IDs.
	if v.Absent > 0 && e.store.Engine() == "sqlite" {
		out.Found = append(out.Found, &chain.Bad{Entry: v.FirstAbsent, Problem: fmt.Sprintf(
			"%d IDs had no entry when they were sealed: someone removed them before that", v.Absent)})
	}
	return out, nil
}

// vaultBeside opens the vault that belongs to the database.
func vaultBeside(ctx context.Context, cfg config.Config) (vault.Engine, error) {
	cfg.SiteURL = cmp.Or(cfg.SiteURL, "http://localhost") // nothing is signed
	if cfg.VaultAddr != "" {
		return openVault(ctx, cfg, secret.String{}, slog.New(slog.DiscardHandler))
	}
	engine, err := embeddedBeside(ctx, cfg)
	if err != nil { // a nil *embedded.Engine in a vault.Engine would not be nil
		return nil, err
	}
	return engine, nil
}

// embeddedBeside opens an existing vault; a new one would know nothing.
func embeddedBeside(ctx context.Context, cfg config.Config) (*embedded.Engine, error) {
	path := filepath.Join(cfg.Data, vaultFile)
	if _, err := os.Stat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New("there is no vault in the data directory")
		}
		return nil, fmt.Errorf("vault: %w", err)
	}
	engine, err := embedded.Open(ctx, embedded.Options{
		Path: path, Seal: seal(cfg), PublicBase: cfg.PKIBase(), Logger: slog.New(slog.DiscardHandler),
	})
	if errors.Is(err, embedded.ErrLocked) {
		return nil, ErrVaultInUse
	}
	if err == nil && engine.State(ctx) == vault.Sealed {
		err = errors.Join(errors.New("the vault is sealed: set VAULT_SEAL_KEY or VAULT_SEAL_PASSPHRASE as on the server, or "+
			"put its seal key in place"), engine.Close())
	}
	return engine, err
}
