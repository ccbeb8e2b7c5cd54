package replicas_test

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// orphans returns what Vault has signed that is neither recorded nor revoked.
func (s *site) orphans(t testing.TB, recorded map[string]m) (serials []string) {
	t.Helper()
	mount := s.options.Mounts.PKI
	for _, key := range s.vault.Call(t, "LIST", mount+"/certs", nil)["keys"].([]any) {
		serial := strings.ReplaceAll(key.(string), ":", "")
		if recorded[serial] != nil {
			continue
		}
		c := s.vault.Call(t, http.MethodGet, mount+"/cert/"+key.(string), nil)
		if at, _ := c["revocation_time"].(float64); at > 0 || isCA(t, c) {
			continue
		}
		serials = append(serials, serial)
	}
	return serials
}

// isCA reports whether Vault's entry is its CA.
func isCA(t testing.TB, entry m) bool {
	t.Helper()
	block, _ := pem.Decode([]byte(entry["certificate"].(string)))
	return must.Get(x509.ParseCertificate(block.Bytes))(t).IsCA
}
