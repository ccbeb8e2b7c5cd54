package vaultpart_test

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/vault"
)

// FuzzLook: the worst that any document of a file can cause is an error.
func FuzzLook(f *testing.F) {
	for path, data := range lived() {
		f.Add(path, []byte(data))
	}
	f.Add("_pki/ca", []byte(`{"pem":"-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"}`))
	f.Add("_pki/crl", []byte(`{"number":1e99,"this_update":"x"}`))
	f.Add("_pki/revocations/000001", []byte(`{"revocations":[{"serial_number":"0a","reason":1}]}`))
	f.Add("audit_seal/key", []byte(`{"private_key":"AAAA"}`))
	f.Fuzz(func(_ *testing.T, path string, data []byte) {
		s := vaultpart.Survey{Judge: restore.Judge{CreatedAt: time.Unix(1_800_000_000, 0)}}
		if s.Look(path, vault.Data(data)) == nil {
			_ = s.Whole()
		}
	})
}
