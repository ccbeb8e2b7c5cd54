package store

import (
	"testing"

	"github.com/pressly/goose/v3/lock"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// TestOpensBesideMigration: a server whose schema fits does not wait for the migrations' lock.
func TestOpensBesideMigration(t *testing.T) {
	t.Parallel()
	url := MigratedURL(t)
	conn := must.Get(openURL(t, url).writes.Conn(t.Context()))(t)
	defer func() { must.OK(t, conn.Close()) }()
	must.Get(conn.ExecContext(t.Context(), "SELECT pg_advisory_lock($1)", lock.DefaultLockID))(t)
	openURL(t, url)
	must.Get(conn.ExecContext(t.Context(), "SELECT pg_advisory_unlock($1)", lock.DefaultLockID))(t)
}

// TestMigrationMakesWay: a migration does not wait long for a table, since all others wait behind
// it, and retries until it gets it.
func TestMigrationMakesWay(t *testing.T) {
	t.Parallel()
	url := MigratedURL(t)
	db := openURL(t, url)
	next := withNext(t, onPostgres)
	server := Server{URL: secret.New(url)}.withDefaults()
	pool := server.pool(must.Get(server.config())(t), 2, use{parameters: migrating, unbounded: true})
	defer func() { must.OK(t, pool.Close()) }()
	holder := must.Get(db.writes.BeginTx(t.Context(), nil))(t)
	must.Get(holder.ExecContext(t.Context(), "LOCK TABLE goose_db_version IN EXCLUSIVE MODE"))(t)
	done := make(chan error, 1)
	go func() { done <- migrate(t.Context(), pool, onPostgres, next) }()
	waits := func() bool {
		return must.Get(queryOne(t.Context(), db.read, scanInt, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`))(t) > 0
	}
	await.That(t, "the migration waits for the table", waits)
	await.That(t, "it makes way", func() bool { return !waits() })
	must.OK(t, holder.Rollback())
	must.OK(t, await.From(t, "it gets the table", done))
	if s := must.Get(schemaOf(t.Context(), pool, onPostgres, next))(t); s.Have != nextSchema || s.Have != s.Want {
		t.Errorf("%+v", s)
	}
	// The version before goes on, and restarts.
	if s := must.Get(PostgresSchema(t.Context(), Server{URL: secret.New(url)}))(t); s.Have <= s.Want || !s.Fits() {
		t.Errorf("the version before: %+v", s)
	}
	openURL(t, url)
}

// TestForeignDatabase: a database that is neither empty nor Keyward's is left alone, by servers
// too.
func TestForeignDatabase(t *testing.T) {
	t.Parallel()
	url := postgrestest.Empty(t)
	server := Server{URL: secret.New(url)}
	if s, err := PostgresSchema(t.Context(), server); err != nil || s.Have != 0 || s.Want == 0 {
		t.Errorf("an empty one: %+v, %v", s, err)
	}
	config := must.Get(server.withDefaults().config())(t)
	pool := server.withDefaults().pool(config, 1, use{})
	defer func() { must.OK(t, pool.Close()) }()
	must.Get(pool.ExecContext(t.Context(), "CREATE TABLE invoices (id BIGINT)"))(t)
	if db, err := OpenPostgres(t.Context(), server, Options{}); err == nil {
		must.OK(t, db.Close())
		t.Error("a server starts on another program's database")
	}
	if tables := must.Get(PostgresTables(t.Context(), server))(t); len(tables) != 1 {
		t.Errorf("it has %v", tables)
	}
}
