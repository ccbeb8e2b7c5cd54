// Package certlint has zlint, which is not ours, judge certificates and revocation lists. Of its
// lints, it has those of RFCs and of zlint's own community. It leaves out those for public CAs (the
// CA/Browser Forum's), for programs' own roots (Apple, Chrome, Mozilla) and for the qualified
// certificates of the European Union, which say nothing of a private CA.
package certlint

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/zmap/zcrypto/x509"
	"github.com/zmap/zlint/v3/lint"
	_ "github.com/zmap/zlint/v3/lints/community" // registers its lints
	_ "github.com/zmap/zlint/v3/lints/rfc"       // likewise
)

// Finding is what one lint says.
type Finding struct {
	Lint   string // its name; e_ is an error, w_ a warning, n_ a notice
	Source string // RFC5280, Community and the like
	Says   string
	Error  bool // otherwise a warning, or only a notice
	Notice bool
}

func (f Finding) String() string { return fmt.Sprintf("%s (%s): %s", f.Lint, f.Source, f.Says) }

// excused are the lints that Keyward violates, each with its reason.
var excused = map[string]string{
	"w_distribution_point_missing_ldap_or_uri": httpsSite,
	"w_ext_aia_access_location_missing":        httpsSite,
}

const httpsSite = "the specification derives the addresses from the site's, which is https; the e2e tests hold them letter by letter"

// Certificate returns what there is to say of a certificate, DER, sorted by lint.
func Certificate(der []byte) ([]Finding, error) {
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("zlint cannot read the certificate: %w", err)
	}
	var found []Finding
	for _, l := range lint.GlobalRegistry().CertificateLints().Lints() {
		found = note(found, l.LintMetadata, l.Execute(cert, lint.NewEmptyConfig()))
	}
	return sorted(found), nil
}

// RevocationList returns what there is to say of a CRL, DER, sorted by lint.
func RevocationList(der []byte) ([]Finding, error) {
	list, err := x509.ParseRevocationList(der)
	if err != nil {
		return nil, fmt.Errorf("zlint cannot read the revocation list: %w", err)
	}
	var found []Finding
	for _, l := range lint.GlobalRegistry().RevocationListLints().Lints() {
		found = note(found, l.LintMetadata, l.Execute(list, lint.NewEmptyConfig()))
	}
	return sorted(found), nil
}

func note(found []Finding, m lint.LintMetadata, r *lint.LintResult) []Finding {
	if r.Status < lint.Notice || excused[m.Name] != "" {
		return found
	}
	says := fmt.Sprintf("%s (%s)", m.Description, m.Citation)
	if r.Details != "" {
		says += " " + r.Details
	}
	return append(found, Finding{m.Name, string(m.Source), says, r.Status >= lint.Error, r.Status == lint.Notice})
}

func sorted(found []Finding) []Finding {
	slices.SortFunc(found, func(a, b Finding) int { return cmp.Compare(a.Lint, b.Lint) })
	return found
}
