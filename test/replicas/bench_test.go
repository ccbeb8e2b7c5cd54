package replicas_test

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// BenchmarkRevocation measures how long after the request a revocation is in the CRL of each of three servers,
// and in the OCSP answers of each.
func BenchmarkRevocation(b *testing.B) {
	i := install(b, map[string]string{"PKI_OCSP": "on"})
	s := i.staff(b)
	w := s.workers[0]
	ca := must.Get(x509.ParseCertificate(i.at(b, 0).raw(b, http.MethodGet, "/api/pki/ca.cer", nil)))(b)
	for n := range i.servers {
		crl(b, i.at(b, n)) // cached from now on
	}
	var listed, answered time.Duration
	for n := 0; b.Loop(); n++ {
		w.do(b, fmt.Sprintf("9%07d", n), false)
		serial := w.done[n].certificate
		block, _ := pem.Decode([]byte(w.user.must(b, http.MethodGet, "/api/certificates/"+serial, nil)["certificate"].(string)))
		cert := must.Get(x509.ParseCertificate(block.Bytes))(b)
		request := must.Get(ocsp.CreateRequest(cert, ca, nil))(b)
		stands := func(c *client) int {
			return must.Get(ocsp.ParseResponse(c.raw(b, http.MethodPost, "/api/pki/ocsp", request), ca))(b).Status
		}
		for other := range i.servers { // cached there
			if status := stands(i.at(b, other)); status != ocsp.Good {
				b.Fatalf("before its revocation: %d", status)
			}
		}
		began := time.Now()
		w.user.must(b, http.MethodPost, "/api/certificates/"+serial+"/revoke", m{"reason": "superseded"})
		for other := range i.servers {
			c := i.at(b, other)
			await.That(b, "it is in every answer", func() bool { return stands(c) == ocsp.Revoked })
		}
		answered += time.Since(began)
		for other := range i.servers {
			c := i.at(b, other)
			await.That(b, "it is on every list", func() bool { return crl(b, c)[serial] })
		}
		listed += time.Since(began)
	}
	b.ReportMetric(float64(answered.Milliseconds())/float64(b.N), "ms-to-OCSP")
	b.ReportMetric(float64(listed.Milliseconds())/float64(b.N), "ms-to-CRL")
}

// raw returns the body of an answer that must be 200.
func (c *client) raw(t testing.TB, method, path string, body []byte) []byte {
	t.Helper()
	req := must.Get(http.NewRequestWithContext(t.Context(), method, c.base+path, bytes.NewReader(body)))(t)
	res := must.Get(c.through.RoundTrip(req))(t)
	defer func() { _ = res.Body.Close() }()
	content := must.Get(io.ReadAll(res.Body))(t)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s", path, res.StatusCode, strings.TrimSpace(string(content)))
	}
	return content
}
