package store

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/move"
	"github.com/keyward/keyward/internal/schematables"
	"github.com/keyward/keyward/internal/vault"
)

var _ move.OldDatabase = (*DB)(nil)

// OpenSQLiteSource opens a database file to move from: no other process writes to it until Close,
// and it stays unchanged, bit for bit, with its write-ahead log if it has one. (SQLite's -shm is an
// index of that log, which it rebuilds.)
func OpenSQLiteSource(ctx context.Context, path string) (db *DB, err error) {
	log, err := os.Stat(path + "-wal")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("store: open: %w", err)
	}
	lock, err := openReader(path, "rw")
	if err != nil {
		return nil, err
	}
	lock.SetMaxOpenConns(1)
	for _, statement := range []string{"PRAGMA query_only = 0", "BEGIN IMMEDIATE", "PRAGMA query_only = 1"} {
		if _, err := lock.ExecContext(ctx, statement); err != nil {
			return nil, errors.Join(asFault("lock", err), lock.Close())
		}
	}
	db, err = openSQLiteReader(ctx, path, "ro")
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	// The last connection to close folds the log into the file, if it may write. If there was no
	// log, the empty one just made is removed with it.
	if log != nil && log.Size() > 0 {
		db.checks = lock // closed first
	} else {
		db.writes = lock // closed last
	}
	return db, nil
}

// Queries of the catalog: the tables, and a table's columns, booleans and parents.
const (
	sqliteTables  = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`
	sqliteColumns = "SELECT name FROM pragma_table_info($1)"
	sqliteTruths  = "SELECT name FROM pragma_table_info($1) WHERE type = 'BOOLEAN'"
	sqliteParents = `SELECT DISTINCT "table" FROM pragma_foreign_key_list($1)`

	postgresTables = `SELECT table_name::text FROM information_schema.tables
		WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name`
	postgresColumns = `SELECT column_name::text FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name = $1`
	postgresParents = `SELECT DISTINCT p.relname::text FROM pg_constraint AS f JOIN pg_class AS c ON c.oid = f.conrelid
		JOIN pg_class AS p ON p.oid = f.confrelid
		WHERE f.contype = 'f' AND c.relname = $1 AND c.relnamespace = current_schema()::regnamespace`
)

// MoveTables implements move.OldDatabase and move.NewDatabase.
func (db *DB) MoveTables(ctx context.Context) ([]move.Table, error) {
	list, err := tablesOf(ctx, db.read, db.engine)
	return list, asFault("tables", err)
}

// tablesOf returns the tables of the schema, by name.
func tablesOf(ctx context.Context, from querier, of engine) ([]schematables.Table, error) {
	names, columns, parents := sqliteTables, sqliteColumns, sqliteParents
	if of == onPostgres {
		names, columns, parents = postgresTables, postgresColumns, postgresParents
	}
	list, err := queryAll(ctx, from, scanText, names)
	if err != nil {
		return nil, err
	}
	out := make([]schematables.Table, len(list))
	for i, name := range list {
		t := schematables.Table{Name: name}
		if t.Columns, err = queryAll(ctx, from, scanText, columns, name); err != nil {
			return nil, err
		}
		slices.Sort(t.Columns)
		if t.Parents, err = queryAll(ctx, from, scanText, parents, name); err != nil {
			return nil, err
		}
		out[i] = t
	}
	return out, nil
}

// CountRows implements move.OldDatabase and move.NewDatabase.
func (db *DB) CountRows(ctx context.Context, table string) (int64, error) {
	n, err := queryOne(ctx, db.read, scanInt, "SELECT count(*) FROM "+quoted(table))
	return n, asFault("count rows", err)
}

// Rows implements move.OldDatabase. A row's place is its rowid, which every
// table of ours has, and which stays while nobody writes.
func (db *DB) Rows(ctx context.Context, t move.Table, after int64, limit int) (out [][]any, last int64, err error) {
	truths, err := queryAll(ctx, db.read, scanText, sqliteTruths, t.Name)
	if err != nil {
		return nil, 0, asFault("rows of "+t.Name, err)
	}
	query := fmt.Sprintf("SELECT rowid, %s FROM %s WHERE rowid > $1 ORDER BY rowid LIMIT $2", quotedList(t.Columns), quoted(t.Name))
	out, err = queryAll(ctx, db.read, func(row scanner) ([]any, error) {
		values := make([]any, len(t.Columns))
		into := []any{&last}
		for i := range values {
			into = append(into, &values[i])
		}
		if err := row.Scan(into...); err != nil {
			return nil, err
		}
		for i, column := range t.Columns {
			if n, ok := values[i].(int64); ok && slices.Contains(truths, column) {
				values[i] = n != 0
			}
		}
		return values, nil
	}, query, after, limit)
	if last == 0 {
		last = after
	}
	return out, last, asFault("rows of "+t.Name, err)
}

// LastIDs implements move.OldDatabase.
func (db *DB) LastIDs(ctx context.Context) (map[string]int64, error) {
	ids := map[string]int64{}
	_, err := queryAll(ctx, db.read, func(row scanner) (struct{}, error) {
		var name string
		var last int64
		err := row.Scan(&name, &last)
		ids[name] = last
		return struct{}{}, err
	}, "SELECT name, seq FROM sqlite_sequence")
	return ids, asFault("last ids", err)
}

const moveColumns = `SELECT c.id, c.status = 'revoked', c.serial_number, COALESCE(c.revoked_at, 0), c.revocation_reason, c.not_after, c.der
	FROM certificates AS c`

func scanMoved(row scanner) (c move.Certificate, err error) {
	var at, ends int64
	var reason, der string
	if err := row.Scan(&c.Row, &c.Revoked, &c.Serial, &at, &reason, &ends, &der); err != nil {
		return c, err
	}
	c.Reason, _ = cert.ParseReason(reason) // one that only a later version knows is Unspecified
	c.Revocation = vault.Revocation{Serial: c.Serial, At: moment(at), Reason: c.Reason, NotAfter: moment(ends)}
	c.Certificate, err = base64.StdEncoding.DecodeString(der)
	return c, err
}

// RevokedAfter implements move.OldDatabase.
func (db *DB) RevokedAfter(ctx context.Context, row int64, limit int) ([]move.Certificate, error) {
	list, err := queryAll(ctx, db.read, scanMoved,
		moveColumns+" WHERE c.status = 'revoked' AND c.id > $1 ORDER BY c.id LIMIT $2", row, limit)
	return list, asFault("revoked after", err)
}

// Recorded implements move.OldDatabase. It includes certificates without a record that were
// revoked.
func (db *DB) Recorded(ctx context.Context, serials []string) (map[string]move.Certificate, error) {
	out := map[string]move.Certificate{}
	for part := range slices.Chunk(serials, chunk) {
		w := &where{}
		oneOf(w, "c.serial_number", part)
		list, err := queryAll(ctx, db.read, scanMoved, moveColumns+w.String(), w.args...)
		if err != nil {
			return nil, asFault("on record", err)
		}
		for _, c := range list {
			out[c.Serial] = c
		}
	}
	unrecorded, err := db.UnrecordedRevocations(ctx, serials)
	if err != nil {
		return nil, err
	}
	for serial, r := range unrecorded {
		if _, recorded := out[serial]; !recorded { // a record says more
			out[serial] = move.Certificate{Revocation: r.Revocation}
		}
	}
	return out, nil
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quotedList(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = quoted(name)
	}
	return strings.Join(list, ", ")
}
