package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// errClosed is the cause when a call comes after Close.
var errClosed = errors.New("store: closed")

// retryAfter is what a client is told to wait when the database is not
// there: a lock passes in seconds.
const retryAfter = 5 * time.Second

// asFault gives an error its face: faults and the ends of contexts pass, what
// means that the database is out of reach becomes DatabaseUnavailable, and
// the rest is wrapped with the operation's name.
//
// A violated constraint is among the rest, and a bug: what may collide is
// inserted ON CONFLICT DO NOTHING, and what may be missing is looked up
// first. So no driver's text needs to be read, and on PostgreSQL, where an
// error ends the transaction, nothing is lost.
func asFault(operation string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := fault.As(err); ok {
		return err
	}
	if unavailable(err) {
		return fault.New(fault.DatabaseUnavailable, "",
			"The database is not available at the moment. Nothing was changed; try again shortly.").
			With(fmt.Errorf("store: %s: %w", operation, err)).After(retryAfter)
	}
	return fmt.Errorf("store: %s: %w", operation, err)
}

// unavailable tells whether an error is about the database, not about the
// statement.
func unavailable(err error) bool {
	if errors.Is(err, errClosed) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, errBatchLost) {
		return true
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
			sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB,
			sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PERM, sqlite3.SQLITE_PROTOCOL:
			return true
		}
		return false
	}
	if state, ok := sqlState(err); ok {
		// PostgreSQL, appendix A: 08 connection exception, 53 insufficient
		// resources, 57P the server goes down or is not up, 25006 read only.
		return strings.HasPrefix(state, "08") || strings.HasPrefix(state, "53") ||
			strings.HasPrefix(state, "57P") || state == "25006"
	}
	// database/sql has no exported error for a pool that was closed.
	return strings.HasSuffix(err.Error(), "sql: database is closed")
}

// sqlState is the SQLSTATE of a PostgreSQL error, whatever the driver.
func sqlState(err error) (string, bool) {
	e, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err)
	if !ok {
		return "", false
	}
	return e.SQLState(), true
}

// none tells that a query found no row.
func none(err error) bool { return errors.Is(err, sql.ErrNoRows) }
