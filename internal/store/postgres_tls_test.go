package store_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/must"
)

func encoded(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// authority makes a CA in a file, and with it a server's certificate.
func authority(t *testing.T, address net.IP) (root string, certificate, key []byte) {
	t.Helper()
	caKey := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test CA"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	caDER := must.Get(x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey))(t)
	root = filepath.Join(t.TempDir(), "root.pem")
	must.OK(t, os.WriteFile(root, encoded("CERTIFICATE", caDER), 0o600))
	serverKey := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "database"}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		IPAddresses: []net.IP{address}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, leaf, ca, &serverKey.PublicKey, caKey))(t)
	return root, encoded("CERTIFICATE", der), encoded("PRIVATE KEY", must.Get(x509.MarshalPKCS8PrivateKey(serverKey))(t))
}

func TestPostgresTLS(t *testing.T) {
	t.Parallel()
	root, certificate, key := authority(t, net.IPv4(127, 0, 0, 1))
	otherRoot, _, _ := authority(t, net.IPv4(127, 0, 0, 1))
	server := postgrestest.Start(t, postgrestest.Options{Listen: "127.0.0.1", Certificate: certificate, Key: key})
	url := func(host, mode, root string) string {
		plain := server.URLAt(strings.Replace(server.Address(), "127.0.0.1", host, 1), "postgres")
		return strings.Replace(plain, "sslmode=disable", "sslmode="+mode+"&sslrootcert="+root, 1)
	}
	password, _ := must.Get(neturl.Parse(server.URL("postgres")))(t).User.Password()
	db := openPostgres(t, url("127.0.0.1", "verify-full", root), store.Options{})
	if !must.Get(store.Encrypted(t.Context(), db))(t) {
		t.Error("the connection is not encrypted")
	}
	for name, wrong := range map[string]string{
		"another CA": url("127.0.0.1", "verify-full", otherRoot), "another name": url("localhost", "verify-full", root),
		"no such file": url("127.0.0.1", "verify-full", "/no/such/file"),
	} {
		_, err := store.OpenPostgres(t.Context(), store.Server{URL: secret.New(wrong)}, store.Options{})
		if err == nil || strings.Contains(err.Error(), password) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPasswordStaysSecret: no error about a URL shows its password.
func TestPasswordStaysSecret(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"postgres://u:geheim%zz@h/d", "postgres://u:geheim@h:port/d", "postgres://u:geheim@h:1:2/d", "postgres://u:geheim @h/d",
		"postgres://u:geheim@127.0.0.1:1/d?connect_timeout=geheim", "postgres://u:geheim@127.0.0.1:1/d", "host=h password=geheim",
		"postgres://u@h/d?password=geheim&sslmode=geheim", "postgres://geheim", "postgres://u:geheim@/d?host=/no/such/geheim",
	} {
		_, err := store.OpenPostgres(t.Context(), store.Server{URL: secret.New(url)}, store.Options{})
		if err == nil {
			t.Errorf("%s was opened", url)
		} else if strings.Contains(err.Error(), "geheim") && !strings.Contains(url, "/geheim") && url != "postgres://geheim" {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestUnprotected(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"postgres://h/d": true, "postgres://h/d?sslmode=require": true, "postgres://h/d?sslmode=verify-full": false,
		"postgres://127.0.0.1/d": false, "postgres://localhost/d": false, "postgres:///d?host=/run/postgresql": false,
		"postgres://localhost,h/d": true, "postgres://h/d?sslmode=disable": true, "mysql://h/d": false,
	} {
		if got := (store.Server{URL: secret.New(url)}).Unprotected(); got != want {
			t.Errorf("%s: %v", url, got)
		}
	}
}
