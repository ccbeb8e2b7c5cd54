package app

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/move"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
)

// StorePlace is where backups are, according to a command's flags.
type StorePlace struct {
	Settings  backup.Settings
	SecretKey secret.String
}

// RestoreRequest holds the arguments of keyward restore.
type RestoreRequest struct {
	Key, File   string      // one of the two
	Place       *StorePlace // of Key; nil: the installation's setting, or the directory
	Password    secret.String
	DryRun      bool // only report
	Resume      bool
	ReplaceCA   bool
	AcceptClock bool
	CRL         *x509.RevocationList // the last published; nil: not available
	Via         string               // the command and its user, for the audit log
	Tell        func(backup.Reached)
	At          func(point string) error // see backup.Restorer.At
}

func (want RestoreRequest) tell(phase string) {
	if want.Tell != nil {
		want.Tell(backup.Reached{Phase: phase})
	}
}

// RestoreResult is what was done, or would be.
type RestoreResult struct {
	Job      backup.Job         // empty in a dry run
	Plan     backup.RestorePlan // empty if the restore failed before it was known
	Contents archive.Contents   // only in a dry run
}

// errServed: a running server would continue with what it knows of the old state.
var errServed = errors.New("a server is running on this installation: stop it first, or restore on its Backups page")

// Restore restores a backup onto a bare machine or a stopped installation, or reports
// what it would do.
func Restore(ctx context.Context, cfg config.Config, want RestoreRequest) (out RestoreResult, err error) {
	cfg.SiteURL = cmp.Or(cfg.SiteURL, "http://localhost") // only a CRL is signed
	log := slog.New(slog.DiscardHandler)
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return out, fmt.Errorf("data directory: %w", err)
	}
	q := backup.Restoration{
		Key: want.Key, Path: want.File, Password: archive.TypedPassword(want.Password), ReplaceCA: want.ReplaceCA,
		AcceptClock: want.AcceptClock, Published: want.CRL, Resume: want.Resume, Via: want.Via,
	}
	if uninstalled(cfg) {
		// Before anything is created: a wrong password leaves the machine unchanged.
		if out, err = examineFile(ctx, cfg, want, q, log); err != nil || want.DryRun {
			return out, err
		}
	}
	e, err := openStopped(ctx, cfg, log)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	s := newServices(cfg, e, log)
	if want.Place != nil {
		s.backups = placed(cfg, want.Place, log)
	}
	r := newRestorer(cfg, e, s, beside(cfg, e), log, time.Now)
	r.Tell, r.At, r.Planned = want.Tell, want.At, func(p backup.RestorePlan) { out.Plan = p }
	do := func(ctx context.Context) (err error) {
		if want.DryRun {
			out.Plan, out.Contents, err = r.Look(ctx, q)
			return err
		}
		// A killed server, or this command when killed, may have left a job.
		if err := s.jobs.Await(ctx, func() { want.tell("waiting until the previous job is certain to have stopped") }); err != nil {
			return err
		}
		out.Job, err = r.Run(ctx, q)
		return err
	}
	if cfg.DatabaseURL.Empty() {
		return out, do(ctx)
	}
	err = e.store.Alone(ctx, func(ctx context.Context) error {
		s.jobs.Alone = true // so a job marked as running has no owner
		return do(ctx)
	})
	if errors.Is(err, move.ErrServed) {
		err = errServed
	}
	return out, err
}

// uninstalled reports whether the data directory has no installation. A database on a server
// is examined only after opening it.
func uninstalled(cfg config.Config) bool {
	if !cfg.DatabaseURL.Empty() || cfg.VaultAddr != "" {
		return false
	}
	for _, name := range []string{databaseFile, vaultFile} {
		if _, err := os.Lstat(filepath.Join(cfg.Data, name)); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}

// examineFile examines a backup where there is no installation yet: all of it in a dry
// run, otherwise its beginning.
func examineFile(
	ctx context.Context, cfg config.Config, want RestoreRequest, q backup.Restoration, log *slog.Logger,
) (out RestoreResult, err error) {
	place := want.Place
	if place == nil {
		place = &StorePlace{Settings: backup.DefaultSettings()}
	}
	r := &backup.Restorer{
		Backups: placed(cfg, place, log), Load: loadDump, Folder: absolute(filepath.Join(cfg.Data, scratchFolder)), Free: freeOn(cfg),
		Beside: true, Tell: want.Tell, Log: log, Now: time.Now,
	}
	if want.DryRun {
		out.Plan, out.Contents, err = r.Look(ctx, q)
		return out, err
	}
	if q.Path == "" {
		tried, err := r.TryPassword(ctx, q.Key, q.Password)
		if err == nil && !tried.Fits {
			err = errPassword
		}
		return out, err
	}
	return out, tryFile(q)
}

var errPassword = errors.New("the password does not open this backup. It is the one that was set when the backup was " +
	"created, and it is case-sensitive. Nothing was changed")

func tryFile(q backup.Restoration) (err error) {
	f, err := os.Open(q.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	head, err := io.ReadAll(io.LimitReader(f, int64(archive.ProbeBytes)))
	if err == nil {
		_, err = archive.Probe(bytes.NewReader(head), q.Password)
	}
	return err
}

// openStopped opens, or creates, the engines of an installation on which no server
// runs.
func openStopped(ctx context.Context, cfg config.Config, log *slog.Logger) (*engines, error) {
	e, err := openEngines(ctx, cfg, log)
	switch {
	case errors.Is(err, embedded.ErrLocked):
		return nil, errServed
	case err != nil:
		return nil, err
	}
	switch e.vault.State(ctx) {
	case vault.Connected:
		return e, nil
	case vault.Sealed:
		err = errors.New("the vault is sealed: unseal it, or set VAULT_SEAL_KEY or VAULT_SEAL_PASSPHRASE as on the server")
	case vault.Denied:
		err = errors.New("the vault refuses this server's credentials: check VAULT_AUTH_METHOD and what it needs, or VAULT_TOKEN")
	default:
		err = errors.New("the vault is not responding: make sure it is running, then continue")
	}
	return nil, errors.Join(err, e.close())
}

// beside is the barrier against servers that may be running: with a database file and a
// remote vault, nothing shows whether one is.
func beside(cfg config.Config, e *engines) *backup.Barrier {
	if !cfg.DatabaseURL.Empty() || cfg.VaultAddr == "" {
		return nil
	}
	return &backup.Barrier{Active: e.store.ActiveJob}
}

// placed returns the backup service for a command's flags.
func placed(cfg config.Config, place *StorePlace, log *slog.Logger) *backup.Service {
	directory := backupDirectory(cfg)
	open := openBackupStore(cfg, log)
	set := place.Settings
	set.SecretKeyID = "" // the place has the secret itself, and this service no vault
	return &backup.Service{
		Rows: explicitSettings{set},
		OpenStore: func(set backup.Settings, _ secret.String) (objstore.Store, error) {
			return open(set, place.SecretKey)
		},
		Directory: directory, Temporary: absolute(cfg.Data), Log: log, Now: time.Now,
	}
}

// Backups lists the latest backups, newest first, at most limit; a nil place means the
// installation's setting, or the directory.
func Backups(ctx context.Context, cfg config.Config, place *StorePlace, limit int) (list []backup.Object, total int, err error) {
	log := slog.New(slog.DiscardHandler)
	if place == nil && !uninstalled(cfg) {
		if place, err = placeOf(ctx, cfg); err != nil {
			return nil, 0, err
		}
	}
	if place == nil {
		place = &StorePlace{Settings: backup.DefaultSettings()}
	}
	return placed(cfg, place, log).List(ctx, limit, "")
}

// placeOf returns what an installation has set.
func placeOf(ctx context.Context, cfg config.Config) (place *StorePlace, err error) {
	cfg.SiteURL = cmp.Or(cfg.SiteURL, "http://localhost")
	db, err := existingDatabase(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	place = &StorePlace{}
	of := &backup.Service{Rows: db, Now: time.Now}
	if place.Settings, err = of.Settings(ctx); err != nil || place.Settings.SecretKeyID == "" {
		return place, err
	}
	engine, err := vaultBeside(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	of.Vault = engine
	place.SecretKey, err = of.SecretKey(ctx, place.Settings)
	return place, err
}
