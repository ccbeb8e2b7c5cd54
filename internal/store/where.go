package store

import (
	"slices"
	"strconv"
	"strings"

	"github.com/keyward/keyward/internal/access"
)

// where builds the conditions of a list, with only those that the caller
// asked for: a condition of the form "$1 IS NULL OR column = $1" makes SQLite
// read the whole table.
type where struct {
	conditions []string
	search     string // what no index finds
	args       []any
}

// arg adds an argument and returns its placeholder.
func (w *where) arg(v any) string {
	w.args = append(w.args, v)
	return "$" + strconv.Itoa(len(w.args))
}

// is adds a condition without arguments.
func (w *where) is(condition string) { w.conditions = append(w.conditions, condition) }

// compare adds "column operator argument".
func (w *where) compare(column, operator string, v any) {
	w.is(column + " " + operator + " " + w.arg(v))
}

// equal adds an equality that may choose the index.
func (w *where) equal(column string, v any) { w.compare(column, "=", v) }

// number adds an equality on an integer column. Only a strong one may choose the index: the
// planner, which has no statistics, must not read an organization's million rows when the owner's
// five would do.
func (w *where) number(column string, v int64, strong bool) {
	if !strong {
		column = "+" + column
	}
	w.equal(column, v)
}

// text is number for a text column.
func (w *where) text(column, v string, strong bool) {
	if !strong {
		column = "COALESCE(" + column + ", '')"
	}
	w.equal(column, v)
}

// contains adds "one of the folded columns contains q".
func (w *where) contains(q string, columns ...string) {
	pattern := w.arg("%" + escapeLike.Replace(fold(q)) + "%")
	for i, c := range columns {
		columns[i] = c + " LIKE " + pattern + ` ESCAPE '\'`
	}
	w.search = "(" + strings.Join(columns, " OR ") + ")"
}

var escapeLike = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// before adds the keyset condition of a page.
func (w *where) before(column string, id int64) {
	if id != 0 {
		w.compare(column, "<", id)
	}
}

// oneOf adds "column is one of these"; no values match nothing. It repeats the last one until their
// number is a power of eight, so that few texts serve all lists and stay prepared.
func oneOf[T any](w *where, column string, values []T) {
	if len(values) == 0 {
		w.is("FALSE")
		return
	}
	size := 1
	for size < len(values) {
		size *= 8
	}
	marks := make([]string, size)
	for i := range marks {
		marks[i] = w.arg(values[min(i, len(values)-1)])
	}
	w.is(column + " IN (" + strings.Join(marks, ", ") + ")")
}

// String is the WHERE clause with a space before it, or nothing.
func (w *where) String() string {
	conditions := w.conditions
	if w.search != "" {
		conditions = append(slices.Clip(conditions), w.search)
	}
	if len(conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(conditions, " AND ")
}

// columns name what a scope and a filter compare; an empty one matches nothing.
type columns struct{ organization, owner string }

// scope adds what the actor may see, and the caller's own filters by owner
// and organization. With strong it may choose the index: the owner if known,
// else the organization. It returns how far it narrows.
func (w *where) scope(s access.Scope, c columns, owner, organization *int64, strong bool) access.Reach {
	type equality struct {
		column string
		value  int64
	}
	var owners, organizations []equality
	switch s.Reach {
	case access.Everything:
	case access.Organization:
		organizations = append(organizations, equality{c.organization, s.OrganizationID})
	case access.Own:
		if s.UserID == 0 { // an API key owns nothing
			w.is("FALSE")
		}
		owners = append(owners, equality{c.owner, s.UserID})
	default:
		w.is("FALSE")
	}
	if owner != nil {
		owners = append(owners, equality{c.owner, *owner})
	}
	if organization != nil {
		organizations = append(organizations, equality{c.organization, *organization})
	}
	reach := access.Everything
	for _, e := range append(owners, organizations...) {
		if e.column == "" {
			w.is("FALSE")
			continue
		}
		w.number(e.column, e.value, strong && reach == access.Everything)
		if reach == access.Everything {
			reach = access.Organization
		}
		if e.column == c.owner {
			reach = access.Own
		}
	}
	return reach
}
