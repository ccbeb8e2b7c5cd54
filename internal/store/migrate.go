package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrations embed.FS

// attempts is how often migrating is tried. goose has no lock for SQLite:
// when two processes open a new file at once, the transaction of one fails
// and, tried again, finds the other's work done.
const attempts = 3

func provider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations/sqlite")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, db, files)
}

// migrate brings the schema up to date.
func migrate(ctx context.Context, db *sql.DB) error {
	p, err := provider(db)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	for range attempts {
		if _, err = p.Up(ctx); err == nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	have, want, err := versions(ctx, p)
	if err != nil {
		return err
	}
	if have > want {
		return fmt.Errorf("the database has schema version %d, this program knows %d: start the newer program that wrote it",
			have, want)
	}
	return nil
}

// migrated is nil when the schema is up to date. It changes nothing.
func migrated(ctx context.Context, db *sql.DB) error {
	p, err := provider(db)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	var have, want int64
	if err := db.QueryRowContext(ctx, "SELECT max(version_id) FROM goose_db_version").Scan(&have); err != nil {
		return fmt.Errorf("this is no Keyward database: %w", err)
	}
	for _, s := range p.ListSources() {
		want = max(want, s.Version)
	}
	if have != want {
		return fmt.Errorf("the database has schema version %d, this program works with %d: use the program that the server runs, or start the server with this one first",
			have, want)
	}
	return nil
}

func versions(ctx context.Context, p *goose.Provider) (have, want int64, err error) {
	if have, err = p.GetDBVersion(ctx); err != nil {
		return 0, 0, fmt.Errorf("migrations: %w", err)
	}
	for _, s := range p.ListSources() {
		want = max(want, s.Version)
	}
	return have, want, nil
}

// SchemaVersion is the number of the newest migration that the database has.
func (db *DB) SchemaVersion(ctx context.Context) (int64, error) {
	var version int64
	row := db.read.QueryRowContext(ctx, "SELECT max(version_id) FROM goose_db_version")
	if err := row.Scan(&version); err != nil {
		return 0, failed("schema version", err)
	}
	return version, nil
}
