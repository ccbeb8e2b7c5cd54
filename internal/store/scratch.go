package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/keyward/keyward/internal/backup/sqldump"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/schematables"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// LoadDump creates a database file at path from a dump of either engine, and brings its schema up
// to date, for OpenSQLite or OpenSQLiteReader. The file must not exist; after an error it is of no
// use. It has only the indexes that constraints need, unless its schema was an older one.
//
// Nothing in the dump is executed: its rows go into existing tables and columns of that schema,
// must be of their types, and refer to existing rows. Otherwise the error wraps sqldump's, which
// says what is wrong; or it is the judge's.
func LoadDump(ctx context.Context, path string, from *sqldump.Reader, judge restore.Judge) error {
	err := loadDump(ctx, path, from, judge, migrations)
	if e, ok := errors.AsType[*sqlite.Error](err); ok && slices.Contains(noRoom, e.Code()) {
		return fmt.Errorf("store: load: %w: %w", syscall.ENOSPC, e) // the file's disk, not the database
	}
	return err
}

// noRoom are SQLite's codes for a full disk, a quota or a limit on files; also for a broken disk,
// which it does not distinguish.
var noRoom = []int{sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_SHMSIZE}

func loadDump(ctx context.Context, path string, from *sqldump.Reader, judge restore.Judge, files fs.FS) (err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("store: load: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("store: load: %w", err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("store: load: %w", err)
	}
	pool, err := openScratch(path)
	if err != nil {
		return fmt.Errorf("store: load: %w", err)
	}
	defer func() { err = errors.Join(err, asFault("load", pool.Close())) }()
	p, err := provider(pool, onSQLite, files)
	if err != nil {
		return fmt.Errorf("store: load: %w", err)
	}
	oldest, newest := p.ListSources()[0].Version, p.ListSources()[len(p.ListSources())-1].Version
	switch {
	case from.Schema() < oldest:
		return fmt.Errorf("%w: there is no schema %d", sqldump.ErrUnfit, from.Schema())
	case from.Schema() > newest:
		return fmt.Errorf("%w (schema %d, this one has %d)", sqldump.ErrNewer, from.Schema(), newest)
	}
	if _, err := p.UpTo(ctx, from.Schema()); err != nil {
		return asFault("load: schema", err)
	}
	if err := load(ctx, pool, from, judge, from.Schema() < newest); err != nil {
		return asFault("load", err)
	}
	_, err = p.Up(ctx)
	return asFault("load: migrate", err)
}

// openScratch opens a file that is discarded after a crash: nothing waits for the disk. Rows come
// in any order.
func openScratch(path string) (*sql.DB, error) {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"journal_mode(MEMORY)", "synchronous(OFF)", "temp_store(MEMORY)", "cache_size(-32768)", "foreign_keys(0)",
	}}
	pool, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	return pool, nil
}

// loader puts rows into a scratch file.
type loader struct {
	tx      *sql.Tx
	judge   restore.Judge
	known   map[string]schematables.Table
	kinds   map[string]map[string]string // of columns, by table
	cleared map[string]bool
	table   string
	columns []string
	insert  *sql.Stmt
	ofKind  []string
}

// load inserts the rows. Only pending migrations need the indexes: a restore reads such a file from
// its first row to its last.
func load(ctx context.Context, pool *sql.DB, from *sqldump.Reader, judge restore.Judge, migrating bool) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing, after the commit
	list, err := tablesOf(ctx, tx, onSQLite)
	if err != nil {
		return err
	}
	indexes, err := takeIndexes(ctx, tx, "")
	if err != nil {
		return err
	}
	l := &loader{tx: tx, judge: judge, known: map[string]schematables.Table{}, kinds: map[string]map[string]string{},
		cleared: map[string]bool{}}
	for _, t := range list {
		if t.Name == gooseTable {
			continue
		}
		l.known[t.Name] = t
		if !slices.Contains(ofMigrations, t.Name) {
			if err := l.clear(ctx, t.Name); err != nil {
				return err
			}
		}
	}
	for {
		row, err := from.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = l.add(ctx, row)
		}
		if err != nil {
			return err
		}
	}
	if err := l.raise(ctx, from.LastIDs()); err != nil {
		return err
	}
	if err := l.refer(ctx); err != nil {
		return err
	}
	if migrating {
		if err := makeIndexes(ctx, tx, indexes); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// gooseTable is where goose records a database's migrations.
const gooseTable = "goose_db_version"

// ofMigrations are the tables that keep the migrations' rows if a dump has none: it was made
// without them. Any other is then empty.
var ofMigrations = []string{"schema_compatibility", "locks", "crl_mark"}

// clear removes the rows that migrations made.
func (l *loader) clear(ctx context.Context, table string) error {
	if l.cleared[table] {
		return nil
	}
	l.cleared[table] = true
	// #nosec G202 -- a table that is there
	_, err := l.tx.ExecContext(ctx, "DELETE FROM "+quoted(table))
	return err
}

// add puts a row into its table.
func (l *loader) add(ctx context.Context, row sqldump.Row) error {
	if row.Table != l.table || !slices.Equal(row.Columns, l.columns) {
		if err := l.start(ctx, row); err != nil {
			return err
		}
	}
	for i, value := range row.Values {
		if !fits(value, l.ofKind[i]) {
			return fmt.Errorf("%w: column %s of %s takes no %T", sqldump.ErrUnfit, l.columns[i], l.table, value)
		}
	}
	if err := judgeRow(l.judge, row); err != nil {
		return err
	}
	if _, err := l.insert.ExecContext(ctx, row.Values...); err != nil {
		if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code()&0xff == sqlite3.SQLITE_CONSTRAINT {
			return fmt.Errorf("%w: a row of %s: %w", sqldump.ErrUnfit, l.table, err)
		}
		return err
	}
	return nil
}

// start prepares for rows with other columns.
func (l *loader) start(ctx context.Context, row sqldump.Row) error {
	t, ok := l.known[row.Table]
	if !ok {
		return fmt.Errorf("%w: no table %s", sqldump.ErrUnfit, row.Table)
	}
	kinds, err := l.kindsOf(ctx, row.Table)
	if err != nil {
		return err
	}
	l.table, l.columns, l.ofKind = row.Table, slices.Clone(row.Columns), nil
	marks := make([]string, len(row.Columns))
	for i, column := range row.Columns {
		if !slices.Contains(t.Columns, column) || slices.Contains(row.Columns[:i], column) {
			return fmt.Errorf("%w: no column %s in %s, or twice", sqldump.ErrUnfit, column, row.Table)
		}
		l.ofKind = append(l.ofKind, kinds[column])
		marks[i] = fmt.Sprintf("$%d", i+1)
	}
	if err := l.clear(ctx, row.Table); err != nil {
		return err
	}
	if l.insert != nil {
		if err := l.insert.Close(); err != nil {
			return err
		}
	}
	// #nosec G202 -- columns that are there
	l.insert, err = l.tx.PrepareContext(ctx,
		"INSERT INTO "+quoted(row.Table)+" ("+quotedList(row.Columns)+") VALUES ("+strings.Join(marks, ", ")+")")
	return err
}

func (l *loader) kindsOf(ctx context.Context, table string) (map[string]string, error) {
	if kinds, ok := l.kinds[table]; ok {
		return kinds, nil
	}
	kinds := map[string]string{}
	_, err := queryAll(ctx, l.tx, func(row scanner) (struct{}, error) {
		var name, kind string
		err := row.Scan(&name, &kind)
		kinds[name] = kind
		return struct{}{}, err
	}, "SELECT name, type FROM pragma_table_info($1)", table)
	l.kinds[table] = kinds
	return kinds, err
}

// fits reports whether a value is of a column's type, which SQLite does not check. It does check
// NULL.
func fits(value any, kind string) bool {
	switch value.(type) {
	case nil:
		return true
	case string:
		return kind == "TEXT"
	case bool:
		return kind == "BOOLEAN"
	case int64:
		return kind == "BIGINT" || kind == "INTEGER"
	}
	return false
}

// raise ensures that no id is assigned again.
func (l *loader) raise(ctx context.Context, ids map[string]int64) error {
	for table, id := range ids {
		if _, ok := l.known[table]; !ok {
			return fmt.Errorf("%w: no table %s", sqldump.ErrUnfit, table)
		}
		if err := l.judge.Number(table+".id", id); err != nil {
			return err
		}
		for _, statement := range []string{
			"INSERT INTO sqlite_sequence (name, seq) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = $1)",
			"UPDATE sqlite_sequence SET seq = max(seq, $2) WHERE name = $1",
		} {
			if _, err := l.tx.ExecContext(ctx, statement, table, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// refer checks that each row finds those that it refers to.
func (l *loader) refer(ctx context.Context) error {
	lost, err := queryAll(ctx, l.tx, func(row scanner) (text string, err error) {
		var table, parent string
		err = row.Scan(&table, &parent)
		return fmt.Sprintf("a row of %s refers to one of %s", table, parent), err
	}, `SELECT "table", parent FROM pragma_foreign_key_check LIMIT 1`)
	if err == nil && len(lost) > 0 {
		err = fmt.Errorf("%w: %s that is not there", sqldump.ErrUnfit, lost[0])
	}
	return err
}
