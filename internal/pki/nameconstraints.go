package pki

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
)

var oidNameConstraints = asn1.ObjectIdentifier{2, 5, 29, 30}

// NameConstraints is the extension's value (RFC 5280, section 4.2.1.10); nil
// without one.
func NameConstraints(ca *x509.Certificate) []byte {
	at := slices.IndexFunc(ca.Extensions, func(e pkix.Extension) bool { return e.Id.Equal(oidNameConstraints) })
	if at < 0 {
		return nil
	}
	return ca.Extensions[at].Value
}

// limit is a CA of a chain that constrains names, rebuilt with a key of our own, so that
// crypto/x509 can try names against it before anything is signed.
type limit struct {
	ca  *x509.Certificate
	key crypto.Signer
}

// NameLimits are the CAs of a chain that constrain the names below them.
type NameLimits []limit

// always is the time of all trial certificates.
var always = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// NameLimitsOf reads the limits of a chain. vault.ErrInvalid for constraints that cannot be enforced.
func NameLimitsOf(chain []*x509.Certificate) (NameLimits, error) {
	var limits NameLimits
	for _, ca := range chain {
		if NameConstraints(ca) == nil {
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
			return nil, fmt.Errorf("%w: the CA's name constraints cannot be kept to: %w", vault.ErrInvalid, err)
		}
		trial, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		limits = append(limits, limit{trial, key})
	}
	return limits, nil
}

// Check returns CSRRejected for a name that a CA of the chain does not permit. It costs nothing if
// no CA constrains names.
func (limits NameLimits) Check(n *Names) error {
	for _, l := range limits {
		template := &x509.Certificate{
			SerialNumber: big.NewInt(1), NotBefore: always, NotAfter: always, EmailAddresses: n.Emails, DNSNames: n.DNS,
			IPAddresses: addresses(n.IPs), URIs: parsed(n.URIs),
		}
		der, err := x509.CreateCertificate(rand.Reader, template, l.ca, l.key.Public(), l.key)
		if err != nil {
			return fmt.Errorf("%w: a name cannot stand in a certificate", vault.ErrInvalid)
		}
		trial, err := x509.ParseCertificate(der)
		if err != nil {
			return fmt.Errorf("%w: a name cannot be read from a certificate", vault.ErrInvalid)
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

// permitsHosts is stricter than crypto/x509, which reads a permitted host as a whole domain: for
// emails and URIs, "example.org" is that host alone and ".example.org" everything below it (RFC
// 5280, section 4.2.1.10).
func (l limit) permitsHosts(n *Names) bool {
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
