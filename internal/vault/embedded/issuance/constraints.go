package issuance

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/certreq"
)

// usages are the extended key usages of every certificate.
var usages = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageEmailProtection}

// checkLimits refuses a chain that forbids what is signed below it, whatever
// its names: nobody would accept the certificates (RFC 5280, section 6).
func checkLimits(chain []*x509.Certificate) error {
	for i, ca := range chain {
		switch {
		case !allowsUsages(ca):
			return invalid("the imported CA, or one above it, may not be used for clientAuth and emailProtection: its extended key usages " +
				"(EKU) leave them out")
		case ca.RequireExplicitPolicy > 0 || ca.RequireExplicitPolicyZero:
			return invalid("the imported CA, or one above it, demands certificate policies, which Keyward's certificates do not have")
		case limitsPath(ca) && ca.MaxPathLen < i:
			return invalid("the imported CA's chain is longer than a CA in it allows (path length)")
		case len(ca.UnhandledCriticalExtensions) > 0 || limitsSubjects(ca):
			return invalid("the imported CA, or one above it, has a critical extension or name constraints of a kind that Keyward cannot keep to, " +
				"such as limits on directory names")
		}
	}
	return nil
}

func allowsUsages(ca *x509.Certificate) bool {
	if len(ca.ExtKeyUsage)+len(ca.UnknownExtKeyUsage) == 0 || slices.Contains(ca.ExtKeyUsage, x509.ExtKeyUsageAny) {
		return true
	}
	return !slices.ContainsFunc(usages, func(u x509.ExtKeyUsage) bool { return !slices.Contains(ca.ExtKeyUsage, u) })
}

func limitsPath(ca *x509.Certificate) bool {
	return ca.BasicConstraintsValid && (ca.MaxPathLen > 0 || ca.MaxPathLen == 0 && ca.MaxPathLenZero)
}

var oidNameConstraints = asn1.ObjectIdentifier{2, 5, 29, 30}

// Kinds of names that crypto/x509 compares with constraints (RFC 5280,
// GeneralName): rfc822Name, dNSName, uniformResourceIdentifier, iPAddress.
var comparedNames = []int{1, 2, 6, 7}

// limitsSubjects tells whether name constraints are about names that
// crypto/x509 does not compare. Where they are critical, as they must be, it
// says so itself; where they are not, others keep to them all the same.
func limitsSubjects(ca *x509.Certificate) bool {
	at := slices.IndexFunc(ca.Extensions, func(e pkix.Extension) bool { return e.Id.Equal(oidNameConstraints) })
	if at < 0 {
		return false
	}
	var constraints struct {
		Permitted []subtree `asn1:"optional,tag:0"`
		Excluded  []subtree `asn1:"optional,tag:1"`
	}
	if rest, err := asn1.Unmarshal(ca.Extensions[at].Value, &constraints); err != nil || len(rest) > 0 {
		return true
	}
	return slices.ContainsFunc(slices.Concat(constraints.Permitted, constraints.Excluded), func(s subtree) bool {
		return s.Base.Class != asn1.ClassContextSpecific || !slices.Contains(comparedNames, s.Base.Tag)
	})
}

// subtree is a GeneralSubtree without minimum and maximum, which RFC 5280
// forbids.
type subtree struct{ Base asn1.RawValue }

// limit is a CA of a chain that limits names, as crypto/x509 is asked about
// it: with a key of our own, so that names can be tried before anything is
// signed.
type limit struct {
	ca  *x509.Certificate
	key crypto.Signer
}

// always is the one moment of all trials.
var always = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func limitsOf(chain []*x509.Certificate) ([]limit, error) {
	var limits []limit
	for _, ca := range chain {
		if !slices.ContainsFunc(ca.Extensions, func(e pkix.Extension) bool { return e.Id.Equal(oidNameConstraints) }) {
			continue
		}
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		template := &x509.Certificate{
			SerialNumber: big.NewInt(1), Subject: ca.Subject, NotBefore: always, NotAfter: always,
			IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
			PermittedDNSDomainsCritical: true, PermittedDNSDomains: ca.PermittedDNSDomains, ExcludedDNSDomains: ca.ExcludedDNSDomains,
			PermittedIPRanges: ca.PermittedIPRanges, ExcludedIPRanges: ca.ExcludedIPRanges,
			PermittedEmailAddresses: ca.PermittedEmailAddresses, ExcludedEmailAddresses: ca.ExcludedEmailAddresses,
			PermittedURIDomains: ca.PermittedURIDomains, ExcludedURIDomains: ca.ExcludedURIDomains,
		}
		der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
		if err != nil {
			return nil, fmt.Errorf("%w: the imported CA's name constraints cannot be kept to: %w", vault.ErrInvalid, err)
		}
		trial, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		limits = append(limits, limit{trial, key})
	}
	return limits, nil
}

// checkLimits is CSRRejected for a name that a CA of the chain may not have
// below it. It costs nothing where none of them limits names.
func (i *Issuer) checkLimits(n *certreq.Names) error {
	for _, l := range i.limits {
		template := &x509.Certificate{
			SerialNumber: big.NewInt(1), NotBefore: always, NotAfter: always, EmailAddresses: n.Emails, DNSNames: n.DNS,
			IPAddresses: addresses(n.IPs), URIs: parsed(n.URIs),
		}
		der, err := x509.CreateCertificate(rand.Reader, template, l.ca, l.key.Public(), l.key)
		if err != nil {
			return invalid("a name cannot stand in a certificate")
		}
		trial, err := x509.ParseCertificate(der)
		if err != nil {
			return invalid("a name cannot be read from a certificate")
		}
		roots := x509.NewCertPool()
		roots.AddCert(l.ca)
		_, err = trial.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: always, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
		if err != nil || !l.permitsHosts(n) {
			return fault.New(fault.CSRRejected, "name_constraints",
				"The CA may not sign for this name: the name constraints of its own certificate do not allow it. Ask an administrator which names "+
					"they allow.").With(vault.ErrInvalid)
		}
	}
	return nil
}

// permitsHosts is stricter than crypto/x509, which takes a host that is
// permitted for a whole domain: of emails and URIs "example.org" is the host
// alone, and ".example.org" all below it (RFC 5280, section 4.2.1.10).
func (l limit) permitsHosts(n *certreq.Names) bool {
	within := func(constraints []string, host, mailbox string) bool {
		return len(constraints) == 0 || slices.ContainsFunc(constraints, func(c string) bool {
			switch {
			case strings.HasPrefix(c, "."):
				return len(host) > len(c) && strings.EqualFold(host[len(host)-len(c):], c)
			case strings.Contains(c, "@"):
				return c == mailbox
			}
			return strings.EqualFold(host, c)
		})
	}
	for _, email := range n.Emails {
		if _, host, _ := strings.Cut(email, "@"); !within(l.ca.PermittedEmailAddresses, host, email) {
			return false
		}
	}
	for _, u := range parsed(n.URIs) {
		if !within(l.ca.PermittedURIDomains, u.Hostname(), "") {
			return false
		}
	}
	return true
}

func addresses(ips []netip.Addr) []net.IP {
	var list []net.IP
	for _, ip := range ips {
		list = append(list, ip.AsSlice())
	}
	return list
}

func parsed(uris []string) []*url.URL {
	var list []*url.URL
	for _, text := range uris {
		if u, err := url.Parse(text); err == nil {
			list = append(list, u)
		}
	}
	return list
}
