package store

import (
	"context"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// SchemaTampering returns, sorted, what acts on our tables and is in no migration of any version: triggers,
// rules, row security and its policies, inheritance, and whatever is in a table's place (nothing, a
// view, a table of another schema). Each is a line such as "trigger quiet on audit_entries". Empty
// if all is as it should be, also in the database of a newer version. Contract, "Audit".
func (db *DB) SchemaTampering(ctx context.Context) ([]string, error) {
	ask := alteredSQLite
	if db.engine == onPostgres {
		ask = alteredPostgres
	}
	found, err := ask(ctx, db.check)
	slices.Sort(found)
	return found, asFault("schema", err)
}

// ownTables are goose's table of versions and the tables that our migrations create. Both engines
// have the same.
var ownTables = sync.OnceValue(func() []string {
	names := []string{gooseTable}
	_ = fs.WalkDir(migrations, "migrations/sqlite", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := migrations.ReadFile(path)
		for _, made := range creates.FindAllSubmatch(text, -1) {
			names = append(names, string(made[1]))
		}
		return err
	})
	return names
})

var creates = regexp.MustCompile(`(?m)^CREATE TABLE (?:IF NOT EXISTS )?(\w+) \(`)

func alteredSQLite(ctx context.Context, from querier) ([]string, error) {
	kinds := map[string]string{}
	tables, err := queryAll(ctx, from, scanPair, "SELECT name, type FROM pragma_table_list WHERE schema = 'main'")
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		kinds[t[0]] = t[1]
	}
	var found []string
	for _, name := range ownTables() {
		switch kind := kinds[name]; kind {
		case "table":
		case "":
			found = append(found, "no table "+name)
		default:
			found = append(found, kind+" in place of the table "+name)
		}
	}
	triggers, err := queryAll(ctx, from, scanPair, "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'")
	for _, t := range triggers {
		// Names are compared as SQLite does.
		if slices.ContainsFunc(ownTables(), func(own string) bool { return strings.EqualFold(own, t[1]) }) {
			found = append(found, "trigger "+t[0]+" on "+t[1])
		}
	}
	return found, err
}

// alteredPostgresQuery takes the names of our tables. Each is looked up as in our statements, by
// the search path; all must be in the schema of the first.
const alteredPostgresQuery = `
WITH own AS (
    SELECT n.name, c.oid, c.relkind, c.relnamespace, c.relrowsecurity
    FROM unnest($1::text[]) AS n (name) LEFT JOIN pg_class c ON c.oid = to_regclass(quote_ident(n.name))
)
SELECT 'no table ' || name FROM own WHERE oid IS NULL
UNION ALL SELECT CASE relkind WHEN 'v' THEN 'view' ELSE 'other object' END || ' in place of the table ' || name
    FROM own WHERE relkind <> 'r'
UNION ALL SELECT 'schema ' || relnamespace::regnamespace || ' in place of the table ' || name
    FROM own WHERE relnamespace <> (SELECT relnamespace FROM own WHERE name = $2)
UNION ALL SELECT 'trigger ' || t.tgname || ' on ' || own.name FROM pg_trigger t JOIN own ON own.oid = t.tgrelid WHERE NOT t.tgisinternal
UNION ALL SELECT 'rule ' || r.rulename || ' on ' || own.name FROM pg_rewrite r JOIN own ON own.oid = r.ev_class WHERE own.relkind = 'r'
UNION ALL SELECT 'policy ' || p.polname || ' on ' || own.name FROM pg_policy p JOIN own ON own.oid = p.polrelid
UNION ALL SELECT 'row security on ' || name FROM own WHERE relrowsecurity
UNION ALL SELECT 'inheritance of ' || i.inhrelid::regclass || ' from ' || own.name FROM pg_inherits i JOIN own ON own.oid = i.inhparent
UNION ALL SELECT 'inheritance of ' || own.name || ' from ' || i.inhparent::regclass FROM pg_inherits i JOIN own ON own.oid = i.inhrelid`

func alteredPostgres(ctx context.Context, from querier) ([]string, error) {
	return queryAll(ctx, from, scanText, alteredPostgresQuery, ownTables(), ownTables()[0])
}

func scanPair(row scanner) (pair [2]string, err error) {
	return pair, row.Scan(&pair[0], &pair[1])
}
