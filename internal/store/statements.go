package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"github.com/keyward/keyward/internal/store/sqlcgen"
	"github.com/keyward/keyward/internal/tracing"
)

// maxStatements bounds the cache. The texts are those of the generated queries and the combinations
// of filters, far fewer; only a bug gets near it, and then statements run unprepared.
const maxStatements = 512

// statements runs every statement prepared, and prepares each text once:
// with this driver, parsing costs several times what a point query does.
type statements struct {
	base     sqlcgen.DBTX
	engine   engine
	mu       sync.RWMutex
	prepared map[string]*sql.Stmt // nil where the driver does it
}

func newStatements(base sqlcgen.DBTX) *statements {
	return &statements{base: base, engine: onSQLite, prepared: map[string]*sql.Stmt{}}
}

// unprepared leaves preparing to the driver: pgx does so on each connection.
func unprepared(on engine, base sqlcgen.DBTX) *statements { return &statements{base: base, engine: on} }

// get returns nil if the statement must run unprepared, which then also reports what is wrong with
// it.
func (s *statements) get(ctx context.Context, query string) *sql.Stmt {
	if s.prepared == nil {
		return nil
	}
	s.mu.RLock()
	stmt, full := s.prepared[query], len(s.prepared) >= maxStatements
	s.mu.RUnlock()
	if stmt != nil || full {
		return stmt
	}
	fresh, err := s.base.PrepareContext(ctx, query)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stmt := s.prepared[query]; stmt != nil {
		_ = fresh.Close() // another call was faster; nothing runs on this one
		return stmt
	}
	s.prepared[query] = fresh
	return fresh
}

// ExecContext runs a statement without rows.
func (s *statements) ExecContext(ctx context.Context, query string, args ...any) (result sql.Result, err error) {
	ctx, span := tracing.Query(ctx, string(s.engine), query)
	defer func() { span.End(err) }()
	if stmt := s.get(ctx, query); stmt != nil {
		return stmt.ExecContext(ctx, args...)
	}
	return s.base.ExecContext(ctx, query, args...)
}

// QueryContext runs a statement with rows.
func (s *statements) QueryContext(ctx context.Context, query string, args ...any) (rows *sql.Rows, err error) {
	ctx, span := tracing.Query(ctx, string(s.engine), query)
	defer func() { span.End(err) }()
	if stmt := s.get(ctx, query); stmt != nil {
		return stmt.QueryContext(ctx, args...)
	}
	return s.base.QueryContext(ctx, query, args...)
}

// QueryRowContext runs a statement with at most one row.
func (s *statements) QueryRowContext(ctx context.Context, query string, args ...any) (row *sql.Row) {
	ctx, span := tracing.Query(ctx, string(s.engine), query)
	defer func() { span.End(row.Err()) }()
	if stmt := s.get(ctx, query); stmt != nil {
		return stmt.QueryRowContext(ctx, args...)
	}
	return s.base.QueryRowContext(ctx, query, args...)
}

// close closes the statements. Those of a pool go with its connections; those of one connection its
// user must close (database/sql): while one is open, SQLite keeps the connection, and with it the
// write-ahead log.
func (s *statements) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, stmt := range s.prepared {
		errs = append(errs, stmt.Close())
	}
	clear(s.prepared)
	return errors.Join(errs...)
}

// PrepareContext prepares without the cache.
func (s *statements) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	return s.base.PrepareContext(ctx, query)
}
