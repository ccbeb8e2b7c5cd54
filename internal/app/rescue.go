package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/passwordpolicy"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/user"
)

// OpenRescue opens the accounts of a data directory, of which a server may run
// at the same time: SQLite takes turns. The vault is not touched, so that it
// also works while that is sealed. Nothing is made and nothing is migrated: a
// mistyped directory must not become an installation. via says what was
// called, by whom, for the audit log. Call done when done.
func OpenRescue(ctx context.Context, cfg config.Config, via string) (r *user.Rescue, done func() error, err error) {
	path := filepath.Join(cfg.Data, databaseFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("there is no %s in %s: name the data directory of the server with --data", databaseFile, cfg.Data)
	}
	db, err := store.OpenSQLite(ctx, path, store.Options{Now: time.Now, Existing: true})
	if err != nil {
		return nil, nil, err
	}
	policy := password.DefaultPolicy()
	policy.MinLength = cfg.PasswordMinLength
	hasher := password.NewHasherWith(1, password.Parameters{
		MemoryKiB: uint32(cfg.Argon2MemoryMiB) << 10, Passes: uint32(cfg.Argon2Passes),
	})
	hostname, err := os.Hostname()
	if err != nil {
		hostname = ""
	}
	accounts := &user.Service{
		Store: db, Organizations: db, Hasher: hasher, Now: time.Now,
		Policies: &passwordpolicy.Service{Store: db, Default: policy, Now: time.Now},
	}
	return &user.Rescue{Accounts: accounts, Hostname: hostname, Via: via}, db.Close, nil
}
