package store_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/sqlitetest"
	"github.com/keyward/keyward/internal/store/storetest"
	"github.com/keyward/keyward/test/must"
)

// TestSQLite: the suite runs on a later version's schema, which has additions everywhere, as during
// a rolling upgrade.
func TestSQLite(t *testing.T) {
	t.Parallel()
	later := filepath.Join(t.TempDir(), "later.db")
	expand(t, sqlitetest.Put(t, later))
	raw := must.Get(os.ReadFile(later))(t)
	storetest.Run(t, func(t *testing.T) storetest.Engine {
		t.Helper()
		path := filepath.Join(t.TempDir(), "keyward.db")
		must.OK(t, os.WriteFile(path, raw, 0o600))
		return open(t, path, store.Options{Now: func() time.Time { return storetest.Now }})
	})
}

// expand does to a database what a later migration may (see TestMigrationsExpand): adds columns to
// each table, a table, an index.
func expand(t *testing.T, path string) {
	t.Helper()
	db := must.Get(sql.Open("sqlite", path))(t)
	defer func() { must.OK(t, db.Close()) }()
	var statements []string
	for _, table := range tables(t, db) {
		statements = append(statements, "ALTER TABLE "+table+" ADD COLUMN later_text TEXT",
			"ALTER TABLE "+table+" ADD COLUMN later_count BIGINT NOT NULL DEFAULT 0", "CREATE INDEX later_"+table+" ON "+table+" (later_count)")
	}
	if len(statements) < 60 {
		t.Fatalf("%d statements only", len(statements))
	}
	for _, s := range append(statements, "CREATE TABLE later (id BIGINT NOT NULL PRIMARY KEY)",
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, TRUE)") {
		must.Get(db.ExecContext(t.Context(), s))(t)
	}
}

// openNew opens a new database.
func openNew(t *testing.T, opts store.Options) *store.DB {
	t.Helper()
	return open(t, sqlitetest.Put(t, filepath.Join(t.TempDir(), "keyward.db")), opts)
}

func open(t *testing.T, path string, opts store.Options) *store.DB {
	t.Helper()
	db, err := store.OpenSQLite(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func tables(t *testing.T, db *sql.DB) []string {
	t.Helper()
	var names string
	must.OK(t, db.QueryRowContext(t.Context(),
		"SELECT group_concat(name) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'").Scan(&names))
	return strings.Split(names, ",")
}
