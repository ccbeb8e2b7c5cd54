package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/durable"
	"github.com/keyward/keyward/internal/hardening"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
)

// renewsWithin is how long a command waits for a running server to use a new seal key.
const renewsWithin = time.Minute

// sealWatch notices a new seal key of the embedded vault.
type sealWatch struct {
	vault interface{ Reseal(context.Context) error }
	path  string // of the key's file
	seen  os.FileInfo
}

// newSealWatch returns nil if there is no file that could change.
func newSealWatch(cfg config.Config, engine vault.Engine) *sealWatch {
	own, ok := engine.(*embedded.Engine)
	path := sealPath(cfg)
	if !ok || path == "" {
		return nil
	}
	return &sealWatch{vault: own, path: path} // the first look finds what an earlier start has left
}

// sealPath is the file of the seal key; empty if it is in the environment.
func sealPath(cfg config.Config) string {
	switch {
	case !cfg.SealPassphrase.Empty():
		return cfg.Files["VAULT_SEAL_PASSPHRASE"]
	case !cfg.SealKey.Empty():
		return cfg.Files["VAULT_SEAL_KEY"]
	default:
		return filepath.Join(cfg.Data, sealFile)
	}
}

// look has the vault's key wrapped anew if the file has changed.
func (w *sealWatch) look(ctx context.Context) error {
	if w == nil {
		return nil
	}
	now, err := os.Stat(w.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // the vault's own error explains it at the next start
	case err != nil:
		return err
	case w.seen != nil && os.SameFile(now, w.seen) && now.ModTime().Equal(w.seen.ModTime()) && now.Size() == w.seen.Size():
		return nil
	}
	if err := w.vault.Reseal(ctx); err != nil {
		return err
	}
	w.seen = now
	return nil
}

// RotateSeal gives the embedded vault a new seal key, whether or not a server is running, and returns
// when it is in use. Interrupted, it continues where it was. via is the command and its user, for the
// audit log.
func RotateSeal(ctx context.Context, cfg config.Config, via string) (err error) {
	if cfg.VaultAddr != "" {
		return errors.New("the secrets are in the vault at VAULT_ADDR, which has a seal of its own (for HashiCorp Vault and OpenBao: " +
			"operator rekey, operator rotate)")
	}
	path := sealPath(cfg)
	if path != filepath.Join(cfg.Data, sealFile) {
		if path == "" {
			return errors.New("the seal key is in the environment: put it into a file first (VAULT_SEAL_KEY_FILE, " +
				"VAULT_SEAL_PASSPHRASE_FILE), and restart the server")
		}
		return fmt.Errorf("the seal key is yours to keep: add the new one to %s as a line below the former one. The server "+
			"uses it within seconds, and says so in its log; then remove the former line", path)
	}
	if _, err := os.Stat(filepath.Join(cfg.Data, vaultFile)); err != nil {
		return fmt.Errorf("there is no vault in %s: %w", cfg.Data, err)
	}
	db, err := existingDatabase(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	// Before: a running server may use the key after this command has ended.
	record := func() error { return db.AppendAudit(ctx, renewed("seal", via)) }
	if err := addSealKey(path, record); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, renewsWithin)
	defer cancel()
	return useSealKey(ctx, cfg, path)
}

// renewed is the audit log's entry.
func renewed(what, via string) audit.Entry {
	hostname, _ := os.Hostname() // empty if unknown
	return audit.By(access.Actor{Hostname: hostname}, audit.SystemKeyRenewed, "system", what, via)
}

// addSealKey records that it adds a key to the file, and does so, unless one is waiting there already.
func addSealKey(path string, record func() error) error {
	lock, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	if alone, err := durable.LockAlone(lock); err != nil || !alone {
		return errors.Join(errors.New("another keyward seal rotate is at work"), err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := hardening.Owned(path, info); err != nil { // the server could not read what another user writes
		return fmt.Errorf("run this as the server's user: %w", err)
	}
	keys, err := config.ReadSecret(path)
	if err != nil {
		return err
	}
	all := keys.Lines()
	if len(all) != 1 {
		return nil
	}
	if err := record(); err != nil {
		return err
	}
	return durable.Replace(path, []byte(all[0].Reveal()+"\n"+embedded.NewKey().Reveal()+"\n"), 0o600)
}

// useSealKey waits until the file holds only the new key: a running server sees to that, or this
// process, by opening the vault.
func useSealKey(ctx context.Context, cfg config.Config, path string) error {
	cfg.SiteURL = cmp.Or(cfg.SiteURL, "http://localhost") // nothing is signed
	for {
		engine, err := embeddedBeside(ctx, cfg)
		switch {
		case err == nil:
			err = errors.Join(engine.Reseal(ctx), engine.Close())
			if err != nil {
				return err
			}
		case !errors.Is(err, ErrVaultInUse):
			return err
		}
		keys, err := config.ReadSecret(path)
		if err != nil {
			return err
		}
		if len(keys.Lines()) == 1 {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.New("the server on this data directory has not used the new seal key yet; its log may say why. " +
				"Nothing is lost: run this again")
		case <-time.After(time.Second / 4):
		}
	}
}

// RenewAccessTokens has all servers make a new secret for access tokens.
func RenewAccessTokens(ctx context.Context, cfg config.Config, via string) (err error) {
	db, err := existingDatabase(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return session.RequestRenewal(ctx, db, time.Now(), renewed("access_tokens", via))
}
