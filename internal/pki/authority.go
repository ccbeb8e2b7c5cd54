package pki

import (
	"crypto/x509"
	"encoding/asn1"
	"slices"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
)

// caKeyTypes are those that a CA may sign with.
var caKeyTypes = []piv.KeyType{piv.RSA2048, piv.RSA3072, piv.RSA4096, piv.ECP256, piv.ECP384}

// CheckAuthority returns CARejected unless a CA's chain, from its certificate to a self-signed root, can issue
// certificates for people and CRLs that verifiers accept (RFC 5280, section 6), whatever their names. It is
// vault.ErrInvalid, too. Neither the key nor the time is judged.
func CheckAuthority(chain []*x509.Certificate) error {
	ca := chain[0]
	const usages = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	var bad *fault.Error
	switch {
	case !ca.IsCA || !ca.BasicConstraintsValid:
		bad = fault.New(fault.CARejected, "not_a_ca", "The certificate is not a CA's: its basic constraints must say CA:TRUE.")
	case ca.KeyUsage&usages != usages:
		bad = fault.New(fault.CARejected, "ca_usages", "The CA's certificate must have the key usages keyCertSign and cRLSign.")
	case len(ca.SubjectKeyId) == 0:
		bad = fault.New(fault.CARejected, "ca_key_id", "The CA's certificate must have a subject key identifier.")
	case !slices.Contains(caKeyTypes, piv.KeyTypeOf(ca.PublicKey)):
		bad = fault.New(fault.CARejected, "ca_key_type", "The CA's key must be RSA with 2048, 3072 or 4096 bits, P-256 or P-384.")
	case !ascends(chain):
		bad = fault.New(fault.CARejected, "ca_chain", "The certificates don't lead from this CA to a self-signed root. Send all of "+
			"them, with the root.")
	default:
		bad = limits(chain)
	}
	if bad == nil {
		return nil
	}
	return bad.With(vault.ErrInvalid)
}

// ascends reports whether each certificate is signed by the next, and the last one by itself.
func ascends(chain []*x509.Certificate) bool {
	for i, cert := range chain {
		if cert.CheckSignatureFrom(chain[min(i+1, len(chain)-1)]) != nil {
			return false
		}
	}
	return true
}

// limits refuses a chain that forbids what is signed below it.
func limits(chain []*x509.Certificate) *fault.Error {
	for i, ca := range chain {
		switch {
		case !Permits(ca, oidClientAuth):
			return fault.New(fault.CARejected, "ca_client_auth", "The CA, or one above it, can't be used for clientAuth: its extended key "+
				"usages (EKU) don't include it.")
		case ca.RequireExplicitPolicy > 0 || ca.RequireExplicitPolicyZero:
			return fault.New(fault.CARejected, "ca_policies", "The CA, or one above it, requires certificate policies, which Keyward's "+
				"certificates don't have.")
		case limitsPath(ca) && ca.MaxPathLen < i:
			return fault.New(fault.CARejected, "ca_path_length", "The CA's chain is longer than a CA in it allows (path length).")
		case len(ca.UnhandledCriticalExtensions) > 0 || limitsSubjects(ca):
			return fault.New(fault.CARejected, "ca_constraints", "The CA, or one above it, has a critical extension or name constraints that "+
				"Keyward can't respect, such as limits on directory names.")
		}
	}
	return nil
}

// AllowsMail reports whether certificates below all of a chain can be used for emailProtection. Not every
// organization's CA allows that.
func AllowsMail(chain []*x509.Certificate) bool {
	return !slices.ContainsFunc(chain, func(ca *x509.Certificate) bool { return !Permits(ca, oidEmailProtection) })
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
	value := NameConstraints(ca)
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
