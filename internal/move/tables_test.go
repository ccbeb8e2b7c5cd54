package move_test

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/keyward/keyward/internal/move"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/sqlitetest"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// TestEveryTable: each table of the schema is either moved, after those it refers
// to, or named in leftOut; and nothing else is named.
func TestEveryTable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyward.db")
	sqlitetest.Put(t, path)
	old := must.Get(store.OpenSQLiteReader(t.Context(), path))(t)
	defer func() { must.OK(t, old.Close()) }()
	target := must.Get(store.OpenPostgres(t.Context(), store.Server{URL: secret.New(engine.Postgres(t))}, store.Options{}))(t)
	defer func() { must.OK(t, target.Close()) }()
	from, to := must.Get(old.MoveTables(t.Context()))(t), must.Get(target.MoveTables(t.Context()))(t)
	order := must.Get(move.Plan(from, to))(t)

	seen := map[string]bool{}
	for _, table := range order {
		if seen[table.Name] {
			t.Errorf("%s is moved twice", table.Name)
		}
		seen[table.Name] = true
		for _, parent := range table.Parents {
			if parent != table.Name && !seen[parent] {
				t.Errorf("%s is moved before %s, to which it refers", table.Name, parent)
			}
		}
	}
	leftOut := []string{"crl_copies", "crl_mark", "goose_db_version", "locks", "schema_compatibility"}
	if named := slices.Sorted(maps.Keys(move.LeftOut)); !slices.Equal(named, leftOut) {
		t.Errorf("%q are named as left out, should be %q", named, leftOut)
	}
	var names []string
	for _, table := range from {
		names = append(names, table.Name)
		if seen[table.Name] == slices.Contains(leftOut, table.Name) {
			t.Errorf("%s: moved %v, left out because %q", table.Name, seen[table.Name], move.LeftOut[table.Name])
		}
		n := must.Get(target.CountRows(t.Context(), table.Name))(t)
		if named := slices.Contains(leftOut, table.Name) || slices.Contains(move.Made, table.Name); n > 0 && !named {
			t.Errorf("migrations make %d rows in %s: name it among the made ones, or say why it is left out", n, table.Name)
		}
	}
	for _, name := range leftOut {
		if !slices.Contains(names, name) {
			t.Errorf("%s is left out, and no table", name)
		}
	}
	for _, name := range move.Made {
		if !seen[name] {
			t.Errorf("%s is named as made, and not moved", name)
		}
	}
}

// TestOtherSchemas: nothing is moved between schemas that differ.
func TestOtherSchemas(t *testing.T) {
	t.Parallel()
	from := []move.Table{{Name: "users", Columns: []string{"id", "name"}}, {Name: "tokens", Columns: []string{"id"}}}
	for name, to := range map[string][]move.Table{
		"a column less": {{Name: "users", Columns: []string{"id"}}, from[1]},
		"a table less":  {from[0]},
		"a table more":  {from[0], from[1], {Name: "more"}},
	} {
		if order, err := move.Plan(from, to); err == nil {
			t.Errorf("%s: %v", name, order)
		}
	}
}
