package pki

import (
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"os"
	"testing"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
)

// TestRefusalReasons: each refusal has its own reason, which a page can translate, and is still
// ErrInvalid.
func TestRefusalReasons(t *testing.T) {
	t.Parallel()
	sound := vaulttest.RSAKey().Public().(*rsa.PublicKey)
	_, noName := CheckNames(vault.SignRequest{})
	_, badIP := CheckNames(vault.SignRequest{CommonName: "a", IPs: []string{"300.1.1.1"}})
	for reason, err := range map[string]error{
		"key_type":       CheckKey(sound, []piv.KeyType{piv.ECP256}),
		"key_exponent":   CheckKey(&rsa.PublicKey{N: sound.N, E: 3}, []piv.KeyType{piv.RSA2048}),
		"key_roca":       CheckKey(vaulttest.ROCAKey(t).Public(), []piv.KeyType{piv.RSA2048}),
		"no_common_name": noName,
		"bad_ip":         badIP,
	} {
		f, ok := fault.As(err)
		if !ok || f.Code != fault.CSRRejected || f.Reason != reason || !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

// TestSignatureAlgorithms: the refusal of a CSR signed with an algorithm that is not accepted says
// so, and not that the signature is broken: creating it again would not help.
func TestSignatureAlgorithms(t *testing.T) {
	t.Parallel()
	for file, reason := range map[string]string{
		"openssl-pss.csr": "csr_signature_algorithm", // its default salt has 222 bytes
		"openssl-md5.csr": "csr_signature_algorithm", "openssl-pss32.csr": "",
	} {
		block, _ := pem.Decode(must.Get(os.ReadFile("testdata/" + file))(t))
		csr := must.Get(vault.ParseCSR(block.Bytes))(t)
		err := CheckCSR(csr.Request(), []piv.KeyType{piv.RSA2048})
		if f, ok := fault.As(err); ok != (reason != "") || ok && f.Reason != reason {
			t.Errorf("%s: %v, want %q", file, err, reason)
		}
	}
}
