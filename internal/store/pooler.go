package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// errPooled: advisory locks, prepared statements and session settings would belong to another
// session in each transaction.
var errPooled = errors.New("store: a connection pooler is in front of the server")

// poolerWithin is how long a statement may take on a connection that is not shared.
const poolerWithin = 15 * time.Second

// direct refuses a pooler in front of the server. One that shares sessions gives a connection
// another session while its first one is in use; one that keeps a session for each client does not
// pass on the parameters.
func (db *DB) direct(ctx context.Context) (err error) {
	config := db.config.Copy()
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // no pooler minds it
	pool := db.server.pool(config, 2, use{})
	defer func() { err = errors.Join(err, pool.Close()) }()
	one, err := inLine{pool}.Conn(ctx)
	if state, _ := sqlState(err); state == "08P01" { // PgBouncer: unsupported startup parameter
		return fmt.Errorf("%w: %w", errPooled, err)
	}
	if err != nil {
		return err
	}
	defer one.Close()
	const session = "SELECT pg_backend_pid()::text || ' ' || pg_postmaster_start_time(), setting " +
		"FROM pg_settings WHERE name = 'statement_timeout'"
	var first, again string
	var timeout string
	if err := one.QueryRowContext(ctx, session).Scan(&first, &timeout); err != nil {
		return err
	}
	if timeout != config.RuntimeParams["statement_timeout"] {
		return errPooled
	}
	other, err := pool.Conn(ctx)
	if crowded(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer other.Close()
	_, err = other.ExecContext(ctx, "BEGIN")
	if state, _ := sqlState(err); state == "08P01" { // PgBouncer: no transactions where statements share connections
		return fmt.Errorf("%w: %w", errPooled, err)
	}
	if err != nil {
		return err
	}
	defer func() { _, undo := other.ExecContext(ctx, "ROLLBACK"); err = errors.Join(err, undo) }()
	var others string
	if err := other.QueryRowContext(ctx, session).Scan(&others, &timeout); err != nil {
		return err
	}
	soon, cancel := context.WithTimeout(ctx, poolerWithin)
	defer cancel()
	if err := one.QueryRowContext(soon, session).Scan(&again, &timeout); err != nil {
		if soon.Err() != nil && ctx.Err() == nil { // it waits for the only connection
			return fmt.Errorf("%w: %w", errPooled, err)
		}
		return err
	}
	if first != again || others == again {
		return errPooled
	}
	return nil
}
