package sqldump_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup/sqldump"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/sqlitetest"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

var size = storebench.Size{
	Organizations: 3, Users: 20, Devices: 30, Sessions: 10,
	Certificates: 200, Releases: 40, Audit: 2500, Now: 1_780_000_000_000_000,
}

// odd is a text with everything that some quoting might misinterpret.
// (The sqlite3 program, not ours, drops a carriage return before the end of a line.)
const odd = "it's \"odd\"\\'; -- $1 ? %s\r\t\n$$ E'\\x41' 漢字 🔑 "

// filled is a database file with rows of many kinds.
func filled(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "keyward.db")
	must.OK(t, storebench.Fill(t.Context(), path, size))
	db := must.Get(store.OpenSQLite(t.Context(), path, store.Options{}))(t)
	must.OK(t, db.AppendAudit(t.Context(), audit.Entry{Action: "odd.text", Outcome: audit.Success, Actor: odd, Details: odd}))
	must.OK(t, db.Close())
	return path
}

func open(t *testing.T, path string) *store.DB {
	t.Helper()
	db := must.Get(store.OpenSQLiteReader(t.Context(), path))(t)
	t.Cleanup(func() { must.OK(t, db.Close()) })
	return db
}

// worthKeeping reports tables that a restored database does not create itself.
func worthKeeping(table string) bool {
	return !slices.Contains([]string{"goose_db_version", "schema_compatibility", "locks", "crl_mark"}, table)
}

func dump(t *testing.T, db *store.DB) string {
	t.Helper()
	var out bytes.Buffer
	rows := must.Get(db.Dump(t.Context(), &out, worthKeeping))(t)
	for table, n := range rows {
		if got := int64(strings.Count(out.String(), `INSERT INTO "`+table+`" (`)); got != n {
			t.Errorf("%d rows of %s are said to be %d", got, table, n)
		}
	}
	if rows["audit_entries"] < int64(size.Audit) || rows["goose_db_version"] != 0 {
		t.Fatalf("only %v rows", rows)
	}
	return out.String()
}

// withoutMade precedes a dump whose rows are executed instead of loaded: a migration
// created a row in this table.
const withoutMade = "DELETE FROM webhook_cursor;\n"

// sorted returns the rows of a dump, in an order independent of the engine, and its last ids.
func sorted(t *testing.T, dump string) []string {
	t.Helper()
	r := must.Get(sqldump.NewReader(strings.NewReader(dump)))(t)
	var list []string
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must.OK(t, err)
		list = append(list, fmt.Sprintf("%s %q %#v", row.Table, row.Columns, row.Values))
	}
	for table, id := range r.LastIDs() {
		list = append(list, fmt.Sprint("last id ", table, id))
	}
	slices.Sort(list)
	return list
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d rows, want %d", what, len(got), len(want))
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s: a row is\n%s\nwant\n%s", what, got[i], want[i])
			return
		}
	}
}

// contents returns the tables of a dump, as "table column,column rows".
func contents(t *testing.T, dump string) []string {
	t.Helper()
	r := must.Get(sqldump.NewReader(strings.NewReader(dump)))(t)
	columns, rows := map[string]string{}, map[string]int{}
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must.OK(t, err)
		columns[row.Table] = strings.Join(slices.Sorted(slices.Values(row.Columns)), ",")
		rows[row.Table]++
	}
	var list []string
	for table, n := range rows {
		list = append(list, fmt.Sprint(table, " ", columns[table], " ", n))
	}
	slices.Sort(list)
	return list
}

// program runs a query in an engine's own program.
type program func(query string) string

func sqlite3(t *testing.T, path string) program {
	t.Helper()
	return func(query string) string { return run(t, query, "sqlite3", "-bail", path) }
}

func psql(t *testing.T, url string) program {
	t.Helper()
	return func(query string) string {
		return run(t, query, "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", url)
	}
}

// contents returns what the program finds, in tables that have rows.
func (p program) contents(t *testing.T, tables, columns string) (list []string) {
	t.Helper()
	for _, table := range strings.Fields(p(tables)) {
		if !worthKeeping(table) {
			continue
		}
		rows := strings.TrimSpace(p("SELECT count(*) FROM " + table))
		if rows != "0" {
			list = append(list, table+" "+strings.Join(strings.Fields(p(fmt.Sprintf(columns, table))), ",")+" "+rows)
		}
	}
	slices.Sort(list)
	if len(list) < 7 {
		t.Fatalf("rows in %q only", list)
	}
	return list
}

// Queries for the programs.
const (
	sqliteTables    = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
	sqliteColumns   = "SELECT name FROM pragma_table_info('%s') ORDER BY name"
	sqliteOdd       = "SELECT lower(hex(actor)), lower(hex(details)) FROM audit_entries WHERE action = 'odd.text'"
	postgresTables  = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
	postgresColumns = `SELECT attname FROM pg_attribute WHERE attrelid = '%s'::regclass AND attnum > 0 ORDER BY attname COLLATE "C"`
	postgresOdd     = `SELECT encode(convert_to(actor, 'UTF8'), 'hex'), encode(convert_to(details, 'UTF8'), 'hex')
		FROM audit_entries WHERE action = 'odd.text'`
)

// TestBothWays: a dump of one engine loads into the other with the same content; the
// engines' own programs read it, too, and agree before and after.
func TestBothWays(t *testing.T) {
	t.Parallel()
	file := filled(t)
	truth := sqlite3(t, file).contents(t, sqliteTables, sqliteColumns)
	asItIs := fmt.Sprintf("%x|%x\n", odd, odd)
	old := dump(t, open(t, file))
	same(t, "dumped", contents(t, old), truth)
	want := sorted(t, old)
	withoutIDs := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return strings.HasPrefix(s, "last id ") })
	if len(want)-len(withoutIDs) < 5 {
		t.Fatalf("it tells %d last ids", len(want)-len(withoutIDs))
	}

	loaded := filepath.Join(t.TempDir(), "loaded.db")
	must.OK(t, store.LoadDump(t.Context(), loaded, must.Get(sqldump.NewReader(strings.NewReader(old)))(t), restore.Judge{AnyTime: true}))
	same(t, "loaded", sorted(t, dump(t, open(t, loaded))), want)
	same(t, "loaded, as sqlite3 has it", sqlite3(t, loaded).contents(t, sqliteTables, sqliteColumns), truth)
	if got := sqlite3(t, loaded)(sqliteOdd); got != asItIs {
		t.Errorf("loaded: the odd text is %s, want %s", got, asItIs)
	}

	t.Run("sqlite3", func(t *testing.T) {
		t.Parallel()
		path := sqlitetest.Put(t, filepath.Join(t.TempDir(), "keyward.db"))
		run(t, withoutMade+old, "sqlite3", "-bail", path)
		same(t, "sqlite3", sorted(t, dump(t, open(t, path))), want)
		same(t, "as sqlite3 has it", sqlite3(t, path).contents(t, sqliteTables, sqliteColumns), truth)
		if got := sqlite3(t, path)(sqliteOdd); got != asItIs {
			t.Errorf("the odd text is %s, want %s", got, asItIs)
		}
	})
	t.Run("psql", func(t *testing.T) {
		t.Parallel()
		url := engine.Postgres(t)
		run(t, withoutMade+old, "psql", "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", url)
		same(t, "as psql has it", psql(t, url).contents(t, postgresTables, postgresColumns), truth)
		if got := psql(t, url)(postgresOdd); got != asItIs {
			t.Errorf("the odd text is %s, want %s", got, asItIs)
		}
		db := must.Get(store.OpenPostgres(t.Context(), server(url), store.Options{}))(t)
		defer func() { must.OK(t, db.Close()) }()
		there := dump(t, db)
		same(t, "psql", slices.DeleteFunc(sorted(t, there), func(s string) bool { return strings.HasPrefix(s, "last id ") }), withoutIDs)

		back := filepath.Join(t.TempDir(), "back.db")
		must.OK(t, store.LoadDump(t.Context(), back, must.Get(sqldump.NewReader(strings.NewReader(there)))(t), restore.Judge{AnyTime: true}))
		same(t, "and back", sorted(t, dump(t, open(t, back))), want)
	})
}

func server(url string) store.Server { return store.Server{URL: secret.New(url)} }

// run pipes a text through a program of others.
func run(t *testing.T, input, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
	return string(out)
}

// TestOneMoment: changes during a dump are not in it, on either engine, and nothing blocks.
func TestOneMoment(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() *store.DB{
		"sqlite": func() *store.DB {
			return must.Get(store.OpenSQLite(t.Context(), filled(t), store.Options{}))(t)
		},
		"postgresql": func() *store.DB {
			url := engine.Postgres(t)
			must.OK(t, storebench.FillPostgres(t.Context(), url, size))
			return must.Get(store.OpenPostgres(t.Context(), server(url), store.Options{}))(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open()
			defer func() { must.OK(t, db.Close()) }()
			before := sorted(t, dump(t, db))
			var out bytes.Buffer
			slow := &meanwhile{to: &out, do: func() error {
				return db.AppendAudit(t.Context(), audit.Entry{Action: "too.late", Outcome: audit.Success})
			}}
			must.Get(db.Dump(t.Context(), slow, worthKeeping))(t)
			if slow.parts < 5 {
				t.Fatalf("it was written in %d parts", slow.parts)
			}
			// Ids are assigned meanwhile, so last ids may be higher.
			withoutIDs := func(list []string) []string {
				return slices.DeleteFunc(list, func(s string) bool { return strings.HasPrefix(s, "last id ") })
			}
			same(t, "while others wrote", withoutIDs(sorted(t, out.String())), withoutIDs(before))
			if after := sorted(t, dump(t, db)); len(after) != len(before)+slow.parts {
				t.Errorf("%d rows, %d before, %d were added", len(after), len(before), slow.parts)
			}
			closed, end := context.WithCancel(t.Context())
			end()
			if _, err := db.Dump(closed, io.Discard, worthKeeping); !errors.Is(err, context.Canceled) {
				t.Errorf("given up: %v", err)
			}
			full := errors.New("full")
			if _, err := db.Dump(t.Context(), failingWriter{full}, worthKeeping); !errors.Is(err, full) {
				t.Errorf("the disk is full: %v", err)
			}
		})
	}
}

// meanwhile does something before each part that is written.
type meanwhile struct {
	to    io.Writer
	do    func() error
	parts int
}

func (m *meanwhile) Write(p []byte) (int, error) {
	m.parts++
	if err := m.do(); err != nil {
		return 0, err
	}
	return m.to.Write(p)
}
