package roles

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"testing"

	_ "modernc.org/sqlite" // to look at the rows from outside

	"github.com/keyward/keyward/test/engine"
)

// kept are the tables that only an allowed operation may change. They exclude the audit
// log, the counters of failures and the records of background tasks.
var kept = []string{
	"organizations", "users", "logins", "directory_names", "sessions", "refresh_families", "hwkeys", "certificates", "notices",
	"agents", "agent_keys", "paired_users", "settings", "api_keys", "invitations",
	"(SELECT id, organization_id, url, description, actions, is_active, secret_ref FROM webhooks) AS w", // the rest is the sender's
}

// snapshot returns every row of the kept tables, without an API key's last use, which
// is written asynchronously.
func (c *fixture) snapshot(t *testing.T) map[string][]string {
	t.Helper()
	db := engine.SQL(t, c.data)
	out := map[string][]string{}
	for _, table := range kept {
		out[table] = rows(t, db, table)
	}
	return out
}

func rows(t *testing.T, db *sql.DB, table string) []string {
	t.Helper()
	found, err := db.QueryContext(context.Background(), "SELECT * FROM "+table)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = found.Close() }()
	columns, err := found.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for found.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		if err := found.Scan(values...); err != nil {
			t.Fatal(err)
		}
		line := ""
		for i, v := range values {
			if columns[i] == "last_used_at" {
				continue
			}
			line += fmt.Sprintf("%s=%v ", columns[i], *v.(*any))
		}
		out = append(out, line)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out) // PostgreSQL guarantees no order
	return out
}
