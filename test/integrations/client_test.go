//go:build exhaustive

package integrations_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// TestCurl: curl shows a server the token's certificate, by TLS 1.2 and 1.3, RSA and EC.
func TestCurl(t *testing.T) {
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
		k.certify(t, tok, "9a", algorithm)
		for version, option := range map[string][]string{"TLS 1.2": {"--tls-max", "1.2"}, "TLS 1.3": {"--tlsv1.3"}} {
			got, _ := try(t, append(tok.env, "OPENSSL_CONF="+tok.engine(t)), "", "curl", append(option, "--silent", "--show-error", "--insecure",
				"--engine", "pkcs11", "--key-type", "ENG", "--key", "pkcs11:id=%01;type=private", "--cert", tok.cert("9a"), s.URL)...)
			if got != version+" jdoe" {
				t.Errorf("%s, %s: %s", algorithm, version, got)
			}
		}
	}
}
