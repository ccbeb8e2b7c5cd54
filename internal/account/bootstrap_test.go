package account_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// TestFirstAdministratorIsOne: of several servers that start at once on an
// empty database, all succeed, with one administrator; those that showed a
// useless password say so.
func TestFirstAdministratorIsOne(t *testing.T) {
	t.Parallel()
	const servers = 4
	db := engine.Store(t, t.TempDir(), store.Options{})
	var log await.Text
	var begun, group sync.WaitGroup
	begun.Add(servers)
	for range servers {
		s := &account.Users{
			Store: db, Organizations: db, Now: time.Now, Log: slog.New(slog.NewTextHandler(&log, nil)),
			Hasher:   password.NewHasherWith(1, password.Parameters{MemoryKiB: 64, Passes: 1}),
			Policies: &settings.PasswordPolicies{Store: db, Default: password.DefaultPolicy(), Now: time.Now},
		}
		group.Go(func() {
			// Each finds no account before any creates one.
			if err := s.Bootstrap(context.Background(), secret.String{}, func(secret.String) error {
				begun.Done()
				begun.Wait()
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := must.Get(db.CountUsers(t.Context()))(t); n != 1 {
		t.Errorf("%d accounts", n)
	}
	log.Contains(t, "another server just created the first administrator")
}
