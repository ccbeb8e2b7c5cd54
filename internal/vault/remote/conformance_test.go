package remote_test

import (
	"testing"

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
