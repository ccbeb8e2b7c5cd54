package cert

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cryptobyteasn1 "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/textinput"
)

// warnings lists what the CSR asks for and the certificate lacks, and says so if the
// certificate ends with its CA.
func warnings(csr *x509.CertificateRequest, der []byte, chain [][]byte) ([]string, error) {
	issued, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	texts := []string{}
	for _, lack := range slices.Concat(missingNames(csr, issued), missingExtensions(csr, issued)) {
		texts = append(texts, "The CSR asks for "+lack+", which the certificate doesn't have.")
	}
	if until, short := shortened(issued.NotAfter, chain); short {
		texts = append(texts, "The certificate ends when its CA ends, on "+until.Format(time.DateOnly)+".")
	}
	return texts, nil
}

// shortened reports whether a certificate ends with its CA, the first of the chain.
func shortened(notAfter time.Time, chain [][]byte) (time.Time, bool) {
	if len(chain) == 0 {
		return notAfter, false
	}
	ca, err := x509.ParseCertificate(chain[0])
	return notAfter, err == nil && !notAfter.Before(ca.NotAfter)
}

func missingNames(csr *x509.CertificateRequest, issued *x509.Certificate) (lacks []string) {
	for _, name := range csr.Subject.Names {
		same := func(n pkix.AttributeTypeAndValue) bool {
			return n.Type.Equal(name.Type) && (!n.Type.Equal(oidCommonName) || strings.EqualFold(fmt.Sprint(n.Value), fmt.Sprint(name.Value)))
		}
		if !slices.ContainsFunc(issued.Subject.Names, same) {
			text := (pkix.RDNSequence{{name}}).String() // as RFC 4514 writes it
			lacks = append(lacks, "the name "+shown(text))
		}
	}
	add := func(kind string, asked, given []string) {
		for _, name := range asked {
			if !slices.ContainsFunc(given, func(g string) bool { return strings.EqualFold(g, name) }) {
				lacks = append(lacks, kind+" "+shown(name))
			}
		}
	}
	add("the email address", csr.EmailAddresses, issued.EmailAddresses)
	add("the DNS name", csr.DNSNames, issued.DNSNames)
	add("the IP address", texts(csr.IPAddresses), texts(issued.IPAddresses))
	add("the URI", texts(csr.URIs), texts(issued.URIs))
	asked, given := pki.OtherNamesOf(csr.Extensions), pki.OtherNamesOf(issued.Extensions)
	add("the user principal name (UPN)", asked.UPNs, given.UPNs)
	add("the Kerberos principal", texts(asked.Principals), texts(given.Principals))
	if asked.Unknown > 0 {
		lacks = append(lacks, "an alternative name of another kind")
	}
	return lacks
}

func texts[T fmt.Stringer](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = v.String()
	}
	return out
}

// shown is a name as repeated to the requester.
func shown(name string) string {
	if !textinput.ValidLine(name, 256) {
		return "(unreadable)"
	}
	return name
}

var (
	oidKeyUsage         = asn1.ObjectIdentifier{2, 5, 29, 15}
	oidExtKeyUsage      = asn1.ObjectIdentifier{2, 5, 29, 37}
	oidBasicConstraints = asn1.ObjectIdentifier{2, 5, 29, 19}
	oidSubjectKeyID     = asn1.ObjectIdentifier{2, 5, 29, 14}
)

func missingExtensions(csr *x509.CertificateRequest, issued *x509.Certificate) (lacks []string) {
	for _, asked := range csr.Extensions {
		given := slices.IndexFunc(issued.Extensions, func(e pkix.Extension) bool { return e.Id.Equal(asked.Id) })
		var value []byte
		if given >= 0 {
			value = issued.Extensions[given].Value
		}
		switch {
		case asked.Id.Equal(oidKeyUsage):
			has := keyUsageNames(value)
			for _, name := range keyUsageNames(asked.Value) {
				if !slices.Contains(has, name) {
					lacks = append(lacks, "the key usage "+name)
				}
			}
		case asked.Id.Equal(oidExtKeyUsage):
			has := purposeNames(value)
			for _, name := range purposeNames(asked.Value) {
				if !slices.Contains(has, name) {
					lacks = append(lacks, "the extended key usage "+name)
				}
			}
		case asked.Id.Equal(oidBasicConstraints):
			var constraints struct {
				IsCA       bool `asn1:"optional"`
				MaxPathLen int  `asn1:"optional,default:-1"`
			}
			if _, err := asn1.Unmarshal(asked.Value, &constraints); err == nil && constraints.IsCA {
				lacks = append(lacks, "the basic constraint CA:TRUE")
			}
		case asked.Id.Equal(oidSAN), asked.Id.Equal(oidSubjectKeyID), pki.IsStapled(asked.Id):
			// Its names are checked above; only a hint of the CSR's; looked at already.
		case given < 0:
			lacks = append(lacks, "the extension "+asked.Id.String())
		}
	}
	return lacks
}

func keyUsageNames(value []byte) (names []string) {
	var bits asn1.BitString
	if _, err := asn1.Unmarshal(value, &bits); err != nil {
		return nil
	}
	for i, name := range profile.KeyUsages {
		if bits.At(i) == 1 {
			names = append(names, name)
		}
	}
	return names
}

func purposeNames(value cryptobyte.String) (names []string) {
	var oid asn1.ObjectIdentifier
	if !value.ReadASN1(&value, cryptobyteasn1.SEQUENCE) {
		return nil
	}
	for value.ReadASN1ObjectIdentifier(&oid) {
		names = append(names, profile.PurposeName(oid))
	}
	return names
}
