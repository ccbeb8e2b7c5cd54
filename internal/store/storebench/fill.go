// Package storebench quickly fills a database of either engine with many rows, for benchmarks and
// load runs. It writes rows as the store would, but bypasses it and durability: never use it on
// data that matters.
package storebench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// Size is how many rows of each kind to make. Row n of a kind belongs to organization
// n%Organizations+1 and user n%Users+1; these kinds must not be zero then.
type Size struct {
	Organizations int
	Users         int
	Devices       int // serial "bench-00000001" and up, status active
	Sessions      int // live for a day from Now
	Certificates  int // one in a hundred revoked; they end up to a year after Now
	Releases      int // of 50 reasons, in the days before Now, a minute apart
	Audit         int // of 20 actions, one in a hundred denied
	Now           int64
}

// engine is what differs between the engines.
type engine struct {
	numbers string            // counts from 1 to $1 as n, for the statements of the rows
	words   *strings.Replacer // replacements in the statements
	indexes string            // name and text of each index of table $1 that no constraint needs, oldest first
}

// large is the number of rows from which a table's indexes are made after its rows, at once.
const large = 100_000

// index is an index with the statement that creates it.
type index struct{ name, text string }

// fill adds the rows over one connection.
func (e engine) fill(ctx context.Context, conn *sql.Conn, size Size) error {
	var taken []index
	for _, s := range statements(size) {
		if s.rows == 0 {
			continue
		}
		if s.rows >= large {
			indexes, err := e.dropIndexes(ctx, conn, s.table)
			taken = append(taken, indexes...)
			if err != nil {
				return fmt.Errorf("%s: %w", s.kind, err)
			}
		}
		args := []any{s.rows, max(size.Organizations, 1), max(size.Users, 1), max(size.Devices, 1), size.Releases, size.Now}
		if _, err := conn.ExecContext(ctx, strings.Replace(e.words.Replace(s.text), "SELECT", e.numbers+"SELECT", 1), args...); err != nil {
			return fmt.Errorf("%s: %w", s.kind, err)
		}
	}
	// In order: without statistics SQLite takes the newest of two that would do.
	for _, i := range taken {
		if _, err := conn.ExecContext(ctx, i.text); err != nil {
			return fmt.Errorf("%s: %w", i.name, err)
		}
	}
	return nil
}

// dropIndexes drops a table's indexes.
func (e engine) dropIndexes(ctx context.Context, conn *sql.Conn, table string) ([]index, error) {
	indexes, err := e.indexesOf(ctx, conn, table)
	for _, i := range indexes {
		if _, dropping := conn.ExecContext(ctx, "DROP INDEX "+i.name); dropping != nil {
			err = errors.Join(err, dropping)
		}
	}
	return indexes, err
}

func (e engine) indexesOf(ctx context.Context, conn *sql.Conn, table string) ([]index, error) {
	rows, err := conn.QueryContext(ctx, e.indexes, table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var indexes []index
	for rows.Next() {
		var i index
		if err := rows.Scan(&i.name, &i.text); err != nil {
			return nil, err
		}
		indexes = append(indexes, i)
	}
	return indexes, rows.Err()
}
