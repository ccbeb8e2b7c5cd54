package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations
var migrations embed.FS

// attempts is how often migrating is tried. goose has no lock for SQLite:
// when two processes open a new file at once, the transaction of one fails
// and, tried again, finds the other's work done.
const attempts = 3

// How long a replica waits for another that is migrating, and how often it
// looks.
const (
	migrationLook  = 1       // seconds
	migrationLooks = 10 * 60 // for that many looks
)

func provider(db *sql.DB, of engine) (*goose.Provider, error) {
	folder, dialect := "migrations/sqlite", goose.DialectSQLite3
	var options []goose.ProviderOption
	if of == onPostgres {
		folder, dialect = "migrations/postgres", goose.DialectPostgres
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(migrationLook, migrationLooks))
		if err != nil {
			return nil, err
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	files, err := fs.Sub(migrations, folder)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(dialect, db, files, options...)
}

// migrate brings the schema up to date.
func migrate(ctx context.Context, db *sql.DB, of engine) error {
	p, err := provider(db, of)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	for range attempts {
		if _, err = p.Up(ctx); err == nil || of == onPostgres {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	return checkSchema(ctx, db, of)
}

// schemaOf tells how far a database is, and changes nothing.
func schemaOf(ctx context.Context, db *sql.DB, of engine) (s Schema, err error) {
	p, err := provider(db, of)
	if err != nil {
		return s, fmt.Errorf("migrations: %w", err)
	}
	for _, source := range p.ListSources() {
		s.Want = max(s.Want, source.Version)
	}
	if s.Have, err = schemaVersion(ctx, db); err != nil {
		if unavailable(err) {
			return s, err
		}
		return s, fmt.Errorf("this is no Keyward database: %w", err)
	}
	if s.Have > s.Want {
		s.Oldest, err = queryOne(ctx, db, scanInt, "SELECT oldest FROM schema_compatibility WHERE id = 1")
	}
	return s, err
}

// checkSchema is nil when this program works with the schema. It changes
// nothing.
func checkSchema(ctx context.Context, db *sql.DB, of engine) error {
	s, err := schemaOf(ctx, db, of)
	if err != nil {
		return err
	}
	todo := "start the server with this program once, or run keyward migrate"
	switch {
	case s.Fits():
		return nil
	case s.Have > s.Want:
		todo = "use the newer program that wrote it"
	}
	return fmt.Errorf("the database has schema version %d, this program works with %d: %s", s.Have, s.Want, todo)
}

func schemaVersion(ctx context.Context, from querier) (int64, error) {
	return queryOne(ctx, from, scanInt, "SELECT max(version_id) FROM goose_db_version")
}

// SchemaVersion is the number of the newest migration that the database has.
func (db *DB) SchemaVersion(ctx context.Context) (int64, error) {
	v, err := schemaVersion(ctx, db.read)
	return v, asFault("schema version", err)
}
