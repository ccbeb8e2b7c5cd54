package app_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/vaultserver"
)

// onVault configures prepared mounts of a remote vault.
func onVault(cfg config.Config, s map[string]string) config.Config {
	cfg.VaultAddr, cfg.VaultCACert = s["VAULT_ADDR"], s["VAULT_CACERT"]
	cfg.VaultKVMount, cfg.VaultPKIMount, cfg.VaultRole = s["VAULT_KV_MOUNT"], s["VAULT_PKI_MOUNT"], s["VAULT_ROLE"]
	cfg.VaultRoleID, cfg.VaultSecretID = secret.New(s["VAULT_ROLE_ID"]), secret.New(s["VAULT_SECRET_ID"])
	return cfg
}

// ownVault lists the data directories whose servers use the embedded vault despite
// KEYWARD_TEST_VAULT, since the tests look into its files.
var ownVault sync.Map

// listedReason returns a reason as the CRL shows it: a remote vault's shows none.
func listedReason(t *testing.T, reason int) int {
	t.Helper()
	if vaultserver.Wanted(t) {
		return 0
	}
	return reason
}

func newPeople() people {
	return people{tokens: map[string]string{}, sessions: map[string]int{}, ids: map[string]any{}}
}

// file returns what anyone may fetch.
func (s *server) file(path string) string {
	s.t.Helper()
	res, body := s.text(path, "")
	if res.StatusCode != http.StatusOK {
		s.t.Errorf("%s: %s", path, res.Status)
	}
	return body
}

// TestRemoteVault: a server works with a real Vault. While that is sealed, the server
// reports it, refuses what needs it, records revocations, and serves the CRL, even when
// started meanwhile; then it is not ready, since it can read no access token. Later it
// resumes by itself.
func TestRemoteVault(t *testing.T) {
	t.Parallel()
	server := vaultserver.Start(t)
	cfg := onVault(testConfig(t, t.TempDir()), vaultserver.Settings(t, server.Prepared(t)))
	cfg.SiteURL = vaultserver.PublicBase
	w := &fixture{start(t, cfg), newPeople()}
	w.settle(t)
	user := w.tokens["a-user"]
	w.must(200, "GET", "/api/hwkey/10000/secrets", user, nil)
	list := w.file("/api/pki/crl")
	if out := w.must(200, "GET", "/api/admin/system/vault", w.tokens["admin"], nil); out["engine"] != "vault" || out["state"] != "connected" {
		t.Errorf("the vault's report: %v", out)
	}

	server.Seal(t)
	sealed := func() {
		t.Helper()
		await.That(t, "health says that it is sealed", func() bool {
			out := w.must(200, "GET", "/api/health", "", nil)
			return out["status"] == "degraded" && out["vault"] == "sealed"
		})
		if w.file("/api/pki/crl") != list {
			t.Error("another CRL")
		}
		w.file("/api/pki/ca")
	}
	sealed()
	await.That(t, "a release says why it is refused", func() bool {
		out := w.must(503, "GET", "/api/hwkey/10000/secrets", user, nil)
		params, ok := out["params"].(map[string]any)
		return ok && out["code"] == "vault_unavailable" && params["reason"] == "sealed"
	})
	w.must(503, "POST", "/api/hwkey/10000/sign-csr", user, map[string]any{"csr": request(t, "a-user", nil), "slot": "9d"})
	w.must(503, "POST", "/api/certificates/"+w.serial+"/revoke", w.tokens["admin"], map[string]any{"reason": "superseded"})
	w.must(200, "GET", "/api/auth/me", user, nil) // its tokens' secret was loaded
	w.must(200, "GET", "/readyz", "", nil)
	if err := w.stop(); err != nil {
		t.Error(err)
	}
	w.server = start(t, cfg)
	sealed()
	w.must(503, "GET", "/api/auth/me", user, nil)
	w.must(503, "GET", "/readyz", "", nil)

	server.Unseal(t)
	await.That(t, "the server goes on by itself", func() bool {
		return w.must(200, "GET", "/api/health", "", nil)["status"] == "ok"
	})
	await.That(t, "the server is ready by itself", func() bool {
		status, _ := w.call("GET", "/readyz", "", nil)
		return status == http.StatusOK
	})
	w.must(200, "GET", "/api/hwkey/10000/secrets", user, nil)
	// It waited for the vault, to which the server may already have reported it.
	status, out := w.call("POST", "/api/certificates/"+w.serial+"/revoke", w.tokens["admin"], map[string]any{"reason": "superseded"})
	if status != 200 && (status != 409 || out["params"].(map[string]any)["reason"] != "revoked") {
		t.Errorf("the revocation that waited: %d %v", status, out)
	}
	await.That(t, "the revocation is on the CRL", func() bool { return w.file("/api/pki/crl") != list })
}
