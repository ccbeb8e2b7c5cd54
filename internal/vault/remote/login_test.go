package remote_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// TestLoginByJWT: with a token of an issuer that the vault trusts, read again at each login;
// another issuer's is refused.
func TestLoginByJWT(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	o := server.Prepared(t)
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: must.Get(x509.MarshalPKIXPublicKey(key.Public()))(t)})
	mount := "jwt-" + o.Mounts.Role
	server.Call(t, http.MethodPost, "sys/auth/"+mount, map[string]any{"type": "jwt"})
	server.Call(t, http.MethodPost, "auth/"+mount+"/config", map[string]any{"jwt_validation_pubkeys": []string{string(public)}})
	server.Call(t, http.MethodPost, "auth/"+mount+"/role/"+o.Mounts.Role, map[string]any{
		"role_type": "jwt", "user_claim": "sub", "bound_subject": "keyward-server", "bound_audiences": []string{"vault"},
		"token_policies": []string{o.Mounts.Role},
	})
	sign := func(with *ecdsa.PrivateKey, subject string) string {
		signer := must.Get(jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: with}, nil))(t)
		now := time.Now()
		return must.Get(jwt.Signed(signer).Claims(jwt.Claims{
			Subject: subject, Audience: jwt.Audience{"vault"}, IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(time.Hour)),
		}).Serialize())(t)
	}
	var token atomic.Value
	token.Store(sign(key, "keyward-server"))
	o.Login = remote.Login{
		Method: remote.JWT, Mount: mount,
		JWT: func() (secret.String, error) { return secret.New(token.Load().(string)), nil },
	}
	e := open(t, o)
	if !works(t, e) {
		t.Error("the JWT is not taken")
	}
	for name, wrong := range map[string]string{
		"of another issuer":  sign(must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t), "keyward-server"),
		"of another subject": sign(key, "somebody"),
		"none":               "x",
	} {
		token.Store(wrong)
		if _, err := open(t, o).Get(t.Context(), "a/b"); !errors.Is(err, vault.ErrDenied) {
			t.Errorf("a JWT %s: %v", name, err)
		}
	}
	server.EndTokens(t, o.Mounts.Role)
	if _, err := e.Get(t.Context(), "a/b"); !errors.Is(err, vault.ErrDenied) {
		t.Errorf("with a JWT that has become wrong: %v", err)
	}
	token.Store(sign(key, "keyward-server"))
	if !works(t, e) {
		t.Error("the token is not replaced")
	}
}

// TestLoginByCertificate: with a TLS client certificate of the CA that the vault trusts for it; without
// one, or with another CA's, it is refused.
func TestLoginByCertificate(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	o := server.Prepared(t)
	ca, caKey := authorityOf(t)
	mount := "cert-" + o.Mounts.Role
	server.Call(t, http.MethodPost, "sys/auth/"+mount, map[string]any{"type": "cert"})
	server.Call(t, http.MethodPost, "auth/"+mount+"/certs/"+o.Mounts.Role, map[string]any{
		"certificate":    string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.Raw})),
		"token_policies": []string{o.Mounts.Role}, "allowed_common_names": []string{"keyward"},
	})
	present := func(pair tls.Certificate) func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		return func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
	}
	var pair atomic.Value
	pair.Store(clientOf(t, ca, caKey, "keyward"))
	o.Login = remote.Login{Method: remote.Cert, Mount: mount, Certificate: func(i *tls.CertificateRequestInfo) (*tls.Certificate, error) {
		return present(pair.Load().(tls.Certificate))(i)
	}}
	e := open(t, o)
	if !works(t, e) {
		t.Error("the certificate is not taken")
	}
	pair.Store(clientOf(t, ca, caKey, "somebody")) // the next login presents it, on whichever connection
	server.EndTokens(t, o.Mounts.Role)
	if _, err := e.Get(t.Context(), "a/b"); !errors.Is(err, vault.ErrDenied) {
		t.Errorf("after the files changed: %v", err)
	}
	pair.Store(clientOf(t, ca, caKey, "keyward"))
	if !works(t, e) {
		t.Error("a renewed certificate is not taken")
	}
	other, otherKey := authorityOf(t)
	for name, pair := range map[string]tls.Certificate{
		"of another CA":     clientOf(t, other, otherKey, "keyward"),
		"with another name": clientOf(t, ca, caKey, "somebody"),
	} {
		o.Login.Certificate = present(pair)
		if _, err := open(t, o).Get(t.Context(), "a/b"); !errors.Is(err, vault.ErrDenied) {
			t.Errorf("a certificate %s: %v", name, err)
		}
	}
}

func authorityOf(t *testing.T) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "clients"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))(t)
	return must.Get(x509.ParseCertificate(der))(t), key
}

func clientOf(t *testing.T, ca *x509.Certificate, caKey *ecdsa.PrivateKey, name string) tls.Certificate {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, ca, key.Public(), caKey))(t)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
