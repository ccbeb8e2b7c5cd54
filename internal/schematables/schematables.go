// Package schematables is what a move and a backup know about the schema: its tables
// by name, and which refer to which.
package schematables

// Table is a table of the schema.
type Table struct {
	Name    string
	Columns []string // sorted
	Parents []string // tables that its rows refer to
}

// TopologicalOrder sorts tables so that every row's references exist before it;
// otherwise it keeps their order.
func TopologicalOrder(list []Table) []Table {
	byName := make(map[string]Table, len(list))
	for _, t := range list {
		byName[t.Name] = t
	}
	order := make([]Table, 0, len(list))
	seen := map[string]bool{}
	var visit func(t Table)
	visit = func(t Table) {
		if t.Name == "" || seen[t.Name] { // a parent missing in the list has no name
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
