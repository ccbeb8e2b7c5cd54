package pki_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/keyward/keyward/internal/pki"
)

// TestMutations: no byte of a real chain may change. For each F9, one chain has
// every byte changed in turn, by one bit; all others every seventh, starting at
// different offsets.
func TestMutations(t *testing.T) {
	t.Parallel()
	v := yubico(t)
	seen := map[string]bool{}
	for n, c := range allChains(t) {
		first, step := n%7, 7
		if !seen[string(c.f9)] {
			seen[string(c.f9)], first, step = true, 0, 1
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			claim := c.claim(t)
			for _, der := range [][]byte{c.leaf, c.f9} {
				mutated := slices.Clone(der)
				for i := first; i < len(der); i += step {
					mutated[i] ^= 1 << (i % 8)
					m := chain{c.name, c.leaf, mutated}
					if bytes.Equal(der, c.leaf) {
						m = chain{c.name, mutated, c.f9}
					}
					if s, err := v.Verify(m.pem(), claim); err == nil || s != (pki.Statement{}) {
						t.Errorf("byte %d of %d may be another: %v", i, len(der), err)
					}
					mutated[i] = der[i]
				}
			}
		})
	}
	if len(seen) != 21 {
		t.Errorf("%d different F9 certificates, want the 21 of the table", len(seen))
	}
}
