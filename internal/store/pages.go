package store

import (
	"context"
	"slices"

	"github.com/keyward/keyward/internal/page"
)

// listed is a list: the columns and tables of its rows, and how to read them.
type listed[T any] struct {
	columns string // "SELECT …"
	table   string // " FROM …", the table whose rows these are
	join    string // " JOIN …", others that give columns, not rows
	id      string // the column that the list is ordered by, newest first
	scan    func(scanner) (T, error)
	number  func(T) int64
}

// page reads a page of the rows that the conditions let through.
func (l listed[T]) page(ctx context.Context, db *DB, operation string, w *where, p page.Request) (page.Page[T], error) {
	return l.sorted(ctx, db, operation, w, order{}, nil, p)
}

// sorted is page in an order; key returns a row's value in it.
func (l listed[T]) sorted(
	ctx context.Context, db *DB, operation string, w *where, o order, key func(T) string, p page.Request,
) (page.Page[T], error) {
	count := db.counted(ctx, l.table, l.join, *w)
	by := o.by(w, l.id, p)
	rows, err := queryAll(ctx, db.read, l.scan,
		l.columns+l.table+l.join+w.String()+by+" LIMIT "+w.arg(p.Limit+1), w.args...)
	return makePage(operation, rows, err, p, l.number, key, count)
}

// makePage is page.Make, or with a key page.MakeSorted, over the result of a query.
func makePage[T any](
	operation string, rows []T, err error, p page.Request, number func(T) int64, key func(T) string,
	count func() (page.Count, error),
) (page.Page[T], error) {
	if err != nil {
		return page.Page[T]{}, asFault(operation, err)
	}
	var out page.Page[T]
	if key == nil {
		out, err = page.Make(rows, p, number, count)
	} else {
		out, err = page.MakeSorted(rows, p, number, key, count)
	}
	return out, asFault(operation, err)
}

// counted returns a function that counts the rows that meet the conditions, on all pages. Only a
// search needs the joined tables: without one, an index alone does.
func (db *DB) counted(ctx context.Context, table, join string, w where) func() (page.Count, error) {
	return func() (page.Count, error) {
		if w.search != "" {
			table += join
		}
		query, args := countQuery(table, w, db.opts.CountTo)
		return db.count(ctx, db.read, query, args)
	}
}

// countQuery counts at most one row above the bound. A search looks at no more rows than that: one
// that finds little would read the whole table.
func countQuery(from string, w where, bound int) (string, []any) {
	matches := "1"
	if w.search != "" {
		matches = "CASE WHEN " + w.search + " THEN 1 ELSE 0 END"
	}
	w.search, w.args = "", slices.Clip(w.args)
	return "SELECT count(*), COALESCE(sum(counted.matches), 0) FROM (SELECT " + matches + " AS matches" + from + w.String() +
		" LIMIT " + w.arg(bound+1) + ") AS counted", w.args
}

// count runs such a query. A partial count is a lower bound.
func (db *DB) count(ctx context.Context, from querier, query string, args []any) (c page.Count, err error) {
	var read int
	err = from.QueryRowContext(ctx, query, args...).Scan(&read, &c.Total)
	c.Total, c.TotalIsExact = min(c.Total, db.opts.CountTo), read <= db.opts.CountTo
	return c, err
}
