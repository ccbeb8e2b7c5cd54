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
	leadUnable = 30 * time.Second      // that a leader may be without the vault, when another has it
)

var _ system.Election = (*DB)(nil)

// Lead implements system.Election. On SQLite, which one process works on,
// that one leads. On PostgreSQL the leader holds an advisory lock of a session
// of its own; it has the lead for as long as that lasts.
//
// Those who wait, and are able to do the work, share another lock. By that a
// leader that has long been unable learns whether there is somebody better; where
// nobody is, it stays, so that the lead does not go round.
func (db *DB) Lead(ctx context.Context, unable func() time.Duration, led func(context.Context)) error {
	if db.engine == onSQLite {
		led(context.WithoutCancel(ctx))
		return ctx.Err()
	}
	conn, err := db.candidate(ctx)
	if err != nil {
		return asFault("lead", err)
	}
	defer db.letGo(conn)
	c := candidate{conn: conn, within: db.leadWithin, unable: unable}
	if err := c.win(ctx); err != nil {
		return asFault("lead", err)
	}
	held, lose := context.WithCancelCause(context.WithoutCancel(ctx))
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		lose(c.watch(held))
	}()
	led(held)
	lose(nil) // what was lost before stays the cause
	<-watched
	switch cause := context.Cause(held); {
	case errors.Is(cause, system.ErrUnable):
		return cause
	case !errors.Is(cause, context.Canceled):
		return asFault("lead", cause)
	}
	return ctx.Err()
}

// candidate waits for the lead, or has it.
type candidate struct {
	conn   *pgx.Conn
	within time.Duration        // for each answer
	unable func() time.Duration // see system.Election
	shown  bool                 // its session shares lockAble
}

// candidate connects for the lead alone.
func (db *DB) candidate(ctx context.Context) (*pgx.Conn, error) {
	config := db.config.Copy()
	config.ValidateConnect = db.timelines.after(pgconn.ValidateConnectTargetSessionAttrsReadWrite) // a standby knows its own locks only
	config.RuntimeParams["application_name"] += " lead"
	var conn *pgx.Conn
	err := waitOut(ctx, func() error {
		err := db.server.credentials.connect(func() (err error) {
			_ = db.server.credentials.put(ctx, config)
			conn, err = pgx.ConnectConfig(ctx, config)
			return err
		})
		if crowded(err) && db.leads != nil {
			db.leads.refuse()
		}
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w: %w", errLost, readOnlyConnect(err))
	}
	db.leads.took(1)
	return conn, nil
}

// win returns when the lead is taken.
func (c *candidate) win(ctx context.Context) error {
	for look := leadFirst; ; look = min(2*look, leadLook) {
		var taken bool
		err := c.ask(ctx, func(ctx context.Context) (err error) {
			var stands bool
			if stands, err = c.stands(ctx); stands && err == nil {
				taken, err = c.lock(ctx, "SELECT pg_try_advisory_lock($1)", lockLead)
			}
			return err
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

// stands tells whether the lead is to be asked for: by those who are able, and
// by anybody where none is. It shows the others which of them this one is.
func (c *candidate) stands(ctx context.Context) (bool, error) {
	able := c.unable() == 0
	var err error
	switch {
	case able && !c.shown:
		c.shown, err = c.lock(ctx, "SELECT pg_try_advisory_lock_shared($1)", lockAble)
	case !able && c.shown:
		_, err = c.lock(ctx, "SELECT pg_advisory_unlock_shared($1)", lockAble)
		c.shown = false
	}
	if able || err != nil {
		return able, err
	}
	return c.nobodyAble(ctx)
}

// nobodyAble tells whether no other that waits could do the work.
func (c *candidate) nobodyAble(ctx context.Context) (bool, error) {
	return c.lock(ctx, "SELECT pg_try_advisory_xact_lock($1)", lockAble) // until the statement ends
}

// lock asks the server by a statement about a lock.
func (c *candidate) lock(ctx context.Context, statement string, key int64) (done bool, err error) {
	err = c.conn.QueryRow(ctx, statement, key).Scan(&done)
	return done, err
}

// watch returns when the connection is lost, the lead is another's to have, or
// ctx ends. While it waits it reads: what the server says when it ends the
// session, or the end of the stream, comes through at once.
func (c *candidate) watch(ctx context.Context) error {
	for {
		wait, cancel := context.WithTimeout(ctx, leadCheck)
		_, err := c.conn.WaitForNotification(wait)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return fmt.Errorf("%w: %w", errLost, err)
		}
		alone := true
		err = c.ask(ctx, func(ctx context.Context) (err error) {
			if c.unable() < leadUnable {
				return c.conn.Ping(ctx)
			}
			alone, err = c.nobodyAble(ctx)
			return err
		})
		if err != nil {
			return err
		}
		if !alone {
			return system.ErrUnable
		}
	}
}

// ask bounds the wait for an answer.
func (c *candidate) ask(ctx context.Context, question func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, c.within)
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

// letGo ends the session, and with it the lead. A server that is gone need not be
// told.
func (db *DB) letGo(conn *pgx.Conn) {
	defer db.leads.took(-1)
	ctx, cancel := context.WithTimeout(context.Background(), leadAnswer)
	defer cancel()
	_ = conn.Close(ctx)
}
