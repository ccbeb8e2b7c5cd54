package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/keyward/keyward/internal/store/sqlcgen"
	"github.com/keyward/keyward/internal/tracing"
)

// statement is one of several that are sent together.
type statement struct {
	text string
	args []any
	scan func(scanner) error // of its one row; nil: it has none that matters
}

// collected are statements without rows that a generated query would have run.
type collected struct {
	sqlcgen.DBTX // nil: queries with rows can't be collected

	list []statement
}

// ExecContext collects a statement.
func (c *collected) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	c.list = append(c.list, statement{text: query, args: args})
	return nil, nil
}

// response is the server's answer to statements that were sent together.
type response struct {
	done    int    // how many of them it executed
	tag     string // command tag of the last without a row
	warning error  // the last warning about one of them
}

// pipeline sends statements to PostgreSQL together, and reads their results in order. The server
// skips those after one that it refuses; an error from scan comes too late for that.
func pipeline(ctx context.Context, conn *sql.Conn, list ...statement) (answer response, err error) {
	ctx, span := tracing.Query(ctx, string(onPostgres), list[len(list)-1].text)
	defer func() { span.End(err) }()
	err = conn.Raw(func(raw any) error {
		l, ok := raw.(*link)
		if !ok {
			return fmt.Errorf("store: a connection of type %T", raw)
		}
		bounded, cancel := l.bound(ctx)
		defer cancel()
		own := l.Conn.Conn().PgConn().CustomData()
		delete(own, warned)
		err := l.Conn.Conn().SendBatch(bounded, answer.batch(list)).Close()
		answer.warning, _ = own[warned].(error)
		return l.explain(ctx, bounded, err)
	})
	return answer, err
}

// batch is the list in pgx's form; it counts what is done.
func (s *response) batch(list []statement) *pgx.Batch {
	batch := &pgx.Batch{}
	for _, each := range list {
		args := make([]any, len(each.args))
		for i, arg := range each.args {
			args[i] = storable(arg)
		}
		queued := batch.Queue(each.text, args...)
		if each.scan == nil {
			queued.Exec(func(tag pgconn.CommandTag) error {
				s.done, s.tag = s.done+1, tag.String()
				return nil
			})
			continue
		}
		queued.QueryRow(func(row pgx.Row) error {
			if err := each.scan(row); err != nil {
				return err
			}
			s.done++
			return nil
		})
	}
	return batch
}

// warned is where a connection keeps the server's last warning.
const warned = "warned"

// keepWarning implements pgconn.NoticeHandler.
func keepWarning(conn *pgconn.PgConn, n *pgconn.Notice) {
	if n.SeverityUnlocalized == "WARNING" {
		conn.CustomData()[warned] = (*pgconn.PgError)(n)
	}
}
