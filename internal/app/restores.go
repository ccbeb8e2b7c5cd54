package app

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/backup/sqldump"
	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
)

// scratchFolder holds the scratch databases of restores, in the data directory.
const scratchFolder = "restoring"

// newRestorer wires restores. barrier is nil where no server runs.
func newRestorer(
	cfg config.Config, e *engines, s *services, barrier *backup.Barrier, log *slog.Logger, now func() time.Time,
) *backup.Restorer {
	r := &backup.Restorer{
		Backups: s.backups, Runner: s.jobs, Database: restored{e.store}, Vault: e.vault.(vaultpart.Target), Guard: s.guard, Load: loadDump,
		Record: s.certificates.RecordRevoked,
		Numbers: func(ctx context.Context) (database, vault string, err error) {
			known, err := numberIn(ctx, e.store)
			if err != nil {
				return "", "", err
			}
			there, err := numberOf(ctx, e.vault, false)
			return known.ID, there.ID, err
		},
		Rehearsal: rehearsal(cfg), Folder: absolute(filepath.Join(cfg.Data, scratchFolder)),
		Free:   freeOn(cfg),
		Beside: cfg.DatabaseURL.Empty(), Barrier: barrier, Ended: s.authorityMayDiffer, Log: log, Now: now,
	}
	if barrier != nil && !s.jobs.Alone {
		r.Known = backup.BarrierKnown
	}
	return r
}

// sweepScratch removes what a server killed during a restore has left: it is as secret
// as the database.
func (s *services) sweepScratch(ctx context.Context, log *slog.Logger) {
	if err := s.restorer.SweepScratch(); err != nil {
		log.ErrorContext(ctx, "could not remove what a restore left beside the database: remove it by hand",
			"folder", s.restorer.Folder, "error", err)
	}
}

// witness reports whether a token may still read a restore's progress.
func (s *services) witness(log *slog.Logger) func(context.Context, string) bool {
	return func(ctx context.Context, bearer string) bool {
		is, err := s.restorer.Watches(ctx, bearer)
		if err != nil {
			log.WarnContext(ctx, "could not find out who may see a restore's progress", "error", err)
		}
		return is
	}
}

// freeOn returns the free space on the data directory's disk, in bytes.
func freeOn(cfg config.Config) func() (int64, bool, error) {
	return func() (int64, bool, error) {
		free, _, known, err := space(cfg.Data)
		return free, known, err
	}
}

// restored is the database as package backup sees it.
type restored struct{ *store.DB }

// RestoreKind implements backup.Restored.
func (r restored) RestoreKind(ctx context.Context, from backup.Scratch) (restore.Target, error) {
	return r.DB.RestoreKind(ctx, from.(*store.DB))
}

// Restore implements backup.Restored.
func (r restored) Restore(ctx context.Context, from backup.Scratch, o restore.Options) (restore.Report, error) {
	return r.DB.Restore(ctx, from.(*store.DB), o)
}

// loadDump implements backup.Load.
func loadDump(ctx context.Context, path string, from *sqldump.Reader, judge restore.Judge) (backup.Scratch, bool, error) {
	if err := store.LoadDump(ctx, path, from, judge); err != nil {
		return nil, false, err
	}
	db, err := store.OpenSQLiteReader(ctx, path)
	if err != nil { // a nil *store.DB in a Scratch would not be nil
		return nil, false, err
	}
	schema, err := store.SQLiteSchema(ctx, path)
	if err != nil {
		return nil, false, errors.Join(err, db.Close())
	}
	return db, from.Schema() < schema.Want, nil
}

// rehearsal opens a new embedded vault for a drill, under a key that is not kept.
func rehearsal(cfg config.Config) func(ctx context.Context, folder string) (backup.Rehearsal, error) {
	return func(ctx context.Context, folder string) (backup.Rehearsal, error) {
		engine, err := embedded.Open(ctx, embedded.Options{
			Path: filepath.Join(folder, vaultFile), Seal: embedded.KeySeal(secret.Fixed(embedded.NewKey().Reveal())),
			PublicBase: cfg.PKIBase(), CAKeyType: piv.ECP256, CACommonName: caCommonName, Role: vault.DefaultRole(),
			Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil { // a nil *embedded.Engine in a Rehearsal would not be nil
			return nil, err
		}
		return engine, nil
	}
}
