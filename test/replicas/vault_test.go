package replicas_test

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// compareVault: Vault holds no certificate that is neither on record nor
// revoked, but for those whose signing was cut short with their server; no
// client ever saw one of them.
func (s *site) compareVault(t *testing.T, recorded map[string]m, held int64) {
	t.Helper()
	mount := s.settings["VAULT_PKI_MOUNT"]
	stray := int64(0)
	for _, key := range s.vault.Call(t, "LIST", mount+"/certs", nil)["keys"].([]any) {
		serial := strings.ReplaceAll(key.(string), ":", "")
		if recorded[strings.TrimPrefix(serial, "00")] != nil {
			continue
		}
		c := s.vault.Call(t, http.MethodGet, mount+"/cert/"+key.(string), nil)
		if at, _ := c["revocation_time"].(float64); at > 0 || isCA(t, c) {
			continue
		}
		stray++
	}
	if stray > held {
		t.Errorf("the vault holds %d certificates that nobody knows, and %d requests had no answer", stray, held)
	}
}

// isCA tells whether Vault's entry is its CA.
func isCA(t *testing.T, entry m) bool {
	t.Helper()
	block, _ := pem.Decode([]byte(entry["certificate"].(string)))
	return must.Get(x509.ParseCertificate(block.Bytes))(t).IsCA
}
