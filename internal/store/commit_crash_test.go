package store

import (
	"database/sql"
	"syscall"
	"testing"

	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// TestNumberOfACrashedTransaction: a crash forgets a transaction whose log was
// not on the disk, and gives its number to another. That this one is committed
// says nothing of the first.
func TestNumberOfACrashedTransaction(t *testing.T) {
	t.Parallel()
	for name, crash := range map[string]func(*testing.T, *postgrestest.Server, *sql.Conn){
		"of the server": func(t *testing.T, server *postgrestest.Server, _ *sql.Conn) {
			must.OK(t, server.Kill())
			must.OK(t, server.Restart())
		},
		"of one process": func(t *testing.T, _ *postgrestest.Server, conn *sql.Conn) {
			var pid int
			must.OK(t, conn.QueryRowContext(t.Context(), "SELECT pg_backend_pid()").Scan(&pid))
			must.OK(t, syscall.Kill(pid, syscall.SIGKILL))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := postgrestest.Start(t, postgrestest.Options{})
			db := openURL(t, server.URL("postgres"))
			conn := must.Get(db.writes.Conn(t.Context()))(t)
			t.Cleanup(func() { _ = conn.Close() })
			id := must.Get(begin(t.Context(), conn))(t)
			c := db.writer.(*contenders)
			if status := must.Get(c.status(t.Context(), id))(t); status != "in progress" {
				t.Fatalf("before: %q", status)
			}
			crash(t, server, conn)
			await.That(t, "another transaction has the number", func() bool {
				if err := c.do(t.Context(), puts("another", "1")); err != nil {
					return false // the server is not back yet
				}
				var status string
				err := db.reads.QueryRowContext(t.Context(), "SELECT COALESCE(pg_xact_status($1::xid8), '')", id.xid).Scan(&status)
				return err == nil && status == "committed"
			})
			if status := must.Get(c.status(t.Context(), id))(t); status != "" {
				t.Errorf("the first is %q", status)
			}
		})
	}
}
