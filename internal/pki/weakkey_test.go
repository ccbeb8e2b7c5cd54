package pki

import (
	"crypto/rand"
	"crypto/rsa"
	"math/big"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
)

// TestWeakKeys: each weakness is refused for its own reason, and sound keys
// are not.
func TestWeakKeys(t *testing.T) {
	t.Parallel()
	roca, ok := vaulttest.ROCAKey(t).Public().(*rsa.PublicKey)
	if !ok {
		t.Fatal("no RSA key")
	}
	sound := vaulttest.RSAKey().N
	times := func(n int64) *big.Int { return new(big.Int).Mul(sound, big.NewInt(n)) }
	p := must.Get(rand.Prime(rand.Reader, 1024))(t)
	next := new(big.Int).Add(p, big.NewInt(2))
	for !next.ProbablyPrime(20) {
		next.Add(next, big.NewInt(2))
	}
	for want, n := range map[string]*big.Int{
		"ROCA": roca.N, "even": times(2), "small factor": times(751), "close together": new(big.Int).Mul(p, next),
		"": sound,
	} {
		got := weakRSA(&rsa.PublicKey{N: n, E: 65537})
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("want %q, got %q", want, got)
		}
	}
	square := new(big.Int).Mul(p, p)
	if weakRSA(&rsa.PublicKey{N: square, E: 65537}) == "" {
		t.Error("a square passes")
	}
}
