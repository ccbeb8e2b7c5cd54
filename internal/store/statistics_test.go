package store_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/test/must"
)

// TestStatisticsOfALargeTable: what is not counted is told as an estimate,
// and near the truth.
func TestStatisticsOfALargeTable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyward.db")
	if err := storebench.Fill(t.Context(), path, storebench.Size{Organizations: 1, Users: 10_000, Audit: 12_345}); err != nil {
		t.Fatal(err)
	}
	r, err := open(t, path, store.Options{}).Statistics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range r.Tables {
		switch {
		case table.Name == "audit_entries" && (!table.Estimated || table.Rows != 12_345),
			table.Name == "users" && (table.Estimated || table.Rows != 10_000):
			t.Errorf("%+v", table)
		}
	}
	if r.SizeBytes < 12_345*50 {
		t.Errorf("%d bytes", r.SizeBytes)
	}
}

// TestStatisticsWithGaps: on PostgreSQL ids have gaps, which are not taken for
// rows as soon as the server knows better.
func TestStatisticsWithGaps(t *testing.T) {
	t.Parallel()
	const rows = 12_345
	url := postgrestest.Empty(t)
	must.OK(t, storebench.FillPostgres(t.Context(), url, storebench.Size{Organizations: 1, Users: 1, Audit: rows}))
	conn := must.Get(pgx.Connect(t.Context(), url))(t)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	must.Get(conn.Exec(t.Context(), "UPDATE audit_entries SET id = 1000000 + id * 10"))(t)
	must.Get(conn.Exec(t.Context(), "ANALYZE audit_entries"))(t)
	db := openPostgres(t, url, store.Options{})
	entries := func() int64 {
		for _, table := range must.Get(db.Statistics(t.Context()))(t).Tables {
			if table.Name == "audit_entries" && table.Estimated {
				return table.Rows
			}
		}
		t.Fatal("no estimate")
		return 0
	}
	if got := entries(); got < rows*9/10 || got > rows*11/10 {
		t.Errorf("%d entries, there are %d", got, rows)
	}
	// Of a table that it was never told of, the server knows nothing.
	must.Get(conn.Exec(t.Context(), "UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relname = 'audit_entries'"))(t)
	if got := entries(); got != rows*10-9 {
		t.Errorf("%d entries, and at most %d", got, rows*10-9)
	}
}
