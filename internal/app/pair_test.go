package app_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// refused starts a server that must not start, and checks its error.
func refused(t *testing.T, cfg config.Config, says string) {
	t.Helper()
	err := refusedStart(t.Context(), cfg)
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v, want %q", err, says)
	}
}

// TestOneVaultForOneDatabase: a database is served only with its own vault, by one
// server with an embedded one, or by many with a remote one.
func TestOneVaultForOneDatabase(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t, t.TempDir())
	cfg.DatabaseURL = secret.New(engine.Postgres(t))
	first := startAs(t, cfg, app.Run)
	second := cfg
	second.Data = t.TempDir()
	refused(t, second, "several servers on one database need one Vault")
	must.OK(t, first.stop())
	refused(t, second, "is not the one that belongs to the database")
	again := startAs(t, cfg, app.Run)
	again.login("admin", adminPassword)
	must.OK(t, again.stop())
	// A new vault is not mistaken for the lost one.
	must.OK(t, os.RemoveAll(second.Data))
	refused(t, second, "set --data")
}

// TestAnotherRemoteVault: nor with another mount than its own; and two servers may
// share one.
func TestAnotherRemoteVault(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	cfg := testConfig(t, t.TempDir())
	cfg.SiteURL, cfg.DatabaseURL = vaultserver.PublicBase, secret.New(engine.Postgres(t))
	first := startAs(t, onVault(cfg, vaultserver.Settings(t, server.Prepared(t))), app.Run)
	other := first.cfg
	other.Data = t.TempDir()
	startAs(t, other, app.Run)
	refused(t, onVault(other, vaultserver.Settings(t, server.Prepared(t))), "check VAULT_ADDR, VAULT_NAMESPACE, VAULT_KV_MOUNT")
}

// TestNoNewInstallation: a server that has lost the settings of its engines creates no
// new installation until somebody allows it.
func TestNoNewInstallation(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t, t.TempDir())
	cfg.SiteURL, cfg.DatabaseURL = vaultserver.PublicBase, secret.New(engine.Postgres(t))
	s := startAs(t, onVault(cfg, vaultserver.Settings(t, vaultserver.Shared(t).Prepared(t))), app.Run)
	must.OK(t, s.stop())
	whole := s.cfg
	for setting, lost := range map[string]config.Config{
		"DATABASE_URL": {DatabaseURL: secret.String{}, VaultAddr: whole.VaultAddr}, "VAULT_ADDR": {DatabaseURL: whole.DatabaseURL},
	} {
		cfg := whole
		cfg.DatabaseURL, cfg.VaultAddr = lost.DatabaseURL, lost.VaultAddr
		refused(t, cfg, setting+" is not set, but the server of this data directory used it")
		if _, err := app.Schema(t.Context(), cfg); setting == "DATABASE_URL" &&
			(err == nil || !strings.Contains(err.Error(), "give this command DATABASE_URL")) {
			t.Errorf("a command without %s says %v", setting, err)
		}
		for _, name := range []string{"keyward.db", "vault.db"} {
			if _, err := os.Stat(filepath.Join(cfg.Data, name)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("without %s there is a %s: %v", setting, name, err)
			}
		}
	}
	must.OK(t, os.Remove(filepath.Join(cfg.Data, "elsewhere.json")))
	whole.DatabaseURL, whole.VaultAddr = secret.String{}, ""
	startAs(t, whole, app.Run).login("admin", adminPassword)
}
