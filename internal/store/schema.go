package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// Schema is a database's schema version.
type Schema struct {
	Have   int64 // the newest migration that it has
	Want   int64 // the newest that this program knows
	Oldest int64 // the oldest program that works with it; known only of a newer database
}

// Fits reports whether this program works with the database as it is: during a rolling upgrade,
// servers of the version before keep running, and restart, with a schema that has grown meanwhile.
func (s Schema) Fits() bool { return s.Have == s.Want || s.Have > s.Want && s.Oldest <= s.Want }

// SQLiteSchema reads the schema version of a database file, even beside a running server, and
// changes nothing. fs.ErrNotExist if there is none.
func SQLiteSchema(ctx context.Context, path string) (s Schema, err error) {
	if _, err := os.Stat(path); err != nil {
		return s, fmt.Errorf("store: open: %w", err)
	}
	pool, err := openReader(path, "rw")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	return schemaOf(ctx, pool, onSQLite, migrations)
}

// PostgresTime returns the time of a server's clock.
func PostgresTime(ctx context.Context, server Server) (now time.Time, err error) {
	server = server.withDefaults()
	config, err := server.config()
	if err != nil {
		return now, err
	}
	pool := server.pool(readingConfig(config, nil), 1, use{reads: true})
	defer func() { err = errors.Join(err, pool.Close()) }()
	err = pool.QueryRowContext(ctx, "SELECT clock_timestamp()").Scan(&now)
	return now, asFault("clock", err)
}

// PostgresSchema reads the schema version of a server's database and changes nothing.
func PostgresSchema(ctx context.Context, server Server) (s Schema, err error) {
	server = server.withDefaults()
	config, err := server.config()
	if err != nil {
		return s, err
	}
	pool := server.pool(readingConfig(config, nil), 1, use{reads: true})
	defer func() { err = errors.Join(err, pool.Close()) }()
	s, err = schemaOf(ctx, pool, onPostgres, migrations)
	return s, asFault("schema", err)
}
