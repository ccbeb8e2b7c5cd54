package profile

import (
	"crypto/x509"
	"encoding/asn1"
	"slices"
	"strconv"
	"strings"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
)

// Purposes are the extended key usages that have names (RFC 5280, section 4.2.1.12; RFC 4556,
// section 3.2.4; NIST SP 800-73-4, part 1, appendix B; Microsoft's; RFC 9336).
var Purposes = map[string]asn1.ObjectIdentifier{
	"clientAuth":         {1, 3, 6, 1, 5, 5, 7, 3, 2},
	"emailProtection":    {1, 3, 6, 1, 5, 5, 7, 3, 4},
	"smartcardLogon":     {1, 3, 6, 1, 4, 1, 311, 20, 2, 2},
	"pkinitClient":       {1, 3, 6, 1, 5, 2, 3, 4},
	"cardAuthentication": {2, 16, 840, 1, 101, 3, 6, 8},
	"ipsecUser":          {1, 3, 6, 1, 5, 5, 7, 3, 7},
	"documentSigning":    {1, 3, 6, 1, 5, 5, 7, 3, 36},
}

// forbidden are the purposes that would make a person's certificate something else.
var forbidden = map[string]string{
	"serverAuth": "1.3.6.1.5.5.7.3.1", "codeSigning": "1.3.6.1.5.5.7.3.3", "timeStamping": "1.3.6.1.5.5.7.3.8",
	"OCSPSigning": "1.3.6.1.5.5.7.3.9", "anyExtendedKeyUsage": "2.5.29.37.0",
	"the KDC's": "1.3.6.1.5.2.3.5", "the enrolment agent's": "1.3.6.1.4.1.311.20.2.1",
}

// PurposeName is how people call an extended key usage; its dotted OID if it has no name here.
func PurposeName(oid asn1.ObjectIdentifier) string {
	for called, known := range Purposes {
		if known.Equal(oid) {
			return called
		}
	}
	for called, dotted := range forbidden {
		if dotted == oid.String() {
			return called
		}
	}
	return oid.String()
}

// purpose is the OID of a name, or of a dotted OID; nil if it is neither.
func purpose(name string) asn1.ObjectIdentifier {
	if oid, ok := Purposes[name]; ok {
		return oid
	}
	var oid asn1.ObjectIdentifier
	for part := range strings.SplitSeq(name, ".") {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil || strconv.FormatUint(n, 10) != part {
			return nil
		}
		oid = append(oid, int(n))
	}
	if len(oid) < 2 || oid[0] > 2 || oid[0] < 2 && oid[1] > 39 {
		return nil
	}
	return oid
}

func (p Profile) purposes() []asn1.ObjectIdentifier {
	list := make([]asn1.ObjectIdentifier, len(p.ExtendedKeyUsage))
	for i, name := range p.ExtendedKeyUsage {
		list[i] = purpose(name)
	}
	return list
}

// allows reports whether it has one of the named purposes.
func (p Profile) allows(names ...string) bool {
	return slices.ContainsFunc(p.purposes(), func(oid asn1.ObjectIdentifier) bool {
		return slices.ContainsFunc(names, func(name string) bool { return oid.Equal(Purposes[name]) })
	})
}

// Usage is what a certificate for a key of that type is good for; its Key is 0 if there is none.
func (p Profile) Usage(t piv.KeyType) vault.Usage {
	u := vault.Usage{Profile: p.Name, Purposes: p.purposes()}
	if slices.Contains(p.KeyTypes, t) {
		u.Key = p.keyUsage(t)
	}
	return u
}

// Algorithms are the key types that it is for, the first of each algorithm.
func (p Profile) Algorithms() (list []piv.KeyType) {
	for _, t := range p.KeyTypes {
		known := slices.ContainsFunc(list, func(o piv.KeyType) bool { return o.Algorithm() == t.Algorithm() })
		if !known && p.keyUsage(t) != 0 {
			list = append(list, t)
		}
	}
	return list
}

// KeyUsages are the names of the bits of a key usage, in their order (RFC 5280, section 4.2.1.3).
var KeyUsages = []string{"digitalSignature", "contentCommitment", "keyEncipherment", "dataEncipherment", "keyAgreement",
	"keyCertSign", "cRLSign", "encipherOnly", "decipherOnly"}

// usages are the key usages that a profile may have.
var usages = map[string]x509.KeyUsage{
	"digitalSignature":  x509.KeyUsageDigitalSignature,
	"contentCommitment": x509.KeyUsageContentCommitment,
	"keyEncipherment":   x509.KeyUsageKeyEncipherment,
	"keyAgreement":      x509.KeyUsageKeyAgreement,
}

// keyUsage is what a key of that type gets: a profile serves RSA, which enciphers, and elliptic
// curves, which agree on a key (RFC 5480, section 3). Ed25519 does neither (RFC 8410, section 5).
// Zero: nothing is left, so such a key cannot have the profile.
func (p Profile) keyUsage(t piv.KeyType) x509.KeyUsage {
	var usage x509.KeyUsage
	for _, name := range p.KeyUsage {
		usage |= usages[name]
	}
	const enciphers, agrees = x509.KeyUsageKeyEncipherment, x509.KeyUsageKeyAgreement
	switch t {
	case piv.RSA2048, piv.RSA3072, piv.RSA4096:
		return usage &^ agrees
	case piv.ECP256, piv.ECP384:
		if usage&enciphers != 0 && p.Name != Default { // the specification's role names no keyAgreement
			usage |= agrees
		}
		return usage &^ enciphers
	}
	return usage &^ (enciphers | agrees)
}
