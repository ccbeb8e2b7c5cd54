package remote_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// TestDeviation: a certificate that is not what was asked for is not handed
// out, and revoked.
func TestDeviation(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	for name, c := range map[string]struct {
		path   string
		change map[string]any
		says   string
	}{
		"server certificate": {"roles/ROLE", map[string]any{"server_flag": true}, "extended key usage"},
		"unit":               {"roles/ROLE", map[string]any{"ou": []string{"Elsewhere"}}, "subject"},
		"usage":              {"roles/ROLE", map[string]any{"key_usage": []string{"CertSign"}}, "key usage"},
		"policy":             {"roles/ROLE", map[string]any{"policy_identifiers": []string{"1.2.3.4"}}, "extensions"},
		"age":                {"roles/ROLE", map[string]any{"not_before_duration": "48h"}, "validity"},
		"no CRL":             {"issuer/default", map[string]any{"crl_distribution_points": []string{}}, "CRL distribution point"},
		"other site":         {"issuer/default", map[string]any{"issuing_certificates": []string{"https://a.example/ca"}}, "authority info"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, o := engine(t)
			path := o.Mounts.PKI + "/" + strings.ReplaceAll(c.path, "ROLE", o.Mounts.Role)
			server.Call(t, http.MethodPatch, path, c.change)
			_, err := vaulttest.Sign(t.Context(), e, vault.SignRequest{CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "zoe"})
			if !errors.Is(err, vault.ErrDenied) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
			revoked := map[string]bool{}
			must.OK(t, e.Revoked(t.Context(), func(r vault.Revocation) error { revoked[r.Serial] = true; return nil }))
			if w, ok := errors.AsType[*vault.MisissuedError](err); !ok || !revoked[w.Serial] {
				t.Errorf("it does not name what was signed: %v", err)
			}
			must.OK(t, e.Issued(t.Context(), func(serial string) error {
				if !revoked[serial] {
					t.Errorf("%s is not revoked", serial)
				}
				return nil
			}))
			if len(revoked) != 1 {
				t.Errorf("%d are revoked", len(revoked))
			}
		})
	}
}

// TestDeviationStands: when what differs could not be revoked, the caller does
// not take it for a certificate that was never signed.
func TestDeviationStands(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	var role string
	e, proxy := proxied(t, func(o *remote.Options) { role = o.Mounts.PKI + "/roles/" + o.Mounts.Role })
	body := server.Call(t, http.MethodGet, role, nil)
	body["ou"] = []string{"Elsewhere"}
	server.Call(t, http.MethodPost, role, body)
	proxy.Fault(func(r *http.Request) vaultserver.Fault {
		if strings.HasSuffix(r.URL.Path, "/revoke") {
			return vaultserver.CutBefore
		}
		return vaultserver.Pass
	})
	_, err := vaulttest.Sign(t.Context(), e, vault.SignRequest{CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "zoe"})
	if !errors.Is(err, vault.ErrUnavailable) || errors.Is(err, vault.ErrDenied) || !strings.Contains(err.Error(), "subject") {
		t.Errorf("%v", err)
	}
}
