package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// SchemaReport is the result of comparing a database with our migrations, sorted.
type SchemaReport struct {
	// Different are our objects that are missing or defined otherwise, and foreign ones that act on
	// our tables; what SchemaTampering names is part of it.
	Different []string
	// Others are foreign objects beside our tables; they do no harm.
	Others []string
	// Newer: the database is of a newer program, whose tables this one does not know: only what
	// SchemaTampering names was checked.
	Newer bool
}

// CompareSchema compares the database's schema with what the migrations make on the same engine:
// tables, columns, constraints and indexes. It needs only the right to temporary tables on
// PostgreSQL, and leaves nothing behind.
func (db *DB) CompareSchema(ctx context.Context) (r SchemaReport, err error) {
	defer func() { err = asFault("compare the schema", err) }()
	if r.Different, err = db.SchemaTampering(ctx); err != nil {
		return r, err
	}
	s, err := schemaOf(ctx, db.reads, db.engine, migrations)
	if err != nil {
		return r, err
	}
	if r.Newer = s.Have > s.Want; r.Newer {
		return r, nil
	}
	expected, found, err := db.definitions(ctx)
	if err != nil {
		return r, err
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		switch have, there := found[name]; {
		case !there:
			r.Different = append(r.Different, name+" is missing")
		case have != expected[name]:
			r.Different = append(r.Different, name+" is defined otherwise")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		switch _, ours := expected[name]; {
		case ours:
		case acts(name, found[name]):
			r.Different = append(r.Different, name+" is not Keyward's")
		default:
			r.Others = append(r.Others, name)
		}
	}
	return r, nil
}

// acts reports whether something added changes what our statements do: a column, a constraint, or
// an index that refuses rows. Another index does not.
func acts(name, definition string) bool {
	return strings.HasPrefix(name, "column ") || strings.HasPrefix(name, "constraint ") ||
		strings.HasPrefix(name, "index ") && strings.Contains(strings.ToUpper(definition), " UNIQUE ")
}

// definitions returns objects' definitions by kind and name: as the migrations make them, and as
// found.
func (db *DB) definitions(ctx context.Context) (expected, found map[string]string, err error) {
	if db.engine == onPostgres {
		return db.definitionsPostgres(ctx)
	}
	memory, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, nil, err
	}
	memory.SetMaxOpenConns(1) // each has a database of its own
	defer func() { err = errors.Join(err, memory.Close()) }()
	if err := makeSchema(ctx, memory, "migrations/sqlite"); err != nil {
		return nil, nil, err
	}
	// SQLite's own objects are called sqlite_…, including the indexes of constraints, which are in
	// the tables' definitions.
	const list = `SELECT type || ' ' || name, ' ' || coalesce(sql, '') FROM sqlite_master
		WHERE type <> 'trigger' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name <> 'goose_db_version'
		AND (type <> 'index' OR tbl_name IN (SELECT value FROM json_each($1)))`
	own, err := json.Marshal(ownTables())
	if err != nil {
		return nil, nil, err
	}
	if expected, err = definitionsOf(ctx, memory, list, string(own)); err != nil {
		return nil, nil, err
	}
	found, err = definitionsOf(ctx, db.read, list, string(own))
	return expected, found, err
}

// makeSchema runs all migrations without recording them.
func makeSchema(ctx context.Context, on *sql.DB, folder string) error {
	files, err := fs.ReadDir(migrations, folder)
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := migrations.ReadFile(path.Join(folder, f.Name()))
		if err != nil {
			return err
		}
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		up = strings.ReplaceAll(up, " CONCURRENTLY", "") // not in a transaction; and nobody else uses these tables
		if _, err := on.ExecContext(ctx, up); err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	return nil
}

// SQLite keeps a definition as it was written. What was renamed and renamed back has its name in
// quotes; an added column is on a line of its own.
var (
	remark    = regexp.MustCompile(`--.*`)
	sameWords = strings.NewReplacer(`"`, "", ",", " , ", "(", " ( ", ")", " ) ")
)

func definitionsOf(ctx context.Context, from querier, list string, args ...any) (map[string]string, error) {
	rows, err := queryAll(ctx, from, scanPair, list, args...)
	all := map[string]string{}
	for _, row := range rows {
		all[row[0]] = strings.Join(strings.Fields(sameWords.Replace(remark.ReplaceAllString(row[1], ""))), " ") + " "
	}
	return all, err
}
