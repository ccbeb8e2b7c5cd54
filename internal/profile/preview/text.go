package preview

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/profile"
)

// Text is what a certificate says, for people.
func Text(c *x509.Certificate) string {
	var b strings.Builder
	list := func(title string, values ...string) {
		for _, value := range values {
			fmt.Fprintf(&b, "%-20s %s\n", title, value)
			title = ""
		}
	}
	list("Subject:", subject(c.Subject))
	list("Other names:", names(c)...)
	if sid := pki.OtherNamesOf(c.Extensions).SID; sid != "" {
		list("Windows SID:", sid)
	}
	list("Key usage:", strings.Join(keyUsages(c.KeyUsage), ", "))
	list("Extended key usage:", purposes(c)...)
	until := c.NotAfter.UTC()
	list("Valid:", fmt.Sprintf("%s, until %s", lifetime(until.Sub(c.NotBefore)), until.Format("2006-01-02 15:04 MST")))
	list("Key:", string(piv.KeyTypeOf(c.PublicKey)))
	list("Revocation list:", c.CRLDistributionPoints...)
	list("OCSP:", c.OCSPServer...)
	return b.String()
}

// subject has the common name first.
func subject(n pkix.Name) string {
	var parts []string
	add := func(called string, values ...string) {
		for _, value := range values {
			parts = append(parts, called+" = "+value)
		}
	}
	add("CN", n.CommonName)
	add("OU", n.OrganizationalUnit...)
	add("O", n.Organization...)
	add("C", n.Country...)
	return strings.Join(parts, ", ")
}

func names(c *x509.Certificate) (list []string) {
	others := pki.OtherNamesOf(c.Extensions)
	for _, upn := range others.UPNs {
		list = append(list, "UPN "+upn)
	}
	for _, principal := range others.Principals {
		list = append(list, "Kerberos principal "+principal.String())
	}
	for _, email := range c.EmailAddresses {
		list = append(list, "email "+email)
	}
	for _, dns := range c.DNSNames {
		list = append(list, "DNS "+dns)
	}
	for _, uri := range c.URIs {
		list = append(list, "URI "+uri.String())
	}
	return list
}

func keyUsages(usage x509.KeyUsage) (list []string) {
	for i, called := range profile.KeyUsages {
		if usage&(1<<i) != 0 {
			list = append(list, called)
		}
	}
	return list
}

func purposes(c *x509.Certificate) (list []string) {
	add := func(oid asn1.ObjectIdentifier) {
		text := oid.String()
		if called := profile.PurposeName(oid); called != text {
			text = called + " (" + text + ")"
		}
		list = append(list, text)
	}
	for _, e := range c.Extensions {
		var oids []asn1.ObjectIdentifier
		if e.Id.Equal(oidExtKeyUsage) {
			if _, err := asn1.Unmarshal(e.Value, &oids); err == nil {
				for _, oid := range oids {
					add(oid)
				}
			}
		}
	}
	return list
}

var oidExtKeyUsage = asn1.ObjectIdentifier{2, 5, 29, 37}

// lifetime is in whole days where it has some.
func lifetime(d time.Duration) string {
	switch days := int((d + time.Hour) / (24 * time.Hour)); days {
	case 0:
		return d.Round(time.Minute).String()
	case 1:
		return "1 day"
	default:
		return fmt.Sprintf("%d days", days)
	}
}
