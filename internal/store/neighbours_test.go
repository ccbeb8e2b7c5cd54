package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/internal/store/sqlcgen"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/test/must"
)

// TestNeighboursDoNotConflict: on PostgreSQL three who change rows that stand next
// to each other, and have nothing to do with each other, all commit.
func TestNeighboursDoNotConflict(t *testing.T) {
	t.Parallel()
	url := postgrestest.Empty(t)
	must.OK(t, storebench.FillPostgres(t.Context(), url, storebench.Size{Organizations: 1, Users: 500, Devices: 500}))
	db := must.Get(sql.Open("pgx", url))(t)
	t.Cleanup(func() { _ = db.Close() })
	now := time.Now().UnixMicro()
	for name, change := range map[string]func(ctx context.Context, q *sqlcgen.Queries, n int) error{
		"tokens": func(ctx context.Context, q *sqlcgen.Queries, n int) error {
			_, err := q.LockHWKey(ctx, fmt.Sprintf("bench-%08d", 101+n))
			return err
		},
		"accounts": func(ctx context.Context, q *sqlcgen.Queries, n int) error {
			_, err := q.SetLastLogin(ctx, sqlcgen.SetLastLoginParams{At: &now, ID: int64(101 + n)})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var at [3]*sql.Tx
			for i := range at {
				at[i] = must.Get(db.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelSerializable}))(t)
				must.Get(at[i].ExecContext(t.Context(), "SET LOCAL enable_seqscan = off"))(t) // as writers do
			}
			for i, tx := range at {
				must.OK(t, change(t.Context(), sqlcgen.New(tx), i))
			}
			// Had each added to the page of an index that the one before has read,
			// the one in the middle would fail once the last has committed.
			for _, tx := range slices.Backward(at[:]) {
				if err := tx.Commit(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
