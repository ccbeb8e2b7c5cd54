//go:build exhaustive

package integrations_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// TestClients: curl, and the library of browsers, show a server the token's certificate, by TLS 1.2 and
// 1.3, RSA and EC.
func TestClients(t *testing.T) {
	t.Parallel()
	k := serve(t, "PKI_KEY_TYPES=rsa-2048,ec-p256")
	tok := k.plugIn(t, "20260001")
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, tls.VersionName(r.TLS.Version)+" "+r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(must.Get(os.ReadFile(k.ca))(t))
	s.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
	s.StartTLS()
	t.Cleanup(s.Close)
	for _, algorithm := range []string{"RSA2048", "ECCP256"} {
		k.certify(t, tok, "9a", algorithm, "tls-client")
		for _, version := range []string{"1.2", "1.3"} {
			for name, get := range map[string]func(*testing.T, *token, string, string) string{"curl": curl, "NSS": nss} {
				if got := get(t, tok, s.URL, version); !strings.HasSuffix(got, "TLS "+version+" jdoe") {
					t.Errorf("%s, %s, %s: %s", name, algorithm, version, got)
				}
			}
		}
	}
}

func curl(t *testing.T, tok *token, url, version string) string {
	t.Helper()
	text, _ := try(t, append(tok.env, "OPENSSL_CONF="+tok.engine(t)), "", "curl", "--silent", "--show-error", "--insecure", "--http1.1",
		"--tlsv"+version, "--tls-max", version, "--engine", "pkcs11", "--key-type", "ENG", "--key", "pkcs11:id=%01;type=private",
		"--cert", tok.cert("9a"), url)
	return text
}

// nss is the library of Firefox and Chromium, and its own client.
func nss(t *testing.T, tok *token, url, version string) string {
	t.Helper()
	dir := t.TempDir()
	run(t, tok.env, "", "certutil", "-N", "-d", dir, "--empty-password")
	run(t, tok.env, "", "modutil", "-force", "-dbdir", dir, "-add", "OpenSC", "-libfile", module(t))
	request := filepath.Join(dir, "request")
	must.OK(t, os.WriteFile(request, []byte("GET / HTTP/1.0\r\n\r\n"), 0o600))
	address := strings.Split(strings.TrimPrefix(url, "https://"), ":")
	text, _ := try(t, tok.env, "", "tstclnt", "-A", request, "-d", dir, "-h", address[0], "-p", address[1], "-o",
		"-V", "tls"+version+":tls"+version, "-n", "jdoe:Certificate for PIV Authentication", "-w", pin)
	return text
}
