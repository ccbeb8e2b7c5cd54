package engine

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/internal/store/sqlitetest"
)

// OnPostgres reports whether the tests run on PostgreSQL: KEYWARD_TEST_DATABASE is
// "postgres", and not "sqlite" or empty.
func OnPostgres() bool {
	switch v := os.Getenv("KEYWARD_TEST_DATABASE"); v {
	case "", "sqlite":
		return false
	case "postgres":
		return true
	default: // a typo would test the wrong engine, and pass
		panic("KEYWARD_TEST_DATABASE is " + strconv.Quote(v) + "; it is sqlite or postgres")
	}
}

// Name is the server's name of the database engine.
func Name() string {
	if OnPostgres() {
		return "postgresql"
	}
	return "sqlite"
}

// databases are the PostgreSQL databases of data directories.
var databases = struct {
	sync.Mutex

	urls map[string]string
}{urls: map[string]string{}}

// Database creates the database of the server with this data directory, without rows,
// unless it exists, and returns its DATABASE_URL: empty for the file keyward.db in the
// directory.
func Database(t testing.TB, dir string) string {
	t.Helper()
	if !OnPostgres() {
		sqlitetest.Put(t, filepath.Join(dir, "keyward.db"))
		return ""
	}
	return database(t, dir, func() string { return Postgres(t) })
}

// database returns a directory's database, which begins creates if there is none.
func database(t testing.TB, dir string, begins func() string) string {
	t.Helper()
	databases.Lock()
	defer databases.Unlock()
	url := databases.urls[dir]
	if url == "" {
		url = begins()
		databases.urls[dir] = url
		t.Cleanup(func() {
			databases.Lock()
			defer databases.Unlock()
			delete(databases.urls, dir)
		})
	}
	return url
}

// Keep copies the Database of a directory that is not in use; the copy outlives the
// test. It returns "" if the directory's files are everything.
func Keep(t testing.TB, dir string) (kept string) {
	t.Helper()
	if !OnPostgres() {
		return ""
	}
	return postgrestest.Keep(t, Database(t, dir))
}

// Restore starts the Database of a directory from a kept one.
func Restore(t testing.TB, dir, kept string) {
	t.Helper()
	if kept != "" {
		database(t, dir, func() string { return postgrestest.Copy(t, kept) })
	}
}

// Postgres returns the URL of a PostgreSQL database without rows, until the test's end.
func Postgres(t testing.TB) string {
	t.Helper()
	return postgrestest.Migrated(t, func(ctx context.Context, url string) error {
		db, err := store.OpenPostgres(ctx, store.Server{URL: secret.New(url)}, store.Options{})
		if err != nil {
			return err
		}
		return db.Close()
	})
}

// SQL opens the Database of a directory directly, until the test's end.
func SQL(t testing.TB, dir string) *sql.DB {
	t.Helper()
	driver, name := "sqlite", "file:"+filepath.Join(dir, "keyward.db")+"?_pragma=busy_timeout(10000)"
	if url := Database(t, dir); url != "" {
		driver, name = "pgx", url
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Execute changes the Database of a directory from outside. Each ? in the statement
// stands for an argument. A statement that PostgreSQL has chosen to end a deadlock with
// the server's own writes is repeated: it takes rows in no particular order.
func Execute(t testing.TB, dir, statement string, args ...any) {
	t.Helper()
	for {
		_, err := SQL(t, dir).ExecContext(context.Background(), Numbered(statement), args...)
		state, ok := errors.AsType[interface {
			error
			SQLState() string
		}](err)
		if ok && state.SQLState() == "40P01" { // deadlock_detected
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
}

// ExecuteURL is Execute for a PostgreSQL database by its URL.
func ExecuteURL(t testing.TB, url, statement string) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(context.Background(), statement); err != nil {
		t.Fatal(err)
	}
}

// Numbered replaces each ? of a statement by $1, $2, …, which both engines accept.
func Numbered(statement string) string {
	parts := strings.Split(statement, "?")
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteString("$" + strconv.Itoa(i))
		}
		b.WriteString(part)
	}
	return b.String()
}

// Hold blocks all other writers of a directory's Database until release is called.
func Hold(t testing.TB, dir string) (release func()) {
	t.Helper()
	ctx := context.Background()
	conn, err := SQL(t, dir).Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	take, give := "BEGIN IMMEDIATE", "ROLLBACK"
	if OnPostgres() { // every writer shares this lock (store/serializable.go)
		take, give = "SELECT pg_advisory_lock(x'4B57000000000001'::bigint)", "SELECT pg_advisory_unlock(x'4B57000000000001'::bigint)"
	}
	if _, err := conn.ExecContext(ctx, take); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := conn.ExecContext(ctx, give); err != nil {
			t.Error(err)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
}
