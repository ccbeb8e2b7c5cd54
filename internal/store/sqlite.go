package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

const (
	readers            = 4
	checkers           = 2
	defaultBusyTimeout = 5 * time.Second
)

// OpenSQLite opens the database file at path, creates it (readable only by its owner) if there is
// none, and brings its schema up to date. Call Close when done.
func OpenSQLite(ctx context.Context, path string, opts Options) (*DB, error) {
	opts = opts.withDefaults()
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("store: open: %w", err)
	}
	if opts.Existing {
		_, err = os.Stat(path)
	} else {
		err = makePrivate(path)
	}
	if err != nil {
		return nil, fmt.Errorf("store: open: %w", err)
	}
	db := &DB{opts: opts, engine: onSQLite, path: path}
	if err = db.openPools(path); err == nil {
		err = db.start(ctx)
	}
	if err != nil {
		return nil, errors.Join(asFault("open", err), db.closePools())
	}
	return db, nil
}

func (db *DB) openPools(path string) (err error) {
	if db.writes, err = openPool(path, db.opts, 1, "foreign_keys(1)", "cache_size(-32768)"); err != nil {
		return err
	}
	if db.reads, err = openPool(path, db.opts, readers, "query_only(1)", "cache_size(-16384)"); err != nil {
		return err
	}
	db.checks, err = openPool(path, db.opts, checkers, "query_only(1)", "cache_size(-16384)")
	return err
}

// start brings the schema up to date and starts the writer.
func (db *DB) start(ctx context.Context) error {
	prepare := migrate
	if db.opts.Existing {
		prepare = checkSchema
	}
	if err := prepare(ctx, db.writes, onSQLite, migrations); err != nil {
		return err
	}
	conn, err := db.writes.Conn(ctx)
	if err != nil {
		return err
	}
	db.read, db.check = newStatements(db.reads), newStatements(db.checks)
	db.writer = newWriter(conn, db.opts)
	return nil
}

// makePrivate creates the file before SQLite does, which would leave its mode to the umask. The
// files beside it (-wal, -shm) inherit its mode.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// openPool opens a pool of connections. In WAL mode, synchronous FULL is the level at which a
// commit survives a loss of power.
func openPool(path string, opts Options, size int, pragmas ...string) (*sql.DB, error) {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": append([]string{
		"busy_timeout(" + strconv.FormatInt(opts.BusyTimeout.Milliseconds(), 10) + ")",
		"journal_mode(WAL)", "synchronous(FULL)", "temp_store(MEMORY)",
		"wal_autocheckpoint(4000)", "journal_size_limit(67108864)",
	}, pragmas...)}
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: q.Encode()}
	pool, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("store: open: %w", err)
	}
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	return pool, nil
}
