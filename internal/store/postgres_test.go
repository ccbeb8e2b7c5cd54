package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/internal/store/storetest"
	"github.com/keyward/keyward/test/must"
)

func openPostgres(t *testing.T, url string, opts store.Options) *store.DB {
	t.Helper()
	db := must.Get(store.OpenPostgres(t.Context(), store.Server{URL: secret.New(url)}, opts))(t)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// TestManyReplicasMigrate: of several processes that open an empty database at once, each finds it
// migrated.
func TestManyReplicasMigrate(t *testing.T) {
	t.Parallel()
	url := postgrestest.Empty(t)
	errs := make(chan error)
	for range 4 {
		go func() {
			db, err := store.OpenPostgres(context.Background(), store.Server{URL: secret.New(url), MaxConnections: 4}, store.Options{})
			if err == nil {
				err = db.Close()
			}
			errs <- err
		}()
	}
	for range 4 {
		must.OK(t, <-errs)
	}
	db := openPostgres(t, url, store.Options{Existing: true})
	if v := must.Get(db.SchemaVersion(t.Context()))(t); v < 1 {
		t.Errorf("schema version %d", v)
	}
}

// TestEveryWriteIsRepeatable: on PostgreSQL a write may have to start again. The whole suite passes
// if each does: run, undone, run again.
func TestEveryWriteIsRepeatable(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Engine {
		t.Helper()
		db := openNew(t, store.Options{Now: func() time.Time { return storetest.Now }})
		store.WriteTwice(db)
		return db
	})
}
