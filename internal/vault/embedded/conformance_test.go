package embedded_test

import (
	"testing"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/vaulttest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, keyType := range []vault.KeyType{vault.ECP256, vault.ECP384, vault.RSA2048} {
		t.Run(string(keyType), func(t *testing.T) {
			t.Parallel()
			vaulttest.Run(t, func(t *testing.T) vaulttest.Harness {
				opts := options(t.TempDir())
				opts.CAKeyType = keyType
				e := open(t, opts)
				return vaulttest.Harness{
					Engine: e, PublicBase: publicBase, ReasonCodes: true, StrictKeys: true,
					Reopen: func(t *testing.T) vault.Engine {
						if err := e.Close(); err != nil {
							t.Fatal(err)
						}
						return open(t, opts)
					},
				}
			})
		})
	}
}
