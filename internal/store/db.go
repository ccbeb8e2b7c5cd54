package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/trace"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/report"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/signon"
	"github.com/keyward/keyward/internal/store/sqlcgen"
	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/internal/tracing"
)

var (
	_ audit.Store               = (*DB)(nil)
	_ chain.Store               = (*DB)(nil)
	_ account.OrganizationStore = (*DB)(nil)
	_ account.UserStore         = (*DB)(nil)
	_ session.Store             = (*DB)(nil)
	_ hwkey.Store               = (*DB)(nil)
	_ cert.Store                = (*DB)(nil)
	_ report.Store              = (*DB)(nil)
	_ intentlog.ReleaseDatabase = (*DB)(nil)
	_ settings.Keeper           = (*DB)(nil)
	_ notify.Store              = (*DB)(nil)
	_ mail.Store                = (*DB)(nil)
	_ session.APIKeyStore       = (*DB)(nil)
	_ system.Database           = (*DB)(nil)
	_ signon.Store              = (*DB)(nil)
)

// Options are what a database is opened with. The zero value works.
type Options struct {
	// Now is the clock for times that no caller gives. Default time.Now.
	Now func() time.Time
	// BusyTimeout is how long to wait for another process that holds the
	// SQLite file locked. Default 5 s.
	BusyTimeout time.Duration
	// CountTo is how far lists are counted. Default and maximum page.CountTo: a cursor has no room
	// for more.
	CountTo int
	// Existing opens only an existing database with exactly this program's schema: nothing is
	// created or migrated.
	Existing bool
}

// withDefaults fills in what was left out.
func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.BusyTimeout = cmp.Or(o.BusyTimeout, defaultBusyTimeout)
	o.CountTo = min(cmp.Or(o.CountTo, page.CountTo), page.CountTo)
	return o
}

// DB is an open database. Its methods may be called from any goroutine.
type DB struct {
	opts      Options
	engine    engine
	path      string          // of SQLite's file
	server    Server          // of PostgreSQL
	config    *pgx.ConnConfig // what its URL says
	reading   *pgx.ConnConfig // of connections that only read
	timelines timelines       // of its servers
	shares    shares          // of its connections
	leads     *share          // the lead's
	reads     *sql.DB
	checks    *sql.DB
	writes    *sql.DB
	read      *statements // over reads
	check     *statements // over checks: every request's check, and SchemaTampering, so that no slow search holds those up
	writer    writes      // nil when it is opened for reading

	checkedWithin time.Duration // bounds the check of a request; zero: unbounded
	leadWithin    time.Duration // bounds the wait for an answer about the lead
}

// engine is an engine's name, as reports show it.
type engine string

const (
	onSQLite   engine = "sqlite"
	onPostgres engine = "postgresql"
)

// writes is an engine's way to write: a function in a transaction, which begins with the check of
// the actor, if there is one.
type writes interface {
	do(ctx context.Context, actor *access.Admission, fn func(context.Context, *tx) error) error
	close() error
}

// Engine names the engine: "sqlite" or "postgresql".
func (db *DB) Engine() string { return string(db.engine) }

// Ping checks that the database answers; DatabaseUnavailable otherwise.
func (db *DB) Ping(ctx context.Context) error {
	var answer int
	row := db.read.QueryRowContext(ctx, "SELECT 1")
	return asFault("ping", row.Scan(&answer))
}

// Close finishes the queued writes, then closes files and connections. Later calls return
// DatabaseUnavailable.
func (db *DB) Close() error {
	var err error
	if db.writer != nil {
		err = db.writer.close()
	}
	db.shares.stop()
	if err = errors.Join(err, db.closePools()); err != nil {
		return fmt.Errorf("store: close: %w", err)
	}
	return nil
}

// closePools closes the writing pool last: the last connection to close a WAL database folds the
// log into it, which readers may not.
func (db *DB) closePools() error {
	var errs []error
	for _, pool := range []*sql.DB{db.checks, db.reads, db.writes} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	return errors.Join(errs...)
}

// tx is what a write function works with. Its methods take the writer's context, never the
// caller's: interrupting a statement would undo the whole batch. On PostgreSQL the function may run
// again from the beginning, so it must reset what it sets outside of the transaction.
type tx struct {
	q   *sqlcgen.Queries // the fixed statements
	sql *statements      // lists, built at run time
	now func() time.Time
	// others may write at the same time: PostgreSQL's way, never SQLite's
	others bool
	// announced: the log's followers know of entries to come (horizon.go)
	announced bool
	// entries of the audit log, still to be written, as the last thing
	entries collected
}

// keeping returns a query whose rows, of these tables, stay unchanged until the commit. If nobody
// else can write, any query's do.
func (t *tx) keeping(query string, tables ...string) string {
	if !t.others {
		return query
	}
	return query + " FOR SHARE OF " + strings.Join(tables, ", ")
}

// run runs statements one after another.
func (t *tx) run(ctx context.Context, list []statement) error {
	for _, s := range list {
		if _, err := t.sql.ExecContext(ctx, s.text, s.args...); err != nil {
			return err
		}
	}
	return nil
}

// q returns the fixed statements, outside a transaction.
func (db *DB) q() *sqlcgen.Queries { return sqlcgen.New(db.read) }

// write runs fn in a transaction and returns after the commit; see writer. In a request it first
// checks the actor again, in that same transaction.
func (db *DB) write(ctx context.Context, operation string, fn func(context.Context, *tx) error) error {
	if db.writer == nil {
		return asFault(operation, errReader)
	}
	ctx, span := tracing.Child(ctx, operation, trace.SpanKindInternal)
	err := db.writer.do(ctx, access.AdmissionOf(ctx), fn)
	span.End(err)
	return asFault(operation, err)
}

// writeInTurn is write for operations of one kind that run one after another, each holding one row
// of locks. Their turn comes before the check of the actor, which locks the actor's session and
// account: waiting for a turn with these locks would block the writer that has the turn and wants
// to change them.
func (db *DB) writeInTurn(
	ctx context.Context, operation string, turn func(*sqlcgen.Queries, context.Context) error, fn func(context.Context, *tx) error,
) error {
	if db.writer == nil {
		return asFault(operation, errReader)
	}
	actor := access.AdmissionOf(ctx)
	ctx, span := tracing.Child(ctx, operation, trace.SpanKindInternal)
	err := db.writer.do(ctx, nil, func(ctx context.Context, t *tx) error {
		if err := turn(t.q, ctx); err != nil {
			return err
		}
		if err := t.admitted(ctx, actor); err != nil {
			return err
		}
		return fn(ctx, t)
	})
	span.End(err)
	return asFault(operation, err)
}
