package move

import (
	"fmt"
	"slices"

	"github.com/keyward/keyward/internal/schematables"
)

// leftOut are the tables that are not moved, each with the reason.
var leftOut = map[string]string{
	"goose_db_version":     "each database's own record of its migrations",
	"schema_compatibility": "made by the migrations: it is about the schema",
	"locks":                "made by the migrations: rows to lock, without content",
	"crl_mark":             "counts what servers of one remote vault carried to it; there were none",
	"crl_copies":           "copies of the old vault's CRL; the first server fetches the new one's",
}

// made are the moved tables in which migrations create rows, which the source's replace.
var made = []string{"webhook_cursor"}

// emptyBefore returns the tables that have no rows before a move.
func emptyBefore(list []Table) (names []string) {
	for _, t := range list {
		if leftOut[t.Name] == "" && !slices.Contains(made, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

// plan orders the tables so that every row comes after those it refers to. Both
// schemas must be the same.
func plan(from, to []Table) ([]Table, error) {
	byName := map[string]Table{}
	for _, t := range from {
		byName[t.Name] = t
	}
	for _, t := range to {
		old, ok := byName[t.Name]
		if leftOut[t.Name] == "" && (!ok || !slices.Equal(old.Columns, t.Columns)) {
			return nil, fmt.Errorf("the table %s of the target differs from the source's: update both with keyward migrate", t.Name)
		}
	}
	if len(to) != len(from) {
		return nil, fmt.Errorf("the target has %d tables, the source %d: update both with keyward migrate", len(to), len(from))
	}
	return slices.DeleteFunc(schematables.TopologicalOrder(from), func(t Table) bool { return leftOut[t.Name] != "" }), nil
}
