package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
)

// errReader: a write on a database opened for reading.
var errReader = errors.New("store: opened for reading")

// OpenSQLiteReader opens an existing database file for reading only, even beside a running server.
// Nothing is created or migrated: a schema of another version than this program's is an error. Call
// Close when done.
func OpenSQLiteReader(ctx context.Context, path string) (*DB, error) {
	return openSQLiteReader(ctx, path, "rw")
}

// openSQLiteReader opens the file in one of SQLite's modes: with "ro" it is never written, with
// "rw" the write-ahead log may be folded in at the end.
func openSQLiteReader(ctx context.Context, path, mode string) (*DB, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("store: open: %w", err)
	}
	pool, err := openReader(path, mode)
	if err != nil {
		return nil, err
	}
	if err := checkSchema(ctx, pool, onSQLite, migrations); err != nil {
		return nil, errors.Join(asFault("open", err), pool.Close())
	}
	return &DB{opts: Options{}.withDefaults(), engine: onSQLite, path: path,
		reads: pool, read: newStatements(pool), check: newStatements(pool)}, nil
}

// openReader opens the pool of an existing database file, in SQLite's mode ro or rw.
func openReader(path, mode string) (*sql.DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("store: open: %w", err)
	}
	q := url.Values{"mode": {mode}, "_pragma": {
		"busy_timeout(" + strconv.FormatInt(defaultBusyTimeout.Milliseconds(), 10) + ")",
		"temp_store(MEMORY)", "cache_size(-16384)", "query_only(1)",
	}}
	pool, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, fmt.Errorf("store: open: %w", err)
	}
	pool.SetMaxOpenConns(readers)
	pool.SetMaxIdleConns(readers)
	return pool, nil
}
