package move

// LeftOut are the tables that are not moved.
var LeftOut = leftOut

// Made are the moved tables in which migrations make rows.
var Made = made

// Plan orders the tables.
func Plan(from, to []Table) ([]Table, error) { return plan(from, to) }
