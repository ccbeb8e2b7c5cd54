package cert

import (
	"cmp"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
)

// describe fills a record from the certificate itself.
func describe(c *x509.Certificate) Certificate {
	r := Certificate{
		Subject: c.Subject.String(), CommonName: c.Subject.CommonName, Issuer: c.Issuer.String(),
		NotBefore: c.NotBefore.UTC(), NotAfter: c.NotAfter.UTC(), KeyAlgorithm: cmp.Or(string(piv.KeyTypeOf(c.PublicKey)), "unknown"),
		PublicKeySHA256: hexSHA256(c.RawSubjectPublicKeyInfo), DER: c.Raw, Status: Issued, SANs: []SAN{},
	}
	for _, e := range c.EmailAddresses {
		r.SANs = append(r.SANs, SAN{"email", e})
	}
	for _, d := range c.DNSNames {
		r.SANs = append(r.SANs, SAN{"dns", d})
	}
	for _, ip := range c.IPAddresses {
		r.SANs = append(r.SANs, SAN{"ip", ip.String()})
	}
	for _, u := range c.URIs {
		r.SANs = append(r.SANs, SAN{"uri", u.String()})
	}
	others := pki.OtherNamesOf(c.Extensions)
	for _, upn := range others.UPNs {
		r.SANs = append(r.SANs, SAN{"upn", upn})
	}
	for _, p := range others.Principals {
		r.SANs = append(r.SANs, SAN{"krb5_principal", p.String()})
	}
	if others.SID != "" {
		r.SANs = append(r.SANs, SAN{"sid", others.SID})
	}
	return r
}

// hexSHA256 is the identifier of keys and CSRs: lower-case hex SHA-256 of their DER.
func hexSHA256(der []byte) string {
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}
