package store

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// errClosed is the cause when a call comes after Close.
var errClosed = errors.New("store: closed")

// retryAfter is what a client should wait when the database is unavailable: a lock passes in
// seconds.
const retryAfter = 5 * time.Second

// asFault maps an error for callers: faults and context errors pass, an unreachable database
// becomes DatabaseUnavailable, and the rest is wrapped with the operation's name.
//
// A violated constraint is among the rest, and a bug: what may collide is inserted ON CONFLICT DO
// NOTHING, and what may be missing is looked up first. So no driver's text needs parsing, and on
// PostgreSQL, where an error ends the transaction, nothing is lost.
func asFault(operation string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := fault.As(err); ok {
		return err
	}
	if unavailable(err) {
		return away(err).With(fmt.Errorf("store: %s: %w", operation, err)).After(retryAfter)
	}
	return fmt.Errorf("store: %s: %w", operation, err)
}

// away returns the fault for a database that is out of reach.
func away(err error) *fault.Error {
	switch {
	case errors.Is(err, errUnknown):
		return fault.New(fault.DatabaseUnavailable, "outcome_unknown",
			"The connection to the database was lost while the change was being saved. Check whether it was saved before you try again.")
	case errors.Is(err, errReadOnly):
		return fault.New(fault.DatabaseUnavailable, "read_only",
			"The database is not accepting changes. Nothing was changed. If this continues, an administrator "+
				"must make sure that Keyward reaches the primary database server.")
	case full(err):
		return fault.New(fault.DatabaseUnavailable, "full",
			"The database's disk is full. Nothing was changed. Free some space there, then try again.")
	}
	if f := notLetIn(err); f != nil {
		return f
	}
	return fault.New(fault.DatabaseUnavailable, "away",
		"The database is not responding. Nothing was changed. Try again shortly.")
}

// notLetIn returns why a reachable server refuses a connection; nil if it does not.
func notLetIn(err error) *fault.Error {
	state, _ := sqlState(err)
	switch {
	case errors.Is(err, errPooled):
		return fault.New(fault.DatabaseUnavailable, "pooled", "DATABASE_URL leads to a connection pooler such as PgBouncer. "+
			"Connect directly to PostgreSQL, without a pooler.")
	case refusedLogin(err), state == "42501" && errors.Is(err, errUnreached): // CONNECT on the database
		return fault.New(fault.DatabaseUnavailable, "refused", "PostgreSQL refuses this server's user name or password. "+
			"Nothing was changed. An administrator must correct them in DATABASE_URL, or allow the sign-in in pg_hba.conf.")
	case state == "3D000":
		return fault.New(fault.DatabaseUnavailable, "missing", "There is no database of that name on the PostgreSQL server. "+
			"An administrator must create it, or correct the name in DATABASE_URL.")
	case crowded(err):
		return fault.New(fault.DatabaseUnavailable, "crowded", "PostgreSQL has no connection left for this server. "+
			"Nothing was changed. Try again shortly. If this continues, an administrator must allow more connections there.")
	case untrusted(err):
		return fault.New(fault.DatabaseUnavailable, "untrusted", "The PostgreSQL server's certificate is not accepted. "+
			"Nothing was changed. An administrator must check the host name and sslrootcert in DATABASE_URL.")
	}
	return nil
}

// untrusted reports that the server's certificate is not trusted.
func untrusted(err error) bool {
	_, verified := errors.AsType[*tls.CertificateVerificationError](err)
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err) // of verify-ca, which pgx checks itself
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, other := errors.AsType[x509.HostnameError](err)
	return verified || unknown || invalid || other
}

// full reports that the database has no room: SQLite's own code, or SQLSTATE disk_full (PostgreSQL,
// appendix A).
func full(err error) bool {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()&0xff == sqlite3.SQLITE_FULL
	}
	state, _ := sqlState(err)
	return state == "53100"
}

// unavailable reports whether an error is about the database, not about the statement.
func unavailable(err error) bool {
	if errors.Is(err, errClosed) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, errBatchLost) {
		return true
	}
	if slices.ContainsFunc([]error{errLost, errUnknown, errReadOnly, errContended, errNoTime, errNoAnswer, errUnreached, errPooled},
		func(is error) bool { return errors.Is(err, is) }) {
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
		// PostgreSQL, appendix A: 53 insufficient resources, 57014 timeout, 55P03 lock timeout, 58
		// and XX server trouble, 28 and 3D not let in; 40 conflict.
		return broken(err) || state == "25006" || state == "55P03" || state == "57014" ||
			slices.Contains([]string{"53", "58", "XX", "28", "3D", "40"}, state[:min(2, len(state))])
	}
	if broken(err) {
		return true
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

// none reports that a query found no row.
func none(err error) bool { return errors.Is(err, sql.ErrNoRows) }
