package store

import (
	"context"
	"database/sql"
	"testing"
)

// Counts records the queries that count lists.
type Counts struct {
	recorder

	query string
	args  []any
}

// RecordCounts makes a database tell its counting.
func RecordCounts(db *DB) *Counts {
	c := &Counts{recorder: recorder{DBTX: db.reads}}
	db.read = newStatements(c)
	return c
}

func (c *Counts) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	c.query, c.args = query, args
	return c.DBTX.QueryRowContext(ctx, query, args...)
}

// Plan is how the last list was counted; empty when it was not.
func (c *Counts) Plan(t *testing.T, db *DB) string {
	t.Helper()
	if c.query == "" {
		return ""
	}
	defer func() { c.query = "" }()
	return c.query + "\n" + explain(t, db, c.query, c.args)
}
