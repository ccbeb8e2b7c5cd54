package pki

import (
	"crypto/x509"
	"encoding/asn1"
	"slices"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// CheckPurposes returns ProfileUnsupported for an extended key usage that a CA of the chain is not
// for: no verifier would accept the certificate. Mail is not judged: see
// AllowsMail.
func CheckPurposes(chain []*x509.Certificate, purposes []asn1.ObjectIdentifier) error {
	for _, ca := range chain {
		for _, purpose := range purposes {
			if !Permits(ca, purpose) && !x509.ExtKeyUsageEmailProtection.OID().EqualASN1OID(purpose) {
				return fault.Newf(fault.ProfileUnsupported, "ca_purposes",
					"The CA can't make certificates for {purpose}: its own extended key usages (EKU), or those of a CA above it, don't include it. "+
						"Choose another profile.", fault.Params{"purpose": purpose.String()}).With(vault.ErrInvalid)
			}
		}
	}
	return nil
}

// Permits reports whether certificates below a CA can be for that purpose.
func Permits(ca *x509.Certificate, purpose asn1.ObjectIdentifier) bool {
	return len(ca.ExtKeyUsage)+len(ca.UnknownExtKeyUsage) == 0 || slices.ContainsFunc(ca.UnknownExtKeyUsage, purpose.Equal) ||
		slices.ContainsFunc(ca.ExtKeyUsage, func(u x509.ExtKeyUsage) bool { return u == x509.ExtKeyUsageAny || u.OID().EqualASN1OID(purpose) })
}
