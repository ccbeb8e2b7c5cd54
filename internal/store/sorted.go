package store

import (
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
)

// sortable is what a list can be sorted by: as an index has it, and so that no index serves.
type sortable struct {
	indexed, plain string
	unique         bool // no two rows share a value
	numbered       bool // by id, in the order of creation
}

// asMade is the order of creation, oldest first.
var asMade = sortable{numbered: true}

// A status or role is textual, too: among equal values SQLite reads the ids in the index up to the
// cursor's, but not the rows (20 ms at 200,000).

// textual and distinct are columns of texts, and of unique texts.
func textual(column string) sortable {
	return sortable{indexed: column, plain: "COALESCE(" + column + ", '')"}
}

func distinct(column string) sortable {
	s := textual(column)
	s.unique = true
	return s
}

// order is a list's order. The zero value is by id, newest first.
type order struct {
	sortable
	column     string // one of its forms
	descending bool
	bare       bool // the order's index can filter, by conditions on the bare columns
}

// orderOf returns the requested order. few: the conditions select few rows and find them, to be
// sorted, instead of searching an index of all. Invalid for a cursor of another order.
//
// SQLite, which has no statistics, must be kept from another index by conditions that fit none; it
// still checks them in the index of the order. PostgreSQL would read each row for them, and chooses
// well without.
func (db *DB) orderOf(sortables map[string]sortable, s page.Sort, few bool, p page.Request) (order, error) {
	name, descending := s.By()
	o := order{sortable: sortables[name], descending: descending}
	o.column = o.indexed
	if few {
		o.column = o.plain
	}
	o.bare = db.engine == onPostgres && o.column != "" && !few
	if p.Before != 0 && p.Sorted != (name != "") {
		return order{}, fault.Invalid(page.BadCursor)
	}
	return o, nil
}

// among is the order of rows that are all equal in the sorted column: by id.
func (o order) among() order { return order{sortable: asMade, descending: o.descending} }

// by adds the keyset condition of a page, and returns its ORDER BY.
func (o order) by(w *where, id string, p page.Request) string {
	if o.numbered && !o.descending {
		if p.Before != 0 {
			w.compare(id, ">", p.Before)
		}
		return " ORDER BY " + id
	}
	if o.column == "" {
		w.before(id, p.Before)
		return " ORDER BY " + id + " DESC"
	}
	direction, beyond := "", " > "
	if o.descending {
		direction, beyond = " DESC", " < "
	}
	if o.unique {
		if p.Before != 0 {
			w.is(o.column + beyond + w.arg(p.After))
		}
		return " ORDER BY " + o.column + direction
	}
	if p.Before != 0 {
		w.is("(" + o.column + ", " + id + ")" + beyond + "(" + w.arg(p.After) + ", " + w.arg(p.Before) + ")")
	}
	return " ORDER BY " + o.column + direction + ", " + id + direction
}
