package embedded_test

import (
	"testing"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, keyType := range []piv.KeyType{piv.ECP256, piv.ECP384, piv.RSA2048} {
		t.Run(string(keyType), func(t *testing.T) {
			t.Parallel()
			setup := func(t *testing.T) vaulttest.Harness {
				opts := options(t.TempDir())
				opts.CAKeyType = keyType
				e := open(t, opts)
				return vaulttest.Harness{
					Engine: e, PublicBase: publicBase, ReasonCodes: true, Digits: true, AllNames: true,
					Reopen: func(t *testing.T) vault.Engine {
						must.OK(t, e.Close())
						return open(t, opts)
					},
				}
			}
			vaulttest.Run(t, setup)
			vaulttest.RunCAs(t, setup)
		})
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	opts := options(t.TempDir())
	opts.Role.KeyTypes = profile.KeyTypes
	vaulttest.RunKeys(t, vaulttest.Harness{Engine: open(t, opts), PublicBase: publicBase, AllNames: true})
}
