package app_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"net/http"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// TestKeysBeforeSetup: where the last vault setup was a version's that knew RSA keys alone, these get
// certificates as before, and others do after the next one.
func TestKeysBeforeSetup(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	o := server.Prepared(t)
	cfg := onVault(testConfig(t, t.TempDir()), vaultserver.Settings(t, o))
	cfg.SiteURL, cfg.KeyTypes = vaultserver.PublicBase, []string{"rsa-2048", "ec-p256"}
	document := o.Mounts.KV + "/data/" + vault.RolesPath
	read := server.Call(t, http.MethodGet, document, nil)
	roles := read["data"].(m)["roles"].(m)
	for name := range roles {
		if strings.Contains(name, "/") {
			delete(roles, name)
		}
	}
	if len(roles) != 5 {
		t.Fatalf("the built-in profiles' roles: %v", roles)
	}
	server.Call(t, http.MethodPost, document, m{"options": m{"cas": read["metadata"].(m)["version"]}, "data": m{"roles": roles}})
	w := &fixture{start(t, cfg), newPeople()}
	w.settle(t)
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	der := must.Get(x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "a-user"}}, key))(t)
	sign := func(status int, profile string) m {
		t.Helper()
		return w.must(status, "POST", "/api/hwkey/10000/sign-csr", w.tokens["a-user"], m{"csr": csrPEM(der), "slot": "9a", "profile": profile})
	}
	w.certify(200, "before", "9a", "tls-client")
	for _, profile := range []string{"default", "tls-client"} {
		wrong(t, sign(422, profile), "profile_unsupported", "profile_not_set_up")
	}
	to := server.Operator()
	to.Mounts, to.PublicBase = o.Mounts, vaultserver.PublicBase
	server.Prepare(t, to)
	for profile, want := range map[string]string{"default": "a-user 1 2", "tls-client": "a-user 1 1"} {
		if got := shape(t, sign(200, profile)); got != want {
			t.Errorf("%s: %s", profile, got)
		}
	}
}
