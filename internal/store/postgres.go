package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/keyward/keyward/internal/secret"
)

// Server is a PostgreSQL server and how to talk to it. Zero values have a default.
type Server struct {
	// URL is postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…, with the
	// parameters of libpq; several hosts, separated by commas, are tried in turn.
	URL secret.String
	// URLAgain rereads the URL if it is in a file: when the server refuses the user or password,
	// and at Reload. Nil: it never changes.
	URLAgain func() (secret.String, error)
	// ConnectTimeout bounds making a connection, TLS and all. Default 5 s.
	ConnectTimeout time.Duration
	// StatementTimeout bounds each statement, on both sides. Default 30 s.
	StatementTimeout time.Duration
	// IdleTransactionTimeout is when the server ends an idle transaction. Default 15 s.
	IdleTransactionTimeout time.Duration
	// LockTimeout bounds the wait for each lock. Default 10 s.
	LockTimeout time.Duration
	// MaxConnections bounds this process's connections, except for the lead's. Default 20, at least
	// 4.
	MaxConnections int

	credentials *credentials // nil: those of the URL
}

func (s Server) withDefaults() Server {
	s.ConnectTimeout = cmp.Or(s.ConnectTimeout, 5*time.Second)
	s.StatementTimeout = cmp.Or(s.StatementTimeout, 30*time.Second)
	s.IdleTransactionTimeout = cmp.Or(s.IdleTransactionTimeout, 15*time.Second)
	s.LockTimeout = cmp.Or(s.LockTimeout, 10*time.Second)
	s.MaxConnections = max(cmp.Or(s.MaxConnections, 20), 4)
	return s
}

// patience is how long to wait for an answer: the server should have ended the statement before.
func (s Server) patience() time.Duration { return s.StatementTimeout + s.ConnectTimeout }

// Half of the connections write. The others read, for requests' checks and for
// everything else, so that no slow search holds up every request.
func (s Server) readers() int { return s.MaxConnections / 4 }
func (s Server) writers() int { return s.MaxConnections - 2*s.readers() }

// OpenPostgres opens the database that the server's URL names, which must exist, and brings its
// schema up to date; of several processes at once, one does. Call Close when done.
func OpenPostgres(ctx context.Context, server Server, opts Options) (*DB, error) {
	return openPostgres(ctx, server.withDefaults(), opts.withDefaults(), false)
}

// OpenPostgresReader opens a database for reading only. Nothing is created or migrated: a schema of
// another version than this program's is an error. Call Close when done.
func OpenPostgresReader(ctx context.Context, server Server) (*DB, error) {
	return openPostgres(ctx, server.withDefaults(), Options{Existing: true}.withDefaults(), true)
}

func openPostgres(ctx context.Context, server Server, opts Options, reader bool) (*DB, error) {
	config, err := server.config()
	if err != nil {
		return nil, err
	}
	server.credentials = newCredentials(server, config)
	db := &DB{opts: opts, engine: onPostgres, server: server, config: config, checkedWithin: CheckWithin}
	if err := db.direct(ctx); err != nil {
		return nil, asFault("open", err)
	}
	if err := db.prepare(ctx); err != nil {
		return nil, asFault("open", err)
	}
	var primary pgconn.ValidateConnectFunc
	if !reader {
		config.ValidateConnect = db.timelines.after(config.ValidateConnect)
		primary = db.timelines.after(pgconn.ValidateConnectTargetSessionAttrsPrimary)
	}
	readers := readingConfig(config, primary)
	db.reading = readers
	db.checks = server.pool(readers, server.readers(), use{reads: true, timelines: &db.timelines, shares: &db.shares})
	db.reads = server.pool(readers, server.readers(), use{reads: true, timelines: &db.timelines, shares: &db.shares})
	db.read, db.check = unprepared(onPostgres, inLine{db.reads}), unprepared(onPostgres, inLine{db.checks})
	db.leadWithin = leadAnswer
	if !reader {
		db.writes = server.pool(config, server.writers(), use{parameters: writing, timelines: &db.timelines, shares: &db.shares})
		db.writer = newSerializable(db, server, opts)
		db.leads = db.shares.join(1, nil)
	}
	return db, nil
}

// prepare brings the schema up to date, unless it fits, or checks it. Looking is bounded like any
// statement, and waits for no migration; a migration has its own connections, without a statement
// timeout.
func (db *DB) prepare(ctx context.Context) error {
	looking := db.server.pool(db.config, 1, use{})
	var s Schema
	err := waitOut(ctx, func() (err error) {
		s, err = schemaOf(ctx, looking, onPostgres, migrations)
		return err
	})
	if err == nil && db.opts.Existing {
		err = s.mismatch()
	}
	if err = errors.Join(err, looking.Close()); err != nil || db.opts.Existing || s.Fits() {
		return err
	}
	pool := db.server.pool(db.config, 2, use{parameters: migrating, unbounded: true})
	return errors.Join(migrate(ctx, pool, onPostgres, migrations), pool.Close())
}

// Parameters of the server. Serializable transactions lock what they read: with index scans, not
// whole tables, which the planner would choose while these are small.
var (
	writing   = map[string]string{"enable_seqscan": "off"}
	migrating = map[string]string{
		"statement_timeout": "0", "lock_timeout": milliseconds(migrationLock), "idle_in_transaction_session_timeout": "0",
	}
)

// use is what connections are for.
type use struct {
	parameters map[string]string // of the server, beside those of all connections
	reads      bool              // nothing is written over them
	unbounded  bool              // statements have no timeout
	timelines  *timelines        // to recognise a former primary; may be nil
	shares     *shares           // of the server's connections; nil: it has none
}

// maxIdle is how long an unused connection is kept.
const maxIdle = 5 * time.Minute

// pool makes a pool of connections. Nothing is connected yet.
func (s Server) pool(config *pgx.ConnConfig, size int, of use) *sql.DB {
	config = config.Copy()
	for name, value := range of.parameters {
		config.RuntimeParams[name] = value
	}
	c := &connector{reads: of.reads, timelines: of.timelines, credentials: s.credentials}
	c.Connector = stdlib.GetConnector(*config, stdlib.OptionBeforeConnect(c.credentials.put))
	if !of.unbounded {
		c.patience = s.patience()
	}
	pool := sql.OpenDB(c)
	if of.shares != nil {
		c.share = of.shares.join(size, pool)
	}
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	pool.SetConnMaxIdleTime(maxIdle)
	return pool
}

// milliseconds is a duration as the server's parameters have it.
func milliseconds(d time.Duration) string { return strconv.FormatInt(max(d.Milliseconds(), 1), 10) }

var _ driver.Connector = (*connector)(nil)
