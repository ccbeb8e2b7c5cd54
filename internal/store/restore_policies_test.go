package store

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/keyward/keyward/internal/schematables"
	"github.com/keyward/keyward/test/must"
)

// TestPolicies: a restore has one policy for every table of the schema, and comes to each after
// those that it refers to.
func TestPolicies(t *testing.T) {
	t.Parallel()
	db := must.Get(OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "keyward.db"), Options{}))(t)
	defer func() { must.OK(t, db.Close()) }()
	place := func(table string) int {
		return slices.IndexFunc(policies, func(p policy) bool { return p.table == table })
	}
	list := must.Get(tablesOf(t.Context(), db.read, onSQLite))(t)
	for _, table := range list {
		at := place(table.Name)
		if at < 0 {
			t.Errorf("no policy says what a restore does with %s: add it in restore_policies.go", table.Name)
			continue
		}
		for _, parent := range table.Parents {
			if parent != table.Name && place(parent) > at {
				t.Errorf("%s comes before %s, to which its rows refer", table.Name, parent)
			}
		}
	}
	for i, p := range policies {
		if p.why == "" || place(p.table) != i {
			t.Errorf("%s has no reason, or two policies", p.table)
		}
		if !slices.ContainsFunc(list, func(t schematables.Table) bool { return t.Name == p.table }) {
			t.Errorf("there is no table %s", p.table)
		}
	}
}
