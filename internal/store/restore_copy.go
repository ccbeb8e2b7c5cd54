package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// copy copies the backup's rows into a table of PostgreSQL.
func (r *restoring) copy(ctx context.Context, table, into string, as map[string]string) (int64, error) {
	truths, err := queryAll(ctx, r.from.read, scanText, sqliteTruths, table)
	if err != nil {
		return 0, err
	}
	columns, values := r.selected(table, as)
	rows, err := r.from.reads.QueryContext(ctx, r.text("SELECT "+values+" FROM "+quoted(table)+" AS b ORDER BY b.rowid"))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	source := &copied{r: r, ctx: ctx, rows: rows, values: make([]any, len(columns)), isTruth: make([]bool, len(columns))}
	for i, column := range columns {
		source.isTruth[i] = slices.Contains(truths, column)
	}
	conn, ok := r.base.(*sql.Conn)
	if !ok {
		return 0, fmt.Errorf("store: restore over a %T", r.base)
	}
	var n int64
	err = conn.Raw(func(raw any) (err error) {
		l, ok := raw.(*link)
		if !ok {
			return fmt.Errorf("store: a connection of type %T", raw)
		}
		n, err = l.Conn.Conn().CopyFrom(ctx, pgx.Identifier{into}, columns, source)
		return err
	})
	r.looked(source.since)
	return n, errors.Join(err, rows.Err())
}

// copied are rows on their way to PostgreSQL.
type copied struct {
	r       *restoring
	ctx     context.Context
	rows    *sql.Rows
	values  []any
	into    []any
	isTruth []bool
	since   int64 // since progress was last reported
	err     error
}

// Next implements pgx.CopyFromSource.
func (c *copied) Next() bool {
	if c.since == takenAtOnce {
		c.r.looked(c.since)
		c.since = 0
	}
	if c.err = c.ctx.Err(); c.err != nil || !c.rows.Next() {
		return false
	}
	c.since++
	return true
}

// Values implements pgx.CopyFromSource.
func (c *copied) Values() ([]any, error) {
	if c.into == nil {
		for i := range c.values {
			c.into = append(c.into, &c.values[i])
		}
	}
	if err := c.rows.Scan(c.into...); err != nil {
		return nil, err
	}
	for i, truth := range c.isTruth {
		if number, ok := c.values[i].(int64); ok && truth {
			c.values[i] = number != 0
		}
	}
	return c.values, nil
}

// Err implements pgx.CopyFromSource.
func (c *copied) Err() error {
	if c.err != nil {
		return c.err
	}
	return c.rows.Err()
}
