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

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
)

// openDatabase opens the configured database: PostgreSQL, or the file in the data
// directory.
func openDatabase(ctx context.Context, cfg config.Config, log *slog.Logger) (*store.DB, error) {
	options := store.Options{Now: time.Now}
	if cfg.DatabaseURL.Empty() {
		if err := notMoved(cfg); err != nil {
			return nil, err
		}
		if err := checkEngineMarker(cfg, databaseFile, "DATABASE_URL", func(was engineMarker) string { return was.Database }); err != nil {
			return nil, err
		}
		return store.OpenSQLite(ctx, filepath.Join(cfg.Data, databaseFile), options)
	}
	if err := checkLeftover(cfg, databaseFile, "DATABASE_URL"); err != nil {
		return nil, err
	}
	server := databaseServer(cfg)
	if server.Unprotected() {
		log.WarnContext(ctx, "the connection to PostgreSQL leaves this computer, and the server's certificate is not verified: "+
			"set sslmode=verify-full and sslrootcert in DATABASE_URL")
	}
	db, err := store.OpenPostgres(ctx, server, options)
	if err != nil {
		return nil, named(err)
	}
	return complete(ctx, db)
}

// existingDatabase opens an existing database with this program's schema. It creates
// and migrates nothing, since a mistyped name must not become an installation.
func existingDatabase(ctx context.Context, cfg config.Config) (*store.DB, error) {
	options := store.Options{Now: time.Now, Existing: true}
	if !cfg.DatabaseURL.Empty() {
		if err := checkLeftover(cfg, databaseFile, "DATABASE_URL"); err != nil {
			return nil, err
		}
		db, err := store.OpenPostgres(ctx, databaseServer(cfg), options)
		if err != nil {
			return nil, named(err)
		}
		return complete(ctx, db)
	}
	if err := notMoved(cfg); err != nil {
		return nil, err
	}
	path := filepath.Join(cfg.Data, databaseFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, noDatabase(cfg)
	}
	return store.OpenSQLite(ctx, path, options)
}

// databaseReader is existingDatabase, read-only.
func databaseReader(ctx context.Context, cfg config.Config) (*store.DB, error) {
	if !cfg.DatabaseURL.Empty() {
		db, err := store.OpenPostgresReader(ctx, databaseServer(cfg))
		return db, named(err)
	}
	db, err := store.OpenSQLiteReader(ctx, filepath.Join(cfg.Data, databaseFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noDatabase(cfg)
	}
	return db, err
}

// named adds the setting's name to an error and drops the fault's code and outcome,
// which mean nothing at startup.
func named(err error) error {
	if err == nil {
		return nil
	}
	if f, ok := fault.As(err); ok && f.Cause != nil {
		return fmt.Errorf("DATABASE_URL: %s: %w", f.Detail, f.Cause)
	}
	return fmt.Errorf("DATABASE_URL: %w", err)
}

func databaseServer(cfg config.Config) store.Server {
	server := store.Server{
		URL: cfg.DatabaseURL, ConnectTimeout: cfg.DatabaseConnectTimeout, StatementTimeout: cfg.DatabaseStatementTimeout,
		IdleTransactionTimeout: cfg.DatabaseIdleTransactionTimeout, LockTimeout: cfg.DatabaseLockTimeout,
		MaxConnections: cfg.DatabaseMaxConnections,
	}
	if path := cfg.Files["DATABASE_URL"]; path != "" {
		server.URLAgain = func() (secret.String, error) { return config.ReadSecret(path) }
	}
	return server
}
