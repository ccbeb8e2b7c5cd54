package lint

import (
	"encoding/pem"
	"fmt"
	"testing"

	"github.com/keyward/keyward/internal/certlint"
)

// judge returns zlint's findings in certificates and lists (PEM or DER, by a name for
// the reader), each as one line.
func judge(t *testing.T, things map[string][]byte) (all []string) {
	t.Helper()
	for name, raw := range things {
		blocks := [][]byte{raw}
		if block, rest := pem.Decode(raw); block != nil {
			for blocks = nil; block != nil; block, rest = pem.Decode(rest) {
				blocks = append(blocks, block.Bytes)
			}
		}
		for _, der := range blocks {
			found, err := certlint.Certificate(der)
			if err != nil {
				var noList error
				if found, noList = certlint.RevocationList(der); noList != nil {
					t.Fatalf("%s: %v; %v", name, err, noList)
				}
			}
			for _, f := range found {
				all = append(all, fmt.Sprintf("%s: %s", name, f))
			}
		}
	}
	return all
}
