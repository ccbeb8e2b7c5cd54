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

// well is a working database and vault.
type well struct{}

func (well) Ping(context.Context) error        { return nil }
func (well) State(context.Context) vault.State { return vault.Connected }

// TestBar calls every operation while nobody is admitted: one that is not listed here
// answers with the reason, before it authenticates.
func TestBar(t *testing.T) {
	t.Parallel()
	always := []string{
		"auth-config", "get-ca", "get-ca-chain", "get-ca-der", "get-ca-of", "get-crl", "get-crl-of", "get-crl-status", "get-ocsp",
		"get-parent-crl", "health", "live", "openapi", "post-ocsp", "ready",
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
				o.SignInBlocked = func() error { return fault.New(c.code, reason, "Nobody is let in.") }
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

// TestChangesWait calls every operation while nothing may be changed: reading
// operations continue, and so do those that end the blocking job. GETs that write are
// listed here.
func TestChangesWait(t *testing.T) {
	t.Parallel()
	writes := []string{"backup-blob", "download-backup", "export-audit", "get-rotation", "get-secrets", "oidc-callback", "oidc-start"}
	s, url := setup(t, Services{}, func(o *httpapi.Options) {
		o.Health = well{}
		o.Changes = func() error { return fault.New(fault.RestoreRunning, "", "A backup is being restored.") }
	})
	var waited, passed []string
	for path, item := range s.OpenAPI().Paths {
		for method, op := range operations(item) {
			res := do(t, method, url+path, "{")
			waits := res.StatusCode == http.StatusServiceUnavailable && res.Document(t).Code == string(fault.RestoreRunning) ||
				strings.Contains(res.Header.Get("Location"), "/login#error="+string(fault.RestoreRunning)+"&") // for a browser that navigates
			switch reads := method == http.MethodGet; {
			case waits && reads:
				waited = append(waited, op.OperationID)
			case !waits && !reads:
				passed = append(passed, op.OperationID)
			}
		}
	}
	slices.Sort(waited)
	slices.Sort(passed)
	if diff := cmp.Diff(writes, waited); diff != "" {
		t.Errorf("what waits though it is a GET (-listed +does)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"cancel-backup-job", "post-ocsp"}, passed); diff != "" {
		t.Errorf("what passes though it is no GET (-listed +does)\n%s", diff)
	}
}
