// Command zlint judges certificates and revocation lists by the lints of
// zmap/zlint. It reads files of PEM or DER and prints a JSON array with
// whatever a lint has to say, as finding; what counts is the reader's to
// decide.
//
// It is a module of its own, so that nothing of it gets into Keyward.
package main

import (
	"cmp"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"slices"

	"github.com/zmap/zcrypto/x509"
	"github.com/zmap/zlint/v3"
	"github.com/zmap/zlint/v3/lint"
)

// finding is what one lint says of one thing.
type finding struct {
	File   string `json:"file"`
	Lint   string `json:"lint"`
	Source string `json:"source"` // RFC5280, CABF_BR and the like
	Result string `json:"result"` // info, warn, error or fatal
	Says   string `json:"says"`
}

func main() {
	all := []finding{}
	for _, file := range os.Args[1:] {
		found, err := judge(file)
		if err != nil {
			fmt.Fprintf(os.Stderr, "zlint: %s: %v\n", file, err)
			os.Exit(1)
		}
		all = append(all, found...)
	}
	if err := json.NewEncoder(os.Stdout).Encode(all); err != nil {
		fmt.Fprintln(os.Stderr, "zlint:", err)
		os.Exit(1)
	}
}

// judge lints every certificate or list of a file.
func judge(file string) (all []finding, err error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	blocks := [][]byte{raw}
	if block, rest := pem.Decode(raw); block != nil {
		for blocks = nil; block != nil; block, rest = pem.Decode(rest) {
			blocks = append(blocks, block.Bytes)
		}
	}
	for _, der := range blocks {
		results, err := lints(der)
		if err != nil {
			return nil, err
		}
		for name, r := range results.Results {
			if r.Status >= lint.Notice {
				m := r.LintMetadata
				all = append(all, finding{file, name, string(m.Source), r.Status.String(), m.Description + " (" + m.Citation + ") " + r.Details})
			}
		}
	}
	slices.SortFunc(all, func(a, b finding) int { return cmp.Compare(a.Lint, b.Lint) })
	return all, nil
}

// lints runs those for certificates, or those for lists.
func lints(der []byte) (*zlint.ResultSet, error) {
	certificate, err := x509.ParseCertificate(der)
	if err == nil {
		return zlint.LintCertificate(certificate), nil
	}
	list, listErr := x509.ParseRevocationList(der)
	if listErr != nil {
		return nil, fmt.Errorf("neither a certificate (%w) nor a revocation list (%w)", err, listErr)
	}
	return zlint.LintRevocationList(list), nil
}
