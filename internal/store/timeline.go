package store

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
)

// errReplaced: the server still believes that it is the primary, and is not.
var errReplaced = fmt.Errorf("%w: another has taken its place", errReadOnly)

// timelines distinguishes primaries. Each failover begins another timeline of the database's log,
// with a higher number. A server with a lower one than has been seen was cut off and goes on: it
// knows of no logout since, nor how far the audit log is complete.
type timelines struct{ newest atomic.Uint64 }

// ofTimeline is where a connection keeps its server's number.
const ofTimeline = "timeline"

// currentTimeline is zero on a standby.
const currentTimeline = `SELECT CASE WHEN pg_is_in_recovery() THEN '0'
	ELSE substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) END`

// after accepts the servers that accept does and that no other has replaced, so that of several
// hosts the next one is tried.
func (n *timelines) after(accept pgconn.ValidateConnectFunc) pgconn.ValidateConnectFunc {
	return func(ctx context.Context, conn *pgconn.PgConn) error {
		if accept != nil {
			if err := accept(ctx, conn); err != nil {
				return err
			}
		}
		answer := conn.ExecParams(ctx, currentTimeline, nil, nil, nil, nil).Read()
		if answer.Err != nil {
			return answer.Err
		}
		if len(answer.Rows) != 1 || len(answer.Rows[0]) != 1 {
			return fmt.Errorf("store: the timeline of the server: %d rows", len(answer.Rows))
		}
		number, err := strconv.ParseUint(string(answer.Rows[0][0]), 16, 32)
		if err != nil {
			return fmt.Errorf("store: the timeline of the server: %w", err)
		}
		conn.CustomData()[ofTimeline] = number
		for newest := n.newest.Load(); number > newest; newest = n.newest.Load() {
			n.newest.CompareAndSwap(newest, number)
		}
		if n.replaced(conn) {
			return errReplaced
		}
		return nil
	}
}

// replaced reports whether a connection's server is of a former timeline.
func (n *timelines) replaced(conn *pgconn.PgConn) bool {
	number, ok := conn.CustomData()[ofTimeline].(uint64)
	return ok && number > 0 && number < n.newest.Load()
}
