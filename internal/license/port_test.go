package license_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/license/licensetest"
	"github.com/keyward/keyward/test/engine"
)

// TestPort: the in-process service behaves as every license.Port.
func TestPort(t *testing.T) {
	t.Parallel()
	licensetest.Run(t, func(t *testing.T, keys license.Keys, now func() time.Time) license.Port {
		return &license.Service{Vault: engine.Vault(t, t.TempDir(), nil), Keys: keys, Log: slog.New(slog.DiscardHandler), Now: now}
	})
}
