package store_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/internal/store/sqlitetest"
	"github.com/keyward/keyward/test/must"
)

// alteration is a change of the schema, how SchemaTampering and CompareSchema report it, and how
// it is undone.
type alteration struct {
	do      []string
	altered []string
	// what CompareSchema reports besides
	different []string
	others    []string
	undo      []string
}

// TestAltered: each kind of change to our tables is reported, and no longer once undone. Foreign
// objects beside our tables are left alone.
func TestAltered(t *testing.T) {
	t.Parallel()
	both := []alteration{
		{
			do: []string{"CREATE TABLE guests (name TEXT)", "CREATE VIEW admins AS SELECT * FROM users",
				"CREATE INDEX guests_i ON guests (name)"},
			others: []string{"table guests", "view admins"}, undo: []string{"DROP TABLE guests", "DROP VIEW admins"},
		},
		{
			do:     []string{"CREATE INDEX slow ON audit_entries (reason)"},
			others: []string{"index slow"}, undo: []string{"DROP INDEX slow"},
		},
		{
			do:        []string{"CREATE UNIQUE INDEX once ON audit_entries (actor)"},
			different: []string{"index once is not Keyward's"}, undo: []string{"DROP INDEX once"},
		},
		{
			do: []string{"DROP INDEX users_role"}, different: []string{"index users_role is missing"},
			undo: []string{"CREATE INDEX users_role ON users (role, id)"},
		},
		{
			do:      []string{"ALTER TABLE locks RENAME TO locks_", "CREATE VIEW locks AS SELECT * FROM locks_"},
			altered: []string{"view in place of the table locks"},
			undo:    []string{"DROP VIEW locks", "ALTER TABLE locks_ RENAME TO locks"},
		},
		{
			do: []string{"ALTER TABLE locks RENAME TO locks_"}, altered: []string{"no table locks"},
			undo: []string{"ALTER TABLE locks_ RENAME TO locks"},
		},
	}
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		path := sqlitetest.Put(t, filepath.Join(t.TempDir(), "keyward.db"))
		writer := must.Get(sql.Open("sqlite", path+"?_pragma=busy_timeout(5000)"))(t)
		holdAltered(t, open(t, path, store.Options{}), writer, append(both, []alteration{
			{
				do:     []string{"CREATE TABLE guests (name TEXT)", "CREATE TRIGGER busy AFTER INSERT ON guests BEGIN SELECT 1; END"},
				others: []string{"table guests"}, undo: []string{"DROP TABLE guests"},
			},
			{
				do:      []string{"CREATE TRIGGER quiet BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(IGNORE); END"},
				altered: []string{"trigger quiet on audit_entries"}, undo: []string{"DROP TRIGGER quiet"},
			},
			{
				do:      []string{"CREATE TRIGGER quiet AFTER UPDATE ON Sessions BEGIN DELETE FROM sessions; END"},
				altered: []string{"trigger quiet on Sessions"}, undo: []string{"DROP TRIGGER quiet"},
			},
			{
				do:        []string{"ALTER TABLE users ADD COLUMN more TEXT"},
				different: []string{"table users is defined otherwise"}, undo: []string{"ALTER TABLE users DROP COLUMN more"},
			},
		}...))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		url := postgrestest.Empty(t)
		writer := must.Get(sql.Open("pgx", url))(t)
		writer.SetMaxOpenConns(1)
		var me string
		db := openPostgres(t, url, store.Options{})
		must.OK(t, writer.QueryRowContext(t.Context(), "SELECT current_user").Scan(&me))
		holdAltered(t, db, writer, append(both, []alteration{
			{
				do: []string{"CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
					"CREATE TABLE guests (name TEXT)", "CREATE TRIGGER busy BEFORE INSERT ON guests EXECUTE FUNCTION nothing()"},
				others: []string{"function nothing", "table guests"}, undo: []string{"DROP TABLE guests"},
			},
			{
				do:      []string{"CREATE TRIGGER quiet BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION nothing()"},
				altered: []string{"trigger quiet on audit_entries"}, others: []string{"function nothing"},
				undo: []string{"DROP TRIGGER quiet ON audit_entries", "DROP FUNCTION nothing"},
			},
			{
				do:      []string{"CREATE RULE quiet AS ON DELETE TO audit_entries DO INSTEAD NOTHING"},
				altered: []string{"rule quiet on audit_entries"}, undo: []string{"DROP RULE quiet ON audit_entries"},
			},
			{
				do:      []string{"CREATE POLICY mine ON users USING (TRUE)", "ALTER TABLE users ENABLE ROW LEVEL SECURITY"},
				altered: []string{"policy mine on users", "row security on users"},
				undo:    []string{"ALTER TABLE users DISABLE ROW LEVEL SECURITY", "DROP POLICY mine ON users"},
			},
			{
				do:      []string{"CREATE TABLE more () INHERITS (users)"},
				altered: []string{"inheritance of more from users"}, others: []string{"table more"}, undo: []string{"DROP TABLE more"},
			},
			{
				do:      []string{"CREATE SCHEMA other", "ALTER TABLE locks SET SCHEMA other"},
				altered: []string{"no table locks"}, undo: []string{"ALTER TABLE other.locks SET SCHEMA public", "DROP SCHEMA other"},
			},
			{ // the search path looks there first
				do:      []string{"CREATE SCHEMA AUTHORIZATION CURRENT_USER", "CREATE TABLE " + me + ".sessions AS SELECT * FROM sessions"},
				altered: []string{"schema " + me + " in place of the table sessions"}, undo: []string{"DROP SCHEMA " + me + " CASCADE"},
			},
			{
				do:        []string{"ALTER TABLE users ADD COLUMN more TEXT DEFAULT 'x'"},
				different: []string{"column users.more is not Keyward's"}, undo: []string{"ALTER TABLE users DROP COLUMN more"},
			},
			{
				do:        []string{"ALTER TABLE audit_entries SET UNLOGGED"},
				different: []string{"table audit_entries is defined otherwise"}, undo: []string{"ALTER TABLE audit_entries SET LOGGED"},
			},
			{
				do:        []string{"ALTER TABLE users ALTER role SET DEFAULT 'admin'", "ALTER TABLE hwkeys ADD CONSTRAINT one CHECK (id < 1000000)"},
				different: []string{"column users.role is defined otherwise", "constraint hwkeys.one is not Keyward's"},
				undo:      []string{"ALTER TABLE users ALTER role DROP DEFAULT", "ALTER TABLE hwkeys DROP CONSTRAINT one"},
			},
		}...))
	})
}

func holdAltered(t *testing.T, db *store.DB, writer *sql.DB, list []alteration) {
	t.Helper()
	defer func() { must.OK(t, writer.Close()) }()
	altered := func(when any, want []string) {
		t.Helper()
		if got := must.Get(db.SchemaTampering(t.Context()))(t); !slices.Equal(got, want) {
			t.Errorf("%v: altered %q, want %q", when, got, want)
		}
	}
	compare := func(when any, a alteration) {
		t.Helper()
		r := must.Get(db.CompareSchema(t.Context()))(t)
		for _, want := range append(a.altered, a.different...) {
			if !slices.Contains(r.Different, want) {
				t.Errorf("%v: different %q, want %q", when, r.Different, want)
			}
		}
		if len(a.altered)+len(a.different) == 0 && len(r.Different) > 0 {
			t.Errorf("%v: different %q", when, r.Different)
		}
		if a.others != nil && !slices.Equal(r.Others, a.others) || r.Newer {
			t.Errorf("%v: others %q, want %q", when, r.Others, a.others)
		}
	}
	exec := func(statements []string) {
		t.Helper()
		for _, s := range statements {
			must.Get(writer.ExecContext(t.Context(), s))(t)
		}
	}
	altered("at first", nil)
	for _, a := range list {
		exec(a.do)
		altered(a.do, a.altered)
		compare(a.do, a)
		exec(a.undo)
		altered(a.undo, nil)
	}
	compare("at the end", alteration{others: []string{}})
}
