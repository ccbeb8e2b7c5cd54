package vault_test

import (
	"encoding/pem"
	"os"
	"testing"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// TestLooseCSR: a node-forge CSR, with an underscore in a PrintableString of its subject, is read,
// and its signature still covers the original bytes.
func TestLooseCSR(t *testing.T) {
	t.Parallel()
	block, _ := pem.Decode(must.Get(os.ReadFile("testdata/node-forge.csr"))(t))
	csr := must.Get(vault.ParseCSR(block.Bytes))(t)
	request := csr.Request()
	if !csr.Loose() || request.Subject.CommonName != "jdoe_x" || string(request.Raw) != string(block.Bytes) {
		t.Errorf("read as %q, loose %v", request.Subject, csr.Loose())
	}
	must.OK(t, request.CheckSignature())
	block.Bytes[len(block.Bytes)/2] ^= 1 // in the key
	if csr, err := vault.ParseCSR(block.Bytes); err == nil && csr.Request().CheckSignature() == nil {
		t.Error("the signature is good for another key")
	}
}

// FuzzParseCSR: any input yields a request or a refusal; a signature never verifies for other
// bytes.
func FuzzParseCSR(f *testing.F) {
	block, _ := pem.Decode(must.Get(os.ReadFile("testdata/node-forge.csr"))(f))
	f.Add(block.Bytes)
	f.Add([]byte("0\x00"))
	f.Fuzz(func(t *testing.T, der []byte) {
		csr, err := vault.ParseCSR(der)
		if err != nil || !csr.Loose() {
			return
		}
		if csr.Request().CheckSignature() == nil && string(der) != string(block.Bytes) {
			t.Error("a signature is good for other bytes")
		}
	})
}
