package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
)

// TestNothingIsLeft: an installation of one machine is not abandoned for an empty one
// because a shell sets a variable.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	for setting, file := range map[string]string{"VAULT_ADDR": "vault.db", "DATABASE_URL": "keyward.db"} {
		cfg := testConfig(t, t.TempDir())
		cfg.VaultAddr, cfg.DatabaseURL = "", secret.String{}
		if setting == "VAULT_ADDR" {
			cfg.VaultAddr, cfg.VaultToken = "http://127.0.0.1:1", secret.New("no token")
		} else {
			cfg.DatabaseURL = secret.New("postgres://keyward@127.0.0.1:1/keyward")
		}
		path := filepath.Join(cfg.Data, file)
		must.OK(t, os.WriteFile(path, []byte("an installation"), 0o600))
		err := refusedStart(t.Context(), cfg)
		if err == nil || !strings.Contains(err.Error(), setting+" is set, but there is an installation in "+path) {
			t.Errorf("%s: %v", setting, err)
		}
		if got := must.Get(os.ReadFile(path))(t); string(got) != "an installation" {
			t.Errorf("%s: the file was changed", setting)
		}
	}
}
