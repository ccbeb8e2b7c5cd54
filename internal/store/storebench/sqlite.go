package storebench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/keyward/keyward/internal/store"
)

var sqlite = engine{
	numbers: `WITH RECURSIVE k (n, organizations, users, devices, releases, now) AS (
		SELECT 1, $2, $3, $4, $5, $6 UNION ALL SELECT n + 1, organizations, users, devices, releases, now FROM k WHERE n < $1)
		`,
	words:   strings.NewReplacer(append(words, "{serial}", "printf('%02x', 1 + n % 127) || lower(hex(randomblob(15)))")...),
	indexes: "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = $1 ORDER BY rowid",
}

// Fill brings the schema of SQLite's file up to date and adds the rows. The database must be empty
// and not open.
func Fill(ctx context.Context, path string, size Size) error {
	db, err := store.OpenSQLite(ctx, path, store.Options{})
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("storebench: %w", err)
	}
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(abs),
		RawQuery: "_pragma=synchronous(OFF)&_pragma=cache_size(-262144)&_pragma=temp_store(MEMORY)"}
	return over(ctx, "sqlite", dsn.String(), func(conn *sql.Conn) error {
		if err := sqlite.fill(ctx, conn, size); err != nil {
			return err
		}
		_, err := conn.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
		return err
	})
}

// over opens one connection that bypasses the store.
func over(ctx context.Context, driver, name string, use func(*sql.Conn) error) error {
	pool, err := sql.Open(driver, name)
	if err != nil {
		return fmt.Errorf("storebench: %w", err)
	}
	conn, err := pool.Conn(ctx)
	if err == nil {
		err = errors.Join(use(conn), conn.Close())
	}
	if err = errors.Join(err, pool.Close()); err != nil {
		return fmt.Errorf("storebench: %w", err)
	}
	return nil
}
