package app

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/store"
)

// Schema returns the state of the configured database's schema. It changes nothing; a
// missing database is an error, since a mistyped directory must not become an
// installation.
func Schema(ctx context.Context, cfg config.Config) (store.Schema, error) {
	if !cfg.DatabaseURL.Empty() {
		s, err := store.PostgresSchema(ctx, databaseServer(cfg))
		return s, named(err)
	}
	s, err := store.SQLiteSchema(ctx, filepath.Join(cfg.Data, databaseFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, noDatabase(cfg)
	}
	return s, err
}

// Migrate migrates the configured database to the current schema.
func Migrate(ctx context.Context, cfg config.Config) error {
	db, err := openDatabase(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return db.Close()
}
