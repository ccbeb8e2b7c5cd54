package store

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Schema says how far a database is.
type Schema struct {
	Have   int64 // the number of the newest migration that it has
	Want   int64 // of the newest that this program knows
	Oldest int64 // of the oldest program that works with it; known of a newer database alone
}

// Fits tells whether this program works with the database as it is: while
// servers are upgraded one after the other, those of the version before go on,
// and start again, with a schema that has got more meanwhile.
func (s Schema) Fits() bool { return s.Have == s.Want || s.Have > s.Want && s.Oldest <= s.Want }

// SQLiteSchema looks at a database file, beside a running server too, and
// changes nothing. fs.ErrNotExist when there is none.
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

// PostgresSchema looks at the database of a server and changes nothing.
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
