package store

import (
	"context"
	"database/sql"
)

// querier runs queries: statements with the cache, *sql.DB without.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// scanner is a *sql.Row or *sql.Rows.
type scanner interface{ Scan(dest ...any) error }

// queryAll runs a query and scans its rows.
func queryAll[T any](ctx context.Context, s querier, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := s.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// queryOne runs a query for a single row; sql.ErrNoRows when there is none.
func queryOne[T any](ctx context.Context, s querier, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	return scan(s.QueryRowContext(ctx, query, args...))
}
