//go:build exhaustive

package store

import (
	"database/sql"
	"syscall"
	"testing"

	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// TestNumberOfACrashedTransaction: a crash forgets a transaction whose log was not on disk, and
// assigns its number to another. That the other is committed says nothing about the first.
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
			c := db.writer.(*serializable)
			for {
				conn := must.Get(db.writes.Conn(t.Context()))(t)
				id := must.Get((&try{serializable: c}).begin(t.Context(), conn, nil))(t)
				if status := must.Get(c.status(t.Context(), id))(t); status != "in progress" {
					t.Fatalf("before: %q", status)
				}
				crash(t, server, conn)
				_ = conn.Close()
				await.That(t, "the server is back", func() bool {
					status, err := c.status(t.Context(), id)
					if err == nil && status == "committed" {
						t.Errorf("the first is %q", status)
					}
					return err == nil && status == ""
				})
				must.OK(t, c.do(t.Context(), nil, puts("another", "1")))
				var status string
				must.OK(t, db.reads.QueryRowContext(t.Context(), "SELECT COALESCE(pg_xact_status($1::xid8), '')", id.xid).Scan(&status))
				if status != "committed" {
					continue // the log knew of the number, as it sometimes does; it is not assigned again
				}
				if status := must.Get(c.status(t.Context(), id))(t); status != "" {
					t.Errorf("the first is %q", status)
				}
				return
			}
		})
	}
}
