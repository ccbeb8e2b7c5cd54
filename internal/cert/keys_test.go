package cert

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"testing"

	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/test/must"
)

// TestNoVerifierCertifiesNothing: a policy that requires attestation but has no
// verifier certifies no key.
func TestNoVerifierCertifiesNothing(t *testing.T) {
	t.Parallel()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t).Public()
	for mode, open := range map[AttestationMode]bool{
		"": true, AttestationOff: true, AttestationVerify: false, AttestationRequire: false, "x": false,
	} {
		for _, chain := range [][]string{nil, {"a", "b"}} {
			s, err := KeyPolicy{Attestation: mode}.judge(key, hwkey.Device{}, "9a", chain)
			if s != nil || (err == nil) != open {
				t.Errorf("%q, %d certificates: %v, %v", mode, len(chain), s, err)
			}
		}
	}
}
