// Package tables is what a move and a backup know of the schema: its tables by
// name, and which of them refer to which.
package tables

// Table is a table of the schema.
type Table struct {
	Name    string
	Columns []string // sorted
	Parents []string // tables that its rows refer to
}

// ParentsFirst puts tables in an order in which every row finds those that it
// refers to; otherwise they stay as they stand.
func ParentsFirst(list []Table) []Table {
	byName := make(map[string]Table, len(list))
	for _, t := range list {
		byName[t.Name] = t
	}
	order := make([]Table, 0, len(list))
	seen := map[string]bool{}
	var visit func(t Table)
	visit = func(t Table) {
		if t.Name == "" || seen[t.Name] { // a parent that the list does not have has no name
			return
		}
		seen[t.Name] = true
		for _, parent := range t.Parents {
			visit(byName[parent])
		}
		order = append(order, t)
	}
	for _, t := range list {
		visit(t)
	}
	return order
}
