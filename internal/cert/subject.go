package cert

import (
	"cmp"
	"crypto/x509"
	"encoding/asn1"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/textinput"
	"github.com/keyward/keyward/internal/vault"
)

// SubjectPolicy says which names a certificate may have.
type SubjectPolicy string

// The policies (contract, "Certificates and PKI", signing).
const (
	// OwnerPolicy: the CN is the token owner's username or email, the email SAN the
	// owner's email; nothing else.
	OwnerPolicy SubjectPolicy = "owner"
	// AnyPolicy: CN and SANs of the CSR, as the PKI role allows.
	AnyPolicy SubjectPolicy = "any"
)

const maxCSR = 64 * 1024

// parseCSR reads one PEM CERTIFICATE REQUEST and nothing else.
func parseCSR(text string) (vault.CSR, error) {
	if len(text) > maxCSR {
		return vault.CSR{}, fault.Invalid(fault.TooLong("csr", maxCSR))
	}
	block, rest := textinput.PEM(text)
	if block == nil || (block.Type != "CERTIFICATE REQUEST" && block.Type != "NEW CERTIFICATE REQUEST") ||
		len(rest) != 0 || len(block.Headers) != 0 {
		return vault.CSR{}, fault.Invalid(fault.Wrong("csr", "no_csr_pem", "must be one PEM block CERTIFICATE REQUEST"))
	}
	csr, err := vault.ParseCSR(block.Bytes)
	if err != nil {
		return vault.CSR{}, fault.Invalid(fault.Wrong("csr", "no_csr", "is not a PKCS #10 certification request"))
	}
	return csr, nil
}

// holder is whom a token's certificates are for.
func (s *Service) holder(d hwkey.Device) profile.Holder {
	return profile.Holder{
		Username: d.OwnerUsername, Email: d.OwnerEmail, Name: d.OwnerName, UPN: d.OwnerUPN, SID: d.OwnerSID,
		Organization: d.OrganizationName, Realm: cmp.Or(d.KerberosRealm, s.Profiles.Realm), Serial: d.Serial,
		OrganizationID: d.OrganizationID, Role: d.OwnerRole,
	}
}

// request is what the CA is asked for: the names and usages of the profile. The default profile's
// names are those of the CSR that the policy allows.
func (s *Service) request(p profile.Profile, csr vault.CSR, d hwkey.Device, slot piv.Slot) (vault.SignRequest, error) {
	h := s.holder(d)
	if obstacles := p.Obstacles(slot, h); len(obstacles) > 0 {
		return vault.SignRequest{}, obstacles[0]
	}
	if err := pki.CheckKey(csr.Request().PublicKey, s.Profiles.KeyTypes); err != nil {
		return vault.SignRequest{}, err
	}
	req, err := p.Request(csr.Request().PublicKey, h)
	if err != nil {
		return req, err
	}
	if p.Name != profile.Default {
		req.CSR = csr
		return req, nil
	}
	named, err := s.Policy.names(csr, d)
	named.Usage, named.TTL = req.Usage, req.TTL
	return named, err
}

// names returns the names the certificate gets for a CSR.
func (p SubjectPolicy) names(parsed vault.CSR, d hwkey.Device) (vault.SignRequest, error) {
	csr := parsed.Request()
	req := vault.SignRequest{CSR: parsed, CommonName: csr.Subject.CommonName}
	if csr.Subject.CommonName == "" {
		return req, fault.New(fault.CSRRejected, "no_common_name", "The CSR's subject has no common name (CN).")
	}
	if p == AnyPolicy {
		req.Emails, req.DNSNames = csr.EmailAddresses, csr.DNSNames
		for _, ip := range csr.IPAddresses {
			req.IPs = append(req.IPs, ip.String())
		}
		for _, u := range csr.URIs {
			if pki.IsSIDURI(u.String()) {
				return req, fault.New(fault.CSRRejected, "sid_in_uri",
					"The CSR asks for a Windows SID in a URI. SIDs are those of accounts, in certificates whose profile has them.")
			}
			req.URIs = append(req.URIs, u.String())
		}
		return req, nil
	}
	return ownerNames(csr, d, req)
}

var oidCommonName = asn1.ObjectIdentifier{2, 5, 4, 3}

func ownerNames(csr *x509.CertificateRequest, d hwkey.Device, req vault.SignRequest) (vault.SignRequest, error) {
	for _, rdn := range csr.Subject.Names {
		if !rdn.Type.Equal(oidCommonName) {
			return req, fault.New(fault.CSRRejected, "common_name_only", "The CSR's subject may only have a common name (CN).")
		}
	}
	if len(csr.Subject.Names) != 1 {
		return req, fault.New(fault.CSRRejected, "one_common_name", "The CSR's subject must have exactly one common name (CN).")
	}
	switch {
	case strings.EqualFold(req.CommonName, d.OwnerUsername):
		req.CommonName = d.OwnerUsername
	case strings.EqualFold(req.CommonName, d.OwnerEmail):
		req.CommonName = d.OwnerEmail
	default:
		return req, fault.New(fault.CSRRejected, "foreign_common_name",
			"The CSR's common name (CN) must be the username or email of the token's owner.")
	}
	foreign := slices.ContainsFunc(csr.EmailAddresses, func(e string) bool { return !strings.EqualFold(e, d.OwnerEmail) })
	if foreign || len(csr.DNSNames)+len(csr.IPAddresses)+len(csr.URIs) > 0 || hasOtherNames(csr) {
		return req, fault.New(fault.CSRRejected, "foreign_alternative_name",
			"The CSR asks for an alternative name other than the email of the token's owner.")
	}
	req.Emails = []string{d.OwnerEmail}
	return req, nil
}

var oidSAN = asn1.ObjectIdentifier{2, 5, 29, 17}

// hasOtherNames reports whether the CSR's SAN extension has name types that
// crypto/x509 ignores (otherName, directoryName, registeredID…).
func hasOtherNames(csr *x509.CertificateRequest) bool {
	o := pki.OtherNamesOf(csr.Extensions)
	return len(o.UPNs)+len(o.Principals)+o.Unknown > 0
}
