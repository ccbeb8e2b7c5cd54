package postgrestest

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// shared is the server of this test process; its data need not survive anything.
var shared = sync.OnceValues(func() (*Server, error) {
	return New(Options{Settings: map[string]string{
		"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "wal_level": "minimal", "max_wal_senders": "0",
	}})
})

var (
	numbers  atomic.Int64
	template sync.Once
	making   error // the error of making the template
)

// Empty creates a database without tables and returns its URL. It is dropped with the test.
func Empty(t testing.TB) string {
	t.Helper()
	return create(t, "")
}

const templateName = "keyward_template"

// Migrated creates a database whose tables have no rows, and returns its URL. migrate creates the
// tables in an empty database, once per test process.
func Migrated(t testing.TB, migrate func(ctx context.Context, url string) error) string {
	t.Helper()
	template.Do(func() {
		making = fmt.Errorf("postgrestest: the template could not be made: the test that began it has ended")
		s := server(t)
		if making = s.Run(context.Background(), "CREATE DATABASE "+templateName); making == nil {
			making = migrate(context.Background(), s.URL(templateName))
		}
	})
	if making != nil {
		t.Fatal(making)
	}
	return create(t, " TEMPLATE "+templateName)
}

func server(t testing.TB) *Server {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Keep copies an unused database for the rest of the test process. Copy copies it again.
func Keep(t testing.TB, url string) (kept string) {
	t.Helper()
	_, url = named(t, " TEMPLATE "+nameOf(t, url))
	return url
}

// Copy copies an unused database, and returns the copy's URL.
func Copy(t testing.TB, url string) string {
	t.Helper()
	return create(t, " TEMPLATE "+nameOf(t, url))
}

func nameOf(t testing.TB, text string) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(u.Path, "/")
}

// named creates a database; how follows its name in the statement.
func named(t testing.TB, how string) (name, url string) {
	t.Helper()
	s := server(t)
	name = "test_" + strconv.FormatInt(numbers.Add(1), 10)
	if err := s.Run(t.Context(), "CREATE DATABASE "+name+how); err != nil {
		t.Fatal(err)
	}
	return name, s.URL(name)
}

// create is named until the end of the test.
func create(t testing.TB, how string) string {
	t.Helper()
	s := server(t)
	name, url := named(t, how)
	t.Cleanup(func() {
		if err := s.Run(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return url
}

// Run executes a statement as the server's administrator.
func (s *Server) Run(ctx context.Context, statement string) error {
	conn, err := s.connect(ctx)
	if err != nil {
		return fmt.Errorf("postgrestest: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("postgrestest: %s: %w", statement, err)
	}
	return nil
}

// connect waits until the server takes connections.
func (s *Server) connect(ctx context.Context) (*pgx.Conn, error) {
	for {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn, nil
		}
		select {
		case <-s.ended:
			return nil, fmt.Errorf("the server has ended: %w\n%s", err, s.Log())
		case <-ctx.Done():
			return nil, fmt.Errorf("%w\n%s", err, s.Log())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
