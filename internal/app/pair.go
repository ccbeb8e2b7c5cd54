package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/vault"
)

// An installation is a database and a vault. Both hold its number, which is created
// once and stays with them when they are moved, copied or restored.
const (
	numberPath    = "_keyward/installation"     // in the vault
	numberSetting = restore.InstallationSetting // in the database
)

type installation struct {
	ID string `json:"id"`
}

// errStranger refuses to serve a database with a new or another installation's vault:
// an unknown CA would issue and revoke in place of the one that everybody knows.
var errStranger = errors.New("is not the one that belongs to the database")

// paired returns nil when vault and database belong to the same installation. Each new
// one gets its number: in the vault first, which alone may pass it to a database.
func paired(ctx context.Context, db settings.Keeper, kv vault.KV, now func() time.Time) error {
	known, err := numberIn(ctx, db)
	if err != nil {
		return err
	}
	there, err := numberOf(ctx, kv, known.ID == "")
	if err != nil {
		return err
	}
	if known.ID == "" {
		text, err := json.Marshal(there)
		if err != nil {
			return fmt.Errorf("the installation's number: %w", err)
		}
		kept, err := db.KeepSetting(ctx, numberSetting, settings.Value{Text: string(text), UpdatedAt: now()})
		if err != nil {
			return err
		}
		if known, err = parseNumber(kept); err != nil {
			return err
		}
	}
	if there != known {
		return errStranger
	}
	return nil
}

// strangers is paired for read-only callers: a database without a number gets none, and
// matches any vault.
func strangers(ctx context.Context, db settings.Store, kv vault.KV) error {
	known, err := numberIn(ctx, db)
	if err != nil || known.ID == "" {
		return err
	}
	there, err := numberOf(ctx, kv, false)
	if err == nil && there != known {
		err = errStranger
	}
	return err
}

// numberIn reads the number in the database; it is empty when there is none.
func numberIn(ctx context.Context, db settings.Store) (installation, error) {
	value, err := db.Setting(ctx, numberSetting)
	if fault.Is(err, fault.NotFound) {
		return installation{}, nil
	}
	if err != nil {
		return installation{}, err
	}
	return parseNumber(value)
}

func parseNumber(value settings.Value) (is installation, err error) {
	if err := json.Unmarshal([]byte(value.Text), &is); err != nil {
		return is, fmt.Errorf("the installation's number in the database: %w", err)
	}
	return is, nil
}

// numberOf reads the number in the vault. If there is none, it creates one with fresh,
// and otherwise returns an empty one.
func numberOf(ctx context.Context, kv vault.KV, fresh bool) (is installation, err error) {
	for tried := false; ; {
		v, err := kv.Get(ctx, numberPath)
		switch {
		case err == nil:
			if err := v.Data.Decode(&is); err != nil {
				return is, fmt.Errorf("the installation's number in the vault: %w", err)
			}
			return is, nil
		case !errors.Is(err, vault.ErrNotFound):
			return is, vault.Fault(err)
		case tried:
			return is, errors.New("the installation's number was deleted from the vault (" + numberPath + "): undelete it, or destroy the path")
		case !fresh:
			return installation{}, nil
		}
		is.ID = rand.Text()
		data, err := vault.Encode(is)
		if err != nil {
			return is, err
		}
		if _, err := kv.Put(ctx, numberPath, data, 0); err == nil {
			return is, nil
		} else if !errors.Is(err, vault.ErrCAS) {
			return is, vault.Fault(err)
		}
		is, tried = installation{}, true // another server has just created one
	}
}

// stranger says which vault errStranger is about, and what to check.
func stranger(cfg config.Config) error {
	if cfg.VaultAddr != "" {
		return fmt.Errorf("the vault at %s %w: check VAULT_ADDR, VAULT_NAMESPACE, VAULT_KV_MOUNT and the database settings, "+
			"and which of the two was replaced or restored without the other", vaultPlace(cfg), errStranger)
	}
	return fmt.Errorf("the vault in %s %w: several servers on one database need one Vault (set VAULT_ADDR); a single "+
		"server needs the data directory it had before (set --data)", filepath.Join(cfg.Data, vaultFile), errStranger)
}
