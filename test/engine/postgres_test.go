package engine_test

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/storetest"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// TestPostgres runs the store's suite on PostgreSQL. It is here, where the race
// detector does not run: that covers the same code on SQLite.
func TestPostgres(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Engine {
		t.Helper()
		server := store.Server{URL: secret.New(engine.Postgres(t))}
		db := must.Get(store.OpenPostgres(t.Context(), server, store.Options{Now: func() time.Time { return storetest.Now }}))(t)
		t.Cleanup(func() { must.OK(t, db.Close()) })
		return db
	})
}
