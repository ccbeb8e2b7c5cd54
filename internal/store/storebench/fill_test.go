package storebench

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/must"
)

// TestEnginesAlike: the same size gives the same rows on both engines, but for
// what is random, and the same indexes as before.
func TestEnginesAlike(t *testing.T) {
	t.Parallel()
	size := Size{Organizations: 3, Users: 7, Devices: 40, Sessions: 50, Certificates: 210, Releases: 120, Audit: large,
		Now: 1_700_000_000_000_000}
	file, url := filepath.Join(t.TempDir(), "keyward.db"), postgrestest.Empty(t)
	must.OK(t, Fill(t.Context(), file, size))
	must.OK(t, FillPostgres(t.Context(), url, size))
	a, b := open(t, "sqlite", "file:"+file), open(t, "pgx", url)
	for _, s := range statements(size) {
		query := "SELECT * FROM " + s.table + " ORDER BY 1"
		if s.table == "audit_entries" {
			query = "SELECT * FROM audit_entries WHERE id < 500 OR id % 997 = 0 ORDER BY id"
		}
		ours, theirs := texts(t, a, query), texts(t, b, query)
		if len(ours) == 0 || len(ours) != len(theirs) {
			t.Fatalf("%s: %d and %d rows", s.table, len(ours), len(theirs))
		}
		for i := range ours {
			if ours[i] != theirs[i] {
				t.Fatalf("%s:\n%s\n%s", s.table, ours[i], theirs[i])
			}
		}
	}
	const count = "SELECT count(*), max(id) FROM audit_entries"
	all := large + size.Releases
	if got, want := texts(t, b, count)[0], texts(t, a, count)[0]; got != want || got != fmt.Sprintf(" %d %d", all, all) {
		t.Errorf("%s and %s entries", got, want)
	}
	if ours, theirs := indexes(t, a, sqlite), indexes(t, b, postgres); ours != theirs || strings.Count(ours, "audit_entries_") != 13 {
		t.Errorf("indexes\n%s\n%s", ours, theirs)
	}
	// What the store adds goes on after the rows.
	const add = `INSERT INTO organizations (name, name_key, is_active, email_domains, created_at, updated_at)
		VALUES ('x', 'x', TRUE, '', 0, 0) RETURNING id`
	if id := texts(t, b, add)[0]; id != " 4" {
		t.Errorf("the next organization is%s", id)
	}
}

// indexes are the names of the log's, in the order in which they were made.
func indexes(t *testing.T, db *sql.DB, e engine) string {
	t.Helper()
	conn := must.Get(db.Conn(t.Context()))(t)
	defer func() { _ = conn.Close() }()
	var names []string
	for _, i := range must.Get(e.indexesOf(t.Context(), conn, "audit_entries"))(t) {
		names = append(names, i.name)
	}
	return strings.Join(names, " ")
}

func open(t *testing.T, driver, name string) *sql.DB {
	t.Helper()
	db := must.Get(sql.Open(driver, name))(t)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// texts are the rows of a query, without what is random: serial numbers.
func texts(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	must.OK(t, err)
	defer func() { _ = rows.Close() }()
	columns := must.Get(rows.Columns())(t)
	var out []string
	for rows.Next() {
		cells := make([]any, len(columns))
		for i := range cells {
			cells[i] = new(any)
		}
		must.OK(t, rows.Scan(cells...))
		var b strings.Builder
		for i, c := range cells {
			value := *c.(*any)
			if columns[i] == "serial_number" {
				value = len(value.(string))
			}
			switch value {
			case true:
				value = int64(1)
			case false:
				value = int64(0)
			}
			fmt.Fprint(&b, " ", value)
		}
		out = append(out, b.String())
	}
	must.OK(t, rows.Err())
	return out
}
