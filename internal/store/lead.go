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

// How the lead is kept. A leader whose server does not answer gives up within leadCheck and
// leadAnswer; the server frees a vanished leader's lock no earlier than keepalive says, which is
// longer.
const (
	leadFirst  = 10 * time.Millisecond // between the first tries to become the leader: a stopping leader soon frees its lock
	leadLook   = time.Second           // between the later ones
	leadCheck  = 2 * time.Second       // between a leader's looks at its connection
	leadAnswer = 5 * time.Second       // for the server's answer: db.leadWithin
	leadUnable = 30 * time.Second      // for which a leader may lack the vault while another has it
)

var _ system.Election = (*DB)(nil)

// Lead implements system.Election. On SQLite, which only one process uses, that one leads. On
// PostgreSQL the leader holds an advisory lock in a session of its own; it leads for as long as
// that lasts.
//
// Candidates that are able to do the work share another lock. It shows a leader that has long been
// unable whether a better one waits; if not, it stays, so that the lead does not go round.
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
	lose(nil) // an earlier loss stays the cause
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

// candidate connects only for the lead.
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

// win returns once the lead is taken.
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

// stands reports whether to ask for the lead: an able candidate does, and any candidate if none is
// able. It shows the others whether this one is.
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

// nobodyAble reports whether no other candidate could do the work.
func (c *candidate) nobodyAble(ctx context.Context) (bool, error) {
	return c.lock(ctx, "SELECT pg_try_advisory_xact_lock($1)", lockAble) // until the statement ends
}

// lock runs a statement about a lock.
func (c *candidate) lock(ctx context.Context, statement string, key int64) (done bool, err error) {
	err = c.conn.QueryRow(ctx, statement, key).Scan(&done)
	return done, err
}

// watch returns when the connection is lost, another should lead, or ctx ends. It reads while it
// waits, so that the end of the session or of the stream comes through at once.
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

// letGo ends the session, and with it the lead. It does not wait for a server that is gone.
func (db *DB) letGo(conn *pgx.Conn) {
	defer db.leads.took(-1)
	ctx, cancel := context.WithTimeout(context.Background(), leadAnswer)
	defer cancel()
	_ = conn.Close(ctx)
}
