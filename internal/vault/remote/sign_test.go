package remote_test

import (
	"crypto/rand"
	"crypto/x509"
	"errors"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded/issuance"
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
		"no CRL":             {"config/urls", map[string]any{"crl_distribution_points": []string{}}, "CRL distribution point"},
		"other site":         {"config/urls", map[string]any{"issuing_certificates": []string{"https://a.example/ca"}}, "authority information"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, o := engine(t)
			path := o.Mounts.PKI + "/" + strings.ReplaceAll(c.path, "ROLE", o.Mounts.Role)
			body := server.Call(t, http.MethodGet, path, nil)
			for name, value := range c.change {
				body[name] = value
			}
			server.Call(t, http.MethodPost, path, body)
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

// TestNewCA: after the CA was replaced, the new one's certificates and CRL
// count at once, and what the former signed does not hold up revocations.
func TestNewCA(t *testing.T) {
	t.Parallel()
	e, o := engine(t)
	csr := vaulttest.NewCSR(t, vaulttest.RSAKey())
	former := must.Get(vaulttest.Sign(t.Context(), e, vault.SignRequest{CSR: csr, CommonName: "zoe"}))(t)
	server := vaultserver.Shared(t)
	server.Call(t, http.MethodPost, o.Mounts.PKI+"/root/rotate/internal", map[string]any{
		"common_name": "Second CA", "key_type": "ec", "key_bits": 256, "ttl": "87600h",
	})
	next := must.Get(vaulttest.Sign(t.Context(), e, vault.SignRequest{CSR: csr, CommonName: "zoe"}))(t)
	if next.Certificate.Issuer.CommonName == former.Certificate.Issuer.CommonName {
		// rotate makes the new one known as "next"; it becomes the default here
		server.Call(t, http.MethodPost, o.Mounts.PKI+"/root/replace", map[string]any{"default": "next"})
		next = must.Get(vaulttest.Sign(t.Context(), e, vault.SignRequest{CSR: csr, CommonName: "zoe"}))(t)
	}
	if cn := next.Certificate.Issuer.CommonName; cn != "Second CA" {
		t.Fatalf("signed by %s", cn)
	}
	var revocations []vault.Revocation
	for _, i := range []vault.Issued{former, next} {
		revocations = append(revocations, vault.Revocation{Serial: i.Serial, At: time.Now(), Certificate: i.Certificate.Raw})
	}
	ca, key := must.Both(issuance.NewRoot(piv.ECP256, "A CA that the mount never had", time.Now()))(t)
	stranger := must.Get(x509.CreateCertificate(rand.Reader, &x509.Certificate{SerialNumber: big.NewInt(0x4711)}, ca, ca.PublicKey, key))(t)
	revocations = append(revocations, vault.Revocation{Serial: "4711", At: time.Now(), Certificate: stranger})
	must.OK(t, e.Revoke(t.Context(), revocations...))
	listed := map[string]bool{}
	must.OK(t, e.Revoked(t.Context(), func(r vault.Revocation) error { listed[r.Serial] = true; return nil }))
	if !listed[next.Serial] || listed[former.Serial] {
		t.Errorf("the CRL lists %v", listed)
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
