package app_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/test/must"
)

// certified writes a new certificate for this machine, and its key, to the configured
// files.
func certified(t *testing.T, cfg *config.Config) *x509.Certificate {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	private := must.Get(x509.MarshalPKCS8PrivateKey(key))(t)
	if cfg.TLSCertFile == "" {
		dir := t.TempDir()
		cfg.TLSCertFile, cfg.TLSKeyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	}
	for path, block := range map[string]*pem.Block{
		cfg.TLSCertFile: {Type: "CERTIFICATE", Bytes: der}, cfg.TLSKeyFile: {Type: "PRIVATE KEY", Bytes: private},
	} {
		must.OK(t, os.WriteFile(path+".new", pem.EncodeToMemory(block), 0o600))
		must.OK(t, os.Rename(path+".new", path))
	}
	return must.Get(x509.ParseCertificate(der))(t)
}

// trusting is a client that trusts only this certificate, on new connections.
func trusting(t *testing.T, c *x509.Certificate) *http.Client {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(c)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// TestTLS: https with HTTP/2, nothing below TLS 1.2; a new certificate applies at once
// to new connections, and open ones stay.
func TestTLS(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t, t.TempDir())
	first := certified(t, &cfg)
	s := start(t, cfg)
	before := trusting(t, first)
	look := func(client *http.Client) {
		t.Helper()
		res := must.Get(client.Get(s.base + "/readyz"))(t)
		defer res.Body.Close()
		if body := must.Get(io.ReadAll(res.Body))(t); res.StatusCode != http.StatusOK || res.ProtoMajor != 2 ||
			res.Header.Get("Strict-Transport-Security") == "" {
			t.Errorf("%s %d %s %v", res.Proto, res.StatusCode, body, res.Header)
		}
	}
	look(before)
	second := certified(t, &cfg)
	look(trusting(t, second))
	look(before)
	if res, err := trusting(t, first).Get(s.base + "/readyz"); err == nil {
		res.Body.Close()
		t.Error("a new connection gets the former certificate")
	}

	host := strings.TrimPrefix(s.base, "https://")
	// #nosec G402 -- what is refused is under test
	old := &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	if conn, err := tls.Dial("tcp", host, old); err == nil {
		conn.Close()
		t.Error("TLS 1.1 is spoken")
	}
	if strings.Contains(s.logs.String(), "is not for the host of SITE_URL") {
		t.Error("a certificate for the host is warned about")
	}
}

// TestBackendAlone has the API and the probes, but no pages.
func TestBackendAlone(t *testing.T) {
	t.Parallel()
	s := startBy(t, testConfig(t, t.TempDir()), app.RunBackend)
	for path, want := range map[string]int{"/api/health": 200, "/health": 200, "/livez": 200, "/readyz": 200, "/api/pki/crl": 200} {
		if status, body := s.call("GET", path, "", nil); status != want {
			t.Errorf("%s: %d %v", path, status, body)
		}
	}
	for _, path := range []string{"/", "/login", "/downloads/"} {
		if status, body := s.call("GET", path, "", nil); status != 404 || !strings.Contains(body["detail"].(string), "frontend") {
			t.Errorf("%s: %d %v", path, status, body)
		}
	}
	if token, _ := s.login("admin", adminPassword); token == "" {
		t.Error("nobody signs in")
	}
}
