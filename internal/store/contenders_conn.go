package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// connect takes a connection out of the pool; here ctx counts.
func (c *contenders) connect(ctx context.Context) (*sql.Conn, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, c.server.patience(), errNoAnswer)
	defer cancel()
	conn, err := c.pool.Conn(bounded)
	switch {
	case err == nil:
		return conn, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case bounded.Err() != nil:
		return nil, fmt.Errorf("%w, or every connection is in use: %w", errNoAnswer, err)
	}
	return nil, readOnlyConnect(err)
}

// forget closes the connections that nobody uses: after one broke, the others
// are likely to be broken too, or to lead to a server that is no primary.
func (c *contenders) forget() {
	c.pool.SetMaxIdleConns(0)
	c.pool.SetMaxIdleConns(c.server.writers())
}

// readOnlyConnect marks the refusal of a server that is not the one which
// target_session_attrs asks for. pgx has no exported error for it.
func readOnlyConnect(err error) error {
	if text := err.Error(); strings.Contains(text, "read only connection") || strings.Contains(text, "server is in standby mode") {
		return fmt.Errorf("%w: %w", errReadOnly, err)
	}
	return err
}

// excludeOthers waits until no other transaction writes, and lets none begin.
// It comes before the transaction, whose view of the data would otherwise be
// that of before the wait.
func excludeOthers(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(lockWriting))
	return err
}

func admitOthers(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", int64(lockWriting))
	return err
}

// command runs a command of transactions and returns what the server says that
// it did.
func command(ctx context.Context, conn *sql.Conn, text string) (tag string, err error) {
	err = conn.Raw(func(raw any) error {
		l, ok := raw.(*link)
		if !ok {
			return fmt.Errorf("store: a connection of type %T", raw)
		}
		done, err := l.Conn.Conn().Exec(ctx, text, pgx.QueryExecModeSimpleProtocol)
		tag = done.String()
		return err
	})
	return tag, err
}
