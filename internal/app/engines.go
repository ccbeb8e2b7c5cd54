package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/hardening"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/textinput"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/webhook/outbound"
)

// Names inside the data directory.
const (
	databaseFile = "keyward.db"
	vaultFile    = "vault.db"
	sealFile     = "seal.key"
)

// engines hold the data and the connections.
type engines struct {
	store *store.DB
	vault vault.Engine

	license license.Port // nil where nothing asks for it

	webhooks *outbound.Client // for outgoing requests
	keys     cert.KeyPolicy
}

// Ping and State answer the health check.
func (e *engines) Ping(ctx context.Context) error        { return e.store.Ping(ctx) }
func (e *engines) State(ctx context.Context) vault.State { return e.vault.State(ctx) }

func (e *engines) close() error { return errors.Join(e.vault.Close(), e.store.Close()) }

// ownData refuses a data directory that other users may write, or whose seal key they
// may read: its content decides who is let in.
func ownData(cfg config.Config) error {
	for name, secret := range map[string]bool{"": false, sealFile: true} {
		err := hardening.CheckNotWritableByOthers(filepath.Join(cfg.Data, name), secret)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("data directory: %w", err)
		}
	}
	return nil
}

// openEngines opens database and vault concurrently.
func openEngines(ctx context.Context, cfg config.Config, log *slog.Logger) (*engines, error) {
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	caKey, err := importedCA(cfg)
	if err != nil {
		return nil, err
	}
	client, err := webhookClient(cfg)
	if err != nil {
		return nil, err
	}
	if _, err := storeRoots(cfg); err != nil {
		return nil, err
	}
	keys, err := keyPolicy(cfg)
	if err != nil {
		return nil, err
	}
	e := &engines{webhooks: client, keys: keys}
	var group errgroup.Group
	group.Go(func() error {
		db, err := openDatabase(ctx, cfg, log)
		if err == nil {
			e.store = db
		}
		return err
	})
	group.Go(func() (err error) {
		e.vault, err = openVault(ctx, cfg, caKey, log)
		return err
	})
	if err := group.Wait(); err != nil {
		if e.store != nil {
			err = errors.Join(err, e.store.Close())
		}
		if e.vault != nil {
			err = errors.Join(err, e.vault.Close())
		}
		return nil, err
	}
	if e.license, err = newLicensePort(cfg, e.vault, log, time.Now); err != nil {
		return nil, errors.Join(err, e.close())
	}
	if state := e.vault.State(ctx); state != vault.Connected {
		log.Error("the vault is not available: health is degraded, and operations that need it get 503 until it is back and unsealed",
			"state", string(state))
	}
	return e, nil
}

// keyPolicy returns the policy on which keys are certified.
func keyPolicy(cfg config.Config) (cert.KeyPolicy, error) {
	p := cert.KeyPolicy{Attestation: cert.AttestationMode(cfg.Attestation)}
	var err error
	if cfg.FirmwareMinimum != "" {
		if p.FirmwareMinimum, err = piv.ParseVersion(cfg.FirmwareMinimum); err != nil {
			return p, fmt.Errorf("PKI_FIRMWARE_MINIMUM: %w", err)
		}
	}
	var roots []byte
	if cfg.AttestationRootsFile != "" {
		if roots, err = textinput.ReadFile(cfg.AttestationRootsFile); err != nil {
			return p, fmt.Errorf("PKI_ATTESTATION_ROOTS_FILE: %w", err)
		}
	}
	if p.Verifier, err = pki.NewVerifier(roots); err != nil {
		return p, fmt.Errorf("PKI_ATTESTATION_ROOTS_FILE: %w", err)
	}
	return p, nil
}
