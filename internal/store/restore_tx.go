package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

const (
	// restoreWithin bounds a restore of the database: the limit of a job.
	restoreWithin = 2 * time.Hour
	// restoreBusy is how long it waits for other writers to the file.
	restoreBusy = 30 * time.Second
)

// restoreSQLite runs fn in a transaction on a connection of its own, to which the backup's file is
// attached: rows go from file to file. Other writers wait, and after a while learn that the
// database is busy.
func (db *DB) restoreSQLite(ctx context.Context, from *DB, fn func(context.Context, *tx) error) (err error) {
	opts := db.opts
	opts.BusyTimeout = restoreBusy
	pool, err := openPool(db.path, opts, 1, "foreign_keys(1)", "cache_size(-32768)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	backup := url.URL{Scheme: "file", Path: filepath.ToSlash(from.path), RawQuery: "mode=ro"}
	if _, err := conn.ExecContext(ctx, "ATTACH DATABASE $1 AS backup", backup.String()); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	x := &tx{q: sqlcgen.New(conn), sql: unprepared(db.engine, conn), now: db.opts.Now}
	if err = x.admitted(ctx, access.AdmissionOf(ctx)); err == nil {
		err = fn(ctx, x)
	}
	if err == nil {
		err = x.log(ctx)
	}
	if err == nil { // wait for its outcome
		_, err = conn.ExecContext(context.WithoutCancel(ctx), "COMMIT")
	}
	if err == nil {
		return nil
	}
	_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") // there may be nothing left to undo
	return cmp.Or(ctx.Err(), err)
}

// restorePostgres runs fn like any write, over connections without a statement timeout, and alone
// from the first try on: other writers wait, and after a while learn that the database is busy.
func (db *DB) restorePostgres(ctx context.Context, _ *DB, fn func(context.Context, *tx) error) (err error) {
	parameters := map[string]string{"statement_timeout": "0", "idle_in_transaction_session_timeout": "0"}
	pool := db.server.pool(db.config, 2, use{parameters: parameters, unbounded: true, timelines: &db.timelines, shares: &db.shares})
	defer func() {
		err = errors.Join(err, pool.Close())
		db.shares.leave(pool)
	}()
	c := &serializable{
		pool: pool, shares: &db.shares, server: db.server, now: db.opts.Now,
		within: restoreWithin, settle: settleWithin, exclusiveAfter: 0, alone: aloneAtLength, waits: maxWaited,
	}
	return c.do(ctx, access.AdmissionOf(ctx), func(bounded context.Context, t *tx) error {
		// Before the COMMIT statements may be interrupted: the transaction ends with its
		// connection.
		bounded, cancel := context.WithCancelCause(bounded)
		defer cancel(nil)
		defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
		err := fn(bounded, t)
		if state, _ := sqlState(err); state == "42501" {
			err = fmt.Errorf("the role of DATABASE_URL may not do what a restore needs: "+
				"GRANT TEMPORARY ON DATABASE … TO it, or let it own the tables: %w", err)
		}
		return err
	})
}
