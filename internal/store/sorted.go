package store

import (
	"context"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
)

// sortable is what a list can be sorted by: as an index has it, and so that no
// index serves.
type sortable struct {
	indexed, plain string
	unique         bool // no two rows are alike in it
}

// textual and distinct are columns of texts, and of texts that only one row has.
func textual(column string) sortable {
	return sortable{indexed: column, plain: "COALESCE(" + column + ", '')"}
}

func distinct(column string) sortable {
	s := textual(column)
	s.unique = true
	return s
}

// order is that of a list. The zero value is by id, newest first.
type order struct {
	sortable
	column     string // one of its forms
	descending bool
	last       any // the value of the row that the page before ended with; nil on a first page
}

// orderOf is the order that is asked for. few: what the conditions let through
// is little and found by them; it is sorted, instead of being looked for
// along an index of all.
func orderOf(sortables map[string]sortable, s page.Sort, few bool) order {
	name, descending := s.By()
	o := order{sortable: sortables[name], descending: descending}
	o.column = o.indexed
	if few {
		o.column = o.plain
	}
	return o
}

// from finds where the page before ended. Outside the scope that is nowhere: a
// cursor tells nothing of others.
func (o *order) from(ctx context.Context, db *DB, table, id string, c columns, scope access.Scope, p page.Request) error {
	if o.column == "" || p.Before == 0 {
		return nil
	}
	w := &where{}
	w.equal(id, p.Before)
	w.scope(scope, c, nil, nil, false)
	scan := func(row scanner) (v any, err error) {
		err = row.Scan(&v)
		if raw, is := v.([]byte); is {
			v = string(raw)
		}
		return v, err
	}
	last, err := queryOne(ctx, db.read, scan, "SELECT "+o.column+table+w.String(), w.args...)
	if none(err) {
		return fault.Invalid(page.BadCursor)
	}
	o.last = last
	return err
}

// by adds the keyset condition of a page, and gives its ORDER BY.
func (o order) by(w *where, id string, p page.Request) string {
	if o.column == "" {
		w.before(id, p.Before)
		return " ORDER BY " + id + " DESC"
	}
	direction, beyond := "", " > "
	if o.descending {
		direction, beyond = " DESC", " < "
	}
	if o.unique {
		if o.last != nil {
			w.is(o.column + beyond + w.arg(o.last))
		}
		return " ORDER BY " + o.column + direction
	}
	if o.last != nil {
		w.is("(" + o.column + ", " + id + ")" + beyond + "(" + w.arg(o.last) + ", " + w.arg(p.Before) + ")")
	}
	return " ORDER BY " + o.column + direction + ", " + id + direction
}
