package issuance

import (
	"crypto/x509"
	"encoding/asn1"
	"slices"

	"github.com/keyward/keyward/internal/pki"
)

// checkLimits refuses a chain that forbids what is signed below it, whatever its names: no verifier
// would accept the certificates (RFC 5280, section 6).
func checkLimits(chain []*x509.Certificate) error {
	for i, ca := range chain {
		switch {
		case !allowsUsages(ca):
			return invalid("the imported CA, or one above it, can't be used for clientAuth: its extended key usages (EKU) don't include it")
		case ca.RequireExplicitPolicy > 0 || ca.RequireExplicitPolicyZero:
			return invalid("the imported CA, or one above it, requires certificate policies, which Keyward's certificates don't have")
		case limitsPath(ca) && ca.MaxPathLen < i:
			return invalid("the imported CA's chain is longer than a CA in it allows (path length)")
		case len(ca.UnhandledCriticalExtensions) > 0 || limitsSubjects(ca):
			return invalid("the imported CA, or one above it, has a critical extension or name constraints that Keyward can't " +
				"respect, such as limits on directory names")
		}
	}
	return nil
}

// allowsUsages reports whether certificates below a CA can be used to sign in. Not every
// organization's CA allows mail: see AllowsMail.
func allowsUsages(ca *x509.Certificate) bool { return pki.Permits(ca, oidClientAuth) }

// AllowsMail reports whether certificates below all of a chain can be used for emailProtection.
func AllowsMail(chain []*x509.Certificate) bool {
	return !slices.ContainsFunc(chain, func(ca *x509.Certificate) bool { return !pki.Permits(ca, oidEmailProtection) })
}

var (
	oidClientAuth      = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 2}
	oidEmailProtection = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 4}
)

func limitsPath(ca *x509.Certificate) bool {
	return ca.BasicConstraintsValid && (ca.MaxPathLen > 0 || ca.MaxPathLen == 0 && ca.MaxPathLenZero)
}

// Kinds of names that crypto/x509 compares with constraints (RFC 5280,
// GeneralName): rfc822Name, dNSName, uniformResourceIdentifier, iPAddress.
var comparedNames = []int{1, 2, 6, 7}

// limitsSubjects reports whether name constraints cover names that crypto/x509 does not compare. If
// they are critical, as they must be, crypto/x509 says so itself; if not, other verifiers still
// enforce them.
func limitsSubjects(ca *x509.Certificate) bool {
	value := pki.NameConstraints(ca)
	if value == nil {
		return false
	}
	var constraints struct {
		Permitted []subtree `asn1:"optional,tag:0"`
		Excluded  []subtree `asn1:"optional,tag:1"`
	}
	if rest, err := asn1.Unmarshal(value, &constraints); err != nil || len(rest) > 0 {
		return true
	}
	return slices.ContainsFunc(slices.Concat(constraints.Permitted, constraints.Excluded), func(s subtree) bool {
		return s.Base.Class != asn1.ClassContextSpecific || !slices.Contains(comparedNames, s.Base.Tag)
	})
}

// subtree is a GeneralSubtree without minimum and maximum, which RFC 5280
// forbids.
type subtree struct{ Base asn1.RawValue }
