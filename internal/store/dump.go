package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/keyward/keyward/internal/backup/sqldump"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/schematables"
)

// fetchRows is how many rows PostgreSQL returns at once: a statement's timeout is for so many.
const fetchRows = 1000

// Dump writes the tables that the caller wants as portable SQL, all as of one moment, and returns
// the number of rows of each; an empty table is not named. It blocks nobody, however slow w is;
// meanwhile SQLite's write-ahead log grows, and PostgreSQL keeps old rows.
func (db *DB) Dump(ctx context.Context, w io.Writer, wanted func(table string) bool) (rows map[string]int64, err error) {
	s, err := db.snapshot(ctx)
	if err != nil {
		return nil, asFault("dump", err)
	}
	defer func() { err = errors.Join(err, s.end()) }()
	schema, err := schemaVersion(ctx, s)
	if err != nil {
		return nil, asFault("dump", err)
	}
	list, err := tablesOf(ctx, s, db.engine)
	if err != nil {
		return nil, asFault("dump", err)
	}
	list = slices.DeleteFunc(schematables.TopologicalOrder(list), func(t schematables.Table) bool { return !wanted(t.Name) })
	out, err := sqldump.NewWriter(w, schema)
	if err != nil {
		return nil, err
	}
	rows = map[string]int64{}
	for _, t := range list {
		before := out.Rows()
		if err := s.dump(ctx, out, t); err != nil {
			return nil, asFault("dump "+t.Name, err)
		}
		if n := out.Rows() - before; n > 0 {
			rows[t.Name] = n
		}
	}
	for _, t := range list {
		last, err := s.lastID(ctx, t)
		if err == nil && last > 0 {
			err = out.LastID(t.Name, last)
		}
		if err != nil {
			return nil, asFault("dump last id of "+t.Name, err)
		}
	}
	return rows, out.Close()
}

// snapshot is the database as it is at one moment.
type snapshot struct {
	*sql.Tx

	engine engine
	close  func() error
}

func (db *DB) snapshot(ctx context.Context) (s snapshot, err error) {
	s.engine, s.close = db.engine, func() error { return nil }
	if db.engine == onSQLite {
		s.Tx, err = db.reads.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		return s, err
	}
	// A connection of its own, held for as long as w takes.
	pool := db.server.pool(db.reading, 1, use{reads: true, timelines: &db.timelines, shares: &db.shares})
	s.close = func() error { db.shares.leave(pool); return pool.Close() }
	s.Tx, err = inLine{pool}.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return s, errors.Join(err, s.close())
	}
	// Between reads the transaction is idle while w takes the rows.
	if _, err = s.ExecContext(ctx, "SET LOCAL idle_in_transaction_session_timeout = 0"); err != nil {
		err = errors.Join(err, s.end())
	}
	return s, err
}

// end closes the snapshot; nothing was written.
func (s snapshot) end() error {
	err := s.Rollback()
	if errors.Is(err, sql.ErrTxDone) {
		err = nil
	}
	return errors.Join(err, s.close())
}

// dump writes a table's rows in the order in which they are stored.
func (s snapshot) dump(ctx context.Context, out *sqldump.Writer, t schematables.Table) error {
	from := quotedList(t.Columns) + " FROM " + quoted(t.Name)
	if s.engine == onSQLite {
		truths, err := queryAll(ctx, s, scanText, sqliteTruths, t.Name)
		if err != nil {
			return err
		}
		isTruth := make([]bool, len(t.Columns))
		for i, column := range t.Columns {
			isTruth[i] = slices.Contains(truths, column)
		}
		_, err = s.each(ctx, out, t, isTruth, "SELECT rowid, "+from+" ORDER BY rowid")
		return err
	}
	cursor := quoted("dumped_" + t.Name) // each its own: a prepared statement fits only one
	if _, err := s.ExecContext(ctx, "DECLARE "+cursor+" NO SCROLL CURSOR FOR SELECT 0, "+from); err != nil {
		return err
	}
	for {
		rows, err := s.each(ctx, out, t, nil, fmt.Sprintf("FETCH %d FROM %s", fetchRows, cursor))
		if err != nil {
			return err
		}
		if rows < fetchRows {
			_, err := s.ExecContext(ctx, "CLOSE "+cursor)
			return err
		}
	}
}

// unportable is the fault for a value that cannot be dumped. PostgreSQL accepts none.
func unportable(value *sqldump.ValueError, row int64) error {
	return fault.Newf(fault.Conflict, "unportable_value",
		"The database has a value that no backup can hold: in the table {table}, column {column}, the row with "+
			"rowid {row} is not valid UTF-8 or contains a null character. Keyward did not write it. Stop the "+
			"server, correct the value in the database file with sqlite3, and create the backup again.",
		fault.Params{"table": value.Table, "column": value.Column, "row": row}).With(value)
}

// each writes the rows of a query, whose first column is the row's number.
func (s snapshot) each(ctx context.Context, out *sqldump.Writer, t schematables.Table, isTruth []bool, query string) (n int, err error) {
	rows, err := s.QueryContext(ctx, query)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var row int64
	values, into := make([]any, len(t.Columns)), []any{&row}
	for i := range values {
		into = append(into, &values[i])
	}
	for ; rows.Next(); n++ {
		if err := rows.Scan(into...); err != nil {
			return n, err
		}
		for i, truth := range isTruth {
			if number, ok := values[i].(int64); ok && truth {
				values[i] = number != 0
			}
		}
		err := out.Write(sqldump.Row{Table: t.Name, Columns: t.Columns, Values: values})
		if value, ok := errors.AsType[*sqldump.ValueError](err); ok {
			return n, unportable(value, row)
		}
		if err != nil {
			return n, err
		}
	}
	return n, rows.Err()
}

// lastID is the highest id that a table has assigned; 0 if none.
func (s snapshot) lastID(ctx context.Context, t schematables.Table) (int64, error) {
	if s.engine == onSQLite {
		last, err := queryOne(ctx, s, scanInt, "SELECT seq FROM sqlite_sequence WHERE name = $1", t.Name)
		if none(err) {
			return 0, nil
		}
		return last, err
	}
	if !slices.Contains(t.Columns, "id") {
		return 0, nil
	}
	sequence, err := queryOne(ctx, s, func(row scanner) (name sql.NullString, err error) {
		err = row.Scan(&name)
		return name, err
	}, "SELECT pg_get_serial_sequence($1, 'id')", quoted(t.Name))
	if err != nil || !sequence.Valid {
		return 0, err
	}
	return queryOne(ctx, s, scanInt,
		"SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM "+sequence.String) // quoted by the server
}
