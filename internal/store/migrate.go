package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations
var migrations embed.FS

// attempts is how often a SQLite file's migrations are tried without progress.
const attempts = 3

// On PostgreSQL a statement of a migration waits no longer than this for a locked table, since
// everyone after it waits behind it; then it is retried, for some ten minutes in all. So is a
// deadlock with a query that locks the tables in another order: the server undoes either.
const (
	migrationLock  = 2 * time.Second
	migrationPause = time.Second
	migrationTries = 200
)

// How long a replica waits for another that is migrating, and how often it looks.
const (
	migrationLook  = 1       // seconds
	migrationLooks = 10 * 60 // for that many looks
)

func provider(db *sql.DB, of engine, files fs.FS) (*goose.Provider, error) {
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
	sub, err := fs.Sub(files, folder)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(dialect, db, sub, options...)
}

// migrate brings the schema up to date with our migrations; tests add some.
func migrate(ctx context.Context, db *sql.DB, of engine, files fs.FS) error {
	p, err := provider(db, of, files)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	up := func() error {
		_, err := p.Up(ctx)
		return err
	}
	if of == onSQLite {
		if err := climb(up, func() (int64, error) { return schemaVersion(ctx, db) }); err != nil {
			return fmt.Errorf("migrations: %w", err)
		}
		return checkSchema(ctx, db, of, files)
	}
	for tried := 1; ; tried++ {
		if err = up(); err == nil {
			return checkSchema(ctx, db, of, files)
		}
		switch held := waited(err) || deadlocked(err); {
		case held && tried < migrationTries && ctx.Err() == nil:
			select {
			case <-time.After(migrationPause):
			case <-ctx.Done():
			}
		case held:
			return fmt.Errorf("migrations: somebody holds a table all the time, a backup or an open transaction "+
				"(pg_stat_activity shows whom): %w", err)
		default:
			return fmt.Errorf("migrations: %w", err)
		}
	}
}

// climb calls up until it succeeds, or has failed several times at one version of the schema. goose
// has no lock for SQLite: if several processes open a file at once, one commits a migration, and
// the others, which waited with the same one, fail. Retried, they go on from there, and may meet
// the same at the next.
func climb(up func() error, version func() (int64, error)) error {
	for reached, left := int64(-1), attempts; ; {
		err := up()
		if err == nil {
			return nil
		}
		left--
		if v, failed := version(); failed == nil && v > reached {
			reached, left = v, attempts-1
		}
		if left == 0 {
			return err
		}
	}
}

// schemaOf returns the schema version of a database, and changes nothing.
func schemaOf(ctx context.Context, db *sql.DB, of engine, files fs.FS) (s Schema, err error) {
	p, err := provider(db, of, files)
	if err != nil {
		return s, fmt.Errorf("migrations: %w", err)
	}
	for _, source := range p.ListSources() {
		s.Want = max(s.Want, source.Version)
	}
	if of == onPostgres {
		if fresh, err := isNew(ctx, db); err != nil || fresh {
			return s, err
		}
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

// isNew reports whether a PostgreSQL database has no table at all.
func isNew(ctx context.Context, db *sql.DB) (bool, error) {
	ours, err := queryOne(ctx, db, scanInt, "SELECT count(to_regclass('goose_db_version'))")
	if err != nil || ours > 0 {
		return false, err
	}
	tables, err := queryAll(ctx, db, scanText, postgresTables)
	if slices.Contains(tables, gooseTable) { // another server has just made it
		return false, nil
	}
	if err == nil && len(tables) > 0 {
		err = fmt.Errorf("this is no Keyward database: it has a table %s, and none of Keyward's", tables[0])
	}
	return err == nil, err
}

// checkSchema returns nil if this program works with the schema. It changes nothing.
func checkSchema(ctx context.Context, db *sql.DB, of engine, files fs.FS) error {
	s, err := schemaOf(ctx, db, of, files)
	if err != nil {
		return err
	}
	return s.mismatch()
}

// mismatch returns nil if this program works with the schema, and otherwise says what to do.
func (s Schema) mismatch() error {
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
	return queryOne(ctx, from, scanInt, "SELECT coalesce(max(version_id), 0) FROM goose_db_version")
}

// SchemaVersion is the number of the newest migration that the database has.
func (db *DB) SchemaVersion(ctx context.Context) (int64, error) {
	v, err := schemaVersion(ctx, db.read)
	return v, asFault("schema version", err)
}
