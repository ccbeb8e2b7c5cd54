package resource

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/vault"
)

// well is a database that answers, and a vault.
type well struct{}

func (well) Ping(context.Context) error        { return nil }
func (well) State(context.Context) vault.State { return vault.Connected }

// TestBar asks every operation while nobody is let in: what is not listed here
// answers with the reason, before it looks at who asks.
func TestBar(t *testing.T) {
	t.Parallel()
	always := []string{
		"auth-config", "get-ca", "get-ca-chain", "get-crl", "get-crl-status", "health", "live", "openapi", "ready",
	}
	for reason, c := range map[string]struct {
		code   fault.Code
		passes []string
	}{
		"database_older": {fault.RecoveryRequired, always},
		"not_compared": {fault.VaultUnavailable, append(slices.Clone(always),
			"system-database", "system-health", "system-info", "system-jobs", "system-license", "system-recovery", "system-storage", "system-vault",
		)},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			s, url := setup(t, Services{}, func(o *httpapi.Options) {
				o.Health = well{}
				o.Barred = func() error { return fault.New(c.code, reason, "Nobody is let in.") }
			})
			var passed []string
			for path, item := range s.OpenAPI().Paths {
				for method, op := range operations(item) {
					res := do(t, method, url+path, "{")
					if res.StatusCode == http.StatusServiceUnavailable && res.Document(t).Code == string(c.code) {
						continue
					}
					if strings.Contains(res.Header.Get("Location"), "/login#error="+string(c.code)+"&") { // for a browser that navigates
						continue
					}
					passed = append(passed, op.OperationID)
				}
			}
			slices.Sort(passed)
			if diff := cmp.Diff(slices.Sorted(slices.Values(c.passes)), passed); diff != "" {
				t.Errorf("what passes (-listed +does)\n%s", diff)
			}
		})
	}
}
