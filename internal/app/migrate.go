package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/store"
)

// Schema tells how far the configured database is. It changes nothing; a
// database that is not there is an error, since a mistyped directory must not
// become an installation.
func Schema(ctx context.Context, cfg config.Config) (store.Schema, error) {
	s, err := store.SQLiteSchema(ctx, filepath.Join(cfg.Data, databaseFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("there is no %s in %s: name the data directory of the server with --data", databaseFile, cfg.Data)
	}
	return s, err
}

// Migrate brings the schema of the configured database up to date.
func Migrate(ctx context.Context, cfg config.Config) error {
	db, err := store.OpenSQLite(ctx, filepath.Join(cfg.Data, databaseFile), store.Options{Now: time.Now})
	if err != nil {
		return err
	}
	return db.Close()
}
