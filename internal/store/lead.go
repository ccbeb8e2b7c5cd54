package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/keyward/keyward/internal/system"
)

// How the lead is looked after. A leader whose server does not answer gives
// up within leadCheck and leadAnswer; the server frees the lock of one that is
// gone no earlier than keepalive says, which is longer.
const (
	leadFirst  = 10 * time.Millisecond // between the first tries to become the leader: one that stops frees its lock soon
	leadLook   = time.Second           // between the later ones
	leadCheck  = 2 * time.Second       // between a leader's looks at its connection
	leadAnswer = 5 * time.Second       // for the server's answer: db.leadWithin
)

var _ system.Election = (*DB)(nil)

// Lead implements system.Election. On SQLite, which one process works on,
// that one leads. On PostgreSQL the leader holds an advisory lock of a session
// of its own; it has the lead for as long as that lasts.
func (db *DB) Lead(ctx context.Context, led func(context.Context)) error {
	if db.engine == onSQLite {
		led(context.WithoutCancel(ctx))
		return ctx.Err()
	}
	conn, err := db.candidate(ctx)
	if err != nil {
		return asFault("lead", err)
	}
	defer closeQuietly(conn)
	if err := db.win(ctx, conn); err != nil {
		return asFault("lead", err)
	}
	held, lose := context.WithCancelCause(context.WithoutCancel(ctx))
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		lose(db.watch(held, conn))
	}()
	led(held)
	lose(nil) // what was lost before stays the cause
	<-watched
	if cause := context.Cause(held); !errors.Is(cause, context.Canceled) {
		return asFault("lead", cause)
	}
	return ctx.Err()
}

// candidate connects for the lead alone.
func (db *DB) candidate(ctx context.Context) (*pgx.Conn, error) {
	config := db.config.Copy()
	config.ValidateConnect = db.timelines.after(pgconn.ValidateConnectTargetSessionAttrsReadWrite) // a standby knows its own locks only
	config.RuntimeParams["application_name"] += " lead"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w: %w", errLost, readOnlyConnect(err))
	}
	return conn, nil
}

// win returns when the lead is taken.
func (db *DB) win(ctx context.Context, conn *pgx.Conn) error {
	for look := leadFirst; ; look = min(2*look, leadLook) {
		var taken bool
		err := db.ask(ctx, func(ctx context.Context) error {
			return conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(lockLead)).Scan(&taken)
		})
		if err != nil || taken {
			return err
		}
		select {
		case <-time.After(look):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// watch returns when the connection is lost, or ctx ends. While it waits it
// reads: what the server says when it ends the session, or the end of the
// stream, comes through at once.
func (db *DB) watch(ctx context.Context, conn *pgx.Conn) error {
	for {
		wait, cancel := context.WithTimeout(ctx, leadCheck)
		_, err := conn.WaitForNotification(wait)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return fmt.Errorf("%w: %w", errLost, err)
		}
		err = db.ask(ctx, func(ctx context.Context) error { return conn.Ping(ctx) })
		if err != nil {
			return err
		}
	}
}

// ask bounds the wait for an answer.
func (db *DB) ask(ctx context.Context, question func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, db.leadWithin)
	defer cancel()
	err := question(bounded)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: %w", errLost, err)
	}
	return nil
}

// closeQuietly ends the session, and with it the lead. A server that is gone
// need not be told.
func closeQuietly(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), leadAnswer)
	defer cancel()
	_ = conn.Close(ctx)
}
