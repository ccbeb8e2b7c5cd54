package storebench

import (
	"context"
	"database/sql"
	"net/url"
	"path/filepath"
)

// Vary fills rows of SQLite's file with data that does not compress, as in real ones: certificates
// of 1,200 characters, hashes, request ids. Nobody else may write to it meanwhile.
func Vary(ctx context.Context, path string) error {
	return unsafely(ctx, path, func(conn *sql.Conn) error {
		for _, statement := range []string{
			"UPDATE certificates SET der = lower(hex(randomblob(600))), csr_sha256 = lower(hex(randomblob(32))), " +
				"public_key_sha256 = lower(hex(randomblob(32)))",
			"UPDATE audit_entries SET request_id = lower(hex(randomblob(13))), " +
				"details = 'ticket ' || abs(random() % 100000) || ', fields pin'",
			"PRAGMA wal_checkpoint(TRUNCATE)",
		} {
			if _, err := conn.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// unsafely opens one connection to the file that does not wait for the disk.
func unsafely(ctx context.Context, path string, use func(*sql.Conn) error) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: "_pragma=synchronous(OFF)&_pragma=cache_size(-262144)"}
	return over(ctx, "sqlite", dsn.String(), use)
}
