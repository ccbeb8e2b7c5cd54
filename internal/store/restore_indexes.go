package store

import (
	"context"
	"database/sql"
)

// executor runs statements: *sql.Tx, a connection, statements.
type executor interface {
	querier
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// index is a SQLite index that no constraint needs, with the statement that creates it.
type index struct{ name, text string }

// takeIndexes drops a table's indexes, or all if table is empty, and returns them, oldest first.
// Many rows are inserted several times as fast without them: each index is then sorted once,
// instead of changed with each row.
func takeIndexes(ctx context.Context, x executor, table string) ([]index, error) {
	indexes, err := queryAll(ctx, x, func(row scanner) (i index, err error) {
		err = row.Scan(&i.name, &i.text)
		return i, err
	}, `SELECT name, sql FROM main.sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND (tbl_name = $1 OR $1 = '')
		ORDER BY rowid`, table)
	if err != nil {
		return nil, err
	}
	for _, i := range indexes {
		// #nosec G202 -- an index that is there
		if _, err := x.ExecContext(ctx, "DROP INDEX main."+quoted(i.name)); err != nil {
			return nil, err
		}
	}
	return indexes, nil
}

// makeIndexes creates them again, in order: of two that would do, SQLite uses the newest.
func makeIndexes(ctx context.Context, x executor, indexes []index) error {
	for _, i := range indexes {
		if _, err := x.ExecContext(ctx, i.text); err != nil {
			return err
		}
	}
	return nil
}
