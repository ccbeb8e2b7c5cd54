package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/config"
)

func TestVaultSettings(t *testing.T) {
	t.Parallel()
	file := write(t, "a-role\n")
	c, err := config.Load(nil, env("VAULT_ADDR", "https://vault.example:8200", "VAULT_ROLE_ID_FILE", file, "VAULT_SECRET_ID", "s3cret"))
	if err != nil || c.VaultRoleID.Reveal() != "a-role" || c.Files["VAULT_ROLE_ID"] != file || c.Files["VAULT_SECRET_ID"] != "" ||
		c.VaultKVMount != "hwkeys" || c.VaultPKIMount != "pki" || c.VaultRole != "keyward" {
		t.Errorf("%s, %v, %v", c, c.Files, err)
	}
	if _, err := config.Load(nil, env("VAULT_ADDR", "http://127.0.0.1:8200", "VAULT_TOKEN", "s3cret")); err != nil {
		t.Errorf("on this machine: %v", err)
	}
	c, err = config.Load(nil, env("VAULT_ADDR", "https://vault.example", "VAULT_AUTH_METHOD", "kubernetes", "VAULT_JWT_FILE", file))
	if err != nil || c.VaultJWT.Reveal() != "a-role" || c.Files["VAULT_JWT"] != file {
		t.Errorf("kubernetes: %v, %v", c.Files, err)
	}
	if _, err := config.Load(nil, env("VAULT_AUTH_METHOD", "kubernetes")); err != nil { // without a Vault, nothing is read
		t.Errorf("on the embedded vault: %v", err)
	}
	for name, c := range map[string]struct {
		settings []string
		says     string
	}{
		"plain http":     {[]string{"VAULT_ADDR", "http://vault.example:8200", "VAULT_TOKEN", "t"}, "VAULT_ADDR must be https://"},
		"a path":         {[]string{"VAULT_ADDR", "https://vault.example/v1", "VAULT_TOKEN", "t"}, "VAULT_ADDR must be https://"},
		"no credentials": {[]string{"VAULT_ADDR", "https://vault.example"}, "VAULT_ADDR needs either"},
		"half a role":    {[]string{"VAULT_ADDR", "https://vault.example", "VAULT_ROLE_ID", "r"}, "VAULT_ADDR needs either"},
		"both": {[]string{"VAULT_ADDR", "https://vault.example", "VAULT_ROLE_ID", "r", "VAULT_SECRET_ID", "s", "VAULT_TOKEN", "t"},
			"VAULT_ADDR needs either"},
		"a seal": {[]string{"VAULT_ADDR", "https://vault.example", "VAULT_TOKEN", "t", "VAULT_SEAL_PASSPHRASE", "a long passphrase"},
			"VAULT_ADDR excludes"},
		"a method": {[]string{"VAULT_AUTH_METHOD", "ldap"}, "VAULT_AUTH_METHOD must be approle, kubernetes, jwt or cert"},
		"no JWT":   {[]string{"VAULT_ADDR", "https://vault.example", "VAULT_AUTH_METHOD", "jwt"}, "VAULT_JWT or VAULT_JWT_FILE is needed"},
		"no pod":   {[]string{"VAULT_ADDR", "https://vault.example", "VAULT_AUTH_METHOD", "kubernetes"}, "VAULT_JWT_FILE"},
		"no key": {[]string{"VAULT_ADDR", "https://vault.example", "VAULT_AUTH_METHOD", "cert", "VAULT_CLIENT_CERT", "c"},
			"VAULT_CLIENT_CERT and"},
		"method, token": {[]string{"VAULT_ADDR", "https://vault.example", "VAULT_AUTH_METHOD", "jwt", "VAULT_JWT", "j", "VAULT_TOKEN", "t"},
			"VAULT_AUTH_METHOD and VAULT_TOKEN exclude"},
		"mount": {[]string{"VAULT_KV_MOUNT", "../sys"}, "VAULT_KV_MOUNT must be"},
		"role":  {[]string{"VAULT_ROLE", "a/b"}, "VAULT_ROLE must be"},
	} {
		if _, err := config.Load(nil, env(c.settings...)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReadSecret: a file that was rewritten gives what stands in it now.
func TestReadSecret(t *testing.T) {
	t.Parallel()
	file := write(t, "first\n")
	for _, want := range []string{"first", "second"} {
		if got, err := config.ReadSecret(file); err != nil || got.Reveal() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if err := os.WriteFile(file, []byte("second\r\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, wrong := range []string{write(t, ""), t.TempDir() + "/absent"} {
		if _, err := config.ReadSecret(wrong); err == nil || strings.Contains(err.Error(), wrong) {
			t.Errorf("%v", err)
		}
	}
}
