package remote_test

import (
	"errors"
	"testing"

	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/vaultserver"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	e, _ := engine(t)
	vaulttest.Run(t, func(*testing.T) vaulttest.Harness {
		return vaulttest.Harness{Engine: e, PublicBase: vaultserver.PublicBase}
	})
}

func TestCAs(t *testing.T) {
	t.Parallel()
	vaulttest.RunCAs(t, func(t *testing.T) vaulttest.Harness {
		e, o := engine(t)
		return vaulttest.Harness{
			Engine: e, PublicBase: vaultserver.PublicBase, Reopen: func(t *testing.T) vault.Engine { return open(t, o) },
		}
	})
}

// TestKeys: the roles that setup makes for each algorithm certify all key types.
func TestKeys(t *testing.T) {
	t.Parallel()
	o := vaultserver.Shared(t).Prepared(t)
	o.KeyTypes = profile.KeyTypes
	vaulttest.RunKeys(t, vaulttest.Harness{Engine: open(t, o), PublicBase: vaultserver.PublicBase})
}

// TestSecretsAreNotRemoved: Keyward's rights in Vault do not allow removing versions of a token's
// secrets.
func TestSecretsAreNotRemoved(t *testing.T) {
	t.Parallel()
	e, _ := engine(t)
	for path, removable := range map[string]bool{
		"12345678/secrets": false, "12345678/releases/1": false, "audit_seal/key": false, "_keyward/jwt": false,
		"_issuances/open/a": true, "_releases/hour/a": true, "webhook_secrets/a": true, "certificate_authorities/a": true,
	} {
		if _, err := e.Put(t.Context(), path, vault.Data(`{"a":"b"}`), 0); err != nil {
			t.Fatal(err)
		}
		if err := e.DestroyPath(t.Context(), path); errors.Is(err, vault.ErrDenied) == removable {
			t.Errorf("%s: %v", path, err)
		}
	}
}
