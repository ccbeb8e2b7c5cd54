package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// statement is one that is sent together with others.
type statement struct {
	text string
	args []any
	scan func(scanner) error // of its one row; nil: it has none that matters
}

// collected are statements without rows that a generated query would have run.
type collected struct {
	sqlcgen.DBTX // none: whatever has rows is run when it is asked for

	list []statement
}

// ExecContext notes a statement.
func (c *collected) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	c.list = append(c.list, statement{text: query, args: args})
	return nil, nil
}

// said is the server's answer to statements that were sent together.
type said struct {
	done    int    // so many of them it has done
	tag     string // of the last without a row: what it did
	warning error  // that it did so with a reservation
}

// atOnce sends statements to PostgreSQL at once, and reads what it says of each in
// their order. It skips those after one that it refuses; whatever scan returns
// comes too late for that.
func atOnce(ctx context.Context, conn *sql.Conn, list ...statement) (answer said, err error) {
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

// batch is the library's form of a list, which notes what is done.
func (s *said) batch(list []statement) *pgx.Batch {
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
