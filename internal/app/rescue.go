package app

import (
	"context"
	"os"
	"time"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/settings"
)

// OpenRescue opens the accounts of an installation, whose servers may be running: the
// database serializes access. It does not touch the vault, so that it also works while
// that is sealed. It creates and migrates nothing: a mistyped directory must not become
// an installation. via is the command and its user, for the audit log. The caller must
// call done.
func OpenRescue(ctx context.Context, cfg config.Config, via string) (r *account.Rescue, done func() error, err error) {
	db, err := existingDatabase(ctx, cfg)
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
	accounts := &account.Users{
		Store: db, Organizations: db, Hasher: hasher, Now: time.Now,
		Policies: &settings.PasswordPolicies{Store: db, Default: policy, Now: time.Now},
	}
	return &account.Rescue{Accounts: accounts, Hostname: hostname, Via: via}, db.Close, nil
}
