package move_test

import (
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/test/must"
)

// notMoved are the tables about the database itself, or about copies of the old vault's
// CRL.
const notMoved = "'goose_db_version', 'schema_compatibility', 'locks', 'crl_mark', 'crl_copies'"

// compareRows compares every row of the database with the file's.
func compareRows(t *testing.T, dir string, to target) {
	t.Helper()
	old := must.Get(sql.Open("sqlite", "file:"+filepath.Join(dir, "keyward.db")+"?mode=ro"))(t)
	defer func() { must.OK(t, old.Close()) }()
	now := must.Get(sql.Open("pgx", to.database))(t)
	defer func() { must.OK(t, now.Close()) }()
	tables := rows(t, old, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT IN ("+notMoved+")")
	if len(tables) < 20 {
		t.Errorf("%d tables only", len(tables))
	}
	all := 0
	for _, table := range tables {
		columns := strings.Join(rows(t, old, "SELECT name FROM pragma_table_info('"+table+"') ORDER BY name"), ", ")
		query := "SELECT " + columns + " FROM " + table
		want := rows(t, old, query)
		if table == "settings" {
			query += " WHERE name <> 'move'"
		}
		got := rows(t, now, query)
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the table %s (-before +after):\n%s", table, diff)
		}
		all += len(want)
	}
	t.Logf("%d tables, %d rows", len(tables), all)
}

// rows returns each row as text.
func rows(t *testing.T, db *sql.DB, query string) (list []string) {
	t.Helper()
	found, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { must.OK(t, found.Close()) }()
	values := make([]any, len(must.Get(found.Columns())(t)))
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	for found.Next() {
		must.OK(t, found.Scan(into...))
		var text []string
		for _, v := range values {
			if truth, ok := v.(bool); ok { // SQLite has numbers there
				v = map[bool]int64{true: 1}[truth]
			}
			text = append(text, fmt.Sprint(v))
		}
		list = append(list, strings.Join(text, "|"))
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// compareVaults compares the new vault's documents, CA and CRL with the old one's.
func compareVaults(t *testing.T, dir string, to target) {
	t.Helper()
	old := openSource(t, dir)
	defer func() { must.OK(t, old.Close()) }()
	now := must.Get(remote.Open(t.Context(), to.vault))(t)
	defer func() { must.OK(t, now.Close()) }()
	want, got := documents(t, old, ""), documents(t, now, "")
	maps.DeleteFunc(got, func(path, _ string) bool { return vault.EnginesOwn(path) })
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("%d documents (-before +after):\n%s", len(want), diff)
	}
	before, after := must.Get(licenseIn(t, old).Status(t.Context()))(t), must.Get(licenseIn(t, now).Status(t.Context()))(t)
	if after.Status != license.Valid || after.InstallationID != before.InstallationID || *after.License != *before.License {
		t.Errorf("the license is %+v, and was %+v", after, before)
	}
	cas := must.Get(old.CAs(t.Context()))(t)
	byID := cmpopts.SortSlices(func(a, b vault.CA) bool { return a.ID < b.ID })
	if diff := cmp.Diff(cas, must.Get(now.CAs(t.Context()))(t), byID, cmpopts.EquateEmpty()); diff != "" || len(cas) != 3 {
		t.Errorf("%d CAs (-before +after):\n%s", len(cas), diff)
	}
	var listed, expected []string
	must.OK(t, now.Revoked(t.Context(), func(r vault.Revocation) error { listed = append(listed, r.CA+" "+r.Serial); return nil }))
	must.OK(t, old.Revoked(t.Context(), func(r vault.Revocation) error {
		if r.Serial != "41" { // which has expired
			expected = append(expected, r.CA+" "+r.Serial)
		}
		return nil
	}))
	slices.Sort(listed)
	slices.Sort(expected)
	if diff := cmp.Diff(expected, listed); diff != "" || len(expected) == 0 {
		t.Errorf("%d revocations (-before +after):\n%s", len(expected), diff)
	}
	for _, ca := range cas {
		if len(ca.Chain) == 0 {
			continue
		}
		last, _ := must.Both(old.CRLNumber(t.Context(), ca.ID))(t)
		if after := must.Get(now.CRL(t.Context(), ca.ID))(t).Number; after <= last {
			t.Errorf("the CRL of %s has the number %d, and had %d", ca.ID, after, last)
		}
	}
}

// documents returns each document with its version, by path. The version is ignored for
// names with an underscore, which are Keyward's own, and for the license.
func documents(t *testing.T, kv vault.KV, prefix string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range must.Get(kv.List(t.Context(), prefix))(t) {
		path := strings.TrimPrefix(prefix+"/"+name, "/")
		if folder, ok := strings.CutSuffix(path, "/"); ok {
			for path, text := range documents(t, kv, folder) {
				out[path] = text
			}
			continue
		}
		v := must.Get(kv.Get(t.Context(), path))(t)
		var content map[string]any
		must.OK(t, v.Data.Decode(&content))
		if strings.Contains(path, "_") || strings.HasPrefix(path, "license/") {
			v.Number = 0
		}
		out[path] = fmt.Sprint(v.Number, content)
	}
	return out
}

// contents returns a directory's content, except the mark and SQLite's index of its
// log, which is scratch.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, f := range must.Get(os.ReadDir(dir))(t) {
		if f.Name() != "moved.json" && f.Name() != "keyward.db-shm" {
			out[f.Name()] = string(must.Get(os.ReadFile(filepath.Join(dir, f.Name())))(t))
		}
	}
	return out
}
