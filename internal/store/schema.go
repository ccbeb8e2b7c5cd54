package store

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Schema says how far a database is: the number of the newest migration that
// it has, and of the newest that this program knows.
type Schema struct{ Have, Want int64 }

// SQLiteSchema looks at a database file, beside a running server too, and
// changes nothing. fs.ErrNotExist when there is none.
func SQLiteSchema(ctx context.Context, path string) (s Schema, err error) {
	if _, err := os.Stat(path); err != nil {
		return s, fmt.Errorf("store: open: %w", err)
	}
	pool, err := openReader(path)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	return schemaOf(ctx, pool)
}
