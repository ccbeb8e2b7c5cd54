package remote

import (
	"cmp"
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
)

// prepared is a checked request. The vault signs it.
type prepared struct {
	engine *Engine
	used   atomic.Bool

	names *pki.Names
	usage vault.Usage
	csr   *x509.CertificateRequest
	ttl   time.Duration // zero: the role's
	ca    *authority
	base  string
	now   time.Time
}

// skew is how far the vault's clock may be from ours.
const skew = 5 * time.Minute

// known are the extensions that a certificate may have: key identifiers, key
// usage, alternative names, basic constraints, CRL distribution points,
// extended key usage, authority information access.
var known = []asn1.ObjectIdentifier{
	{2, 5, 29, 14}, {2, 5, 29, 35}, {2, 5, 29, 15}, {2, 5, 29, 17}, {2, 5, 29, 19}, {2, 5, 29, 31}, {2, 5, 29, 37},
	{1, 3, 6, 1, 5, 5, 7, 1, 1},
}

// differs returns in what a certificate differs from the request, or nil.
func (q *prepared) differs(cert *x509.Certificate) error {
	crl, ca := vault.Addresses(q.ca.id, q.ca.first)
	for _, part := range []struct {
		same bool
		name string
	}{
		{piv.SameKey(cert.PublicKey, q.csr.PublicKey), "public key"},
		{q.sameSubject(cert.Subject), "subject"},
		{sameSet(cert.EmailAddresses, q.names.Emails) && sameSet(cert.DNSNames, q.names.DNS) &&
			sameSet(addresses(cert), q.names.IPs) && sameSet(uris(cert.URIs), normal(q.names.URIs)), "subject alternative names"},
		{q.sameOthers(pki.OtherNamesOf(cert.Extensions)), "user principal name"},
		{cert.KeyUsage == q.usage.Key, "key usage"},
		{sameSet(purposes(cert), texts(q.usage.Purposes)), "extended key usage"},
		{!cert.IsCA, "basic constraints"},
		{q.lasts(cert), "validity"},
		{slices.Equal(cert.CRLDistributionPoints, []string{q.base + crl}), "CRL distribution point"},
		{(slices.Equal(cert.IssuingCertificateURL, []string{q.base + ca}) ||
			q.ca.first && slices.Equal(cert.IssuingCertificateURL, []string{q.base + "/api/pki/ca"})) && // from earlier setups
			(len(cert.OCSPServer) == 0 || slices.Equal(cert.OCSPServer, []string{q.base + vault.OCSPPath})), // PKI_OCSP may have changed since
			"authority information access"},
		{cert.SerialNumber.Sign() > 0 && len(cert.SerialNumber.Bytes()) <= vault.MaxSerial && cert.SerialNumber.BitLen() > 64, "serial number"},
		{onlyKnown(cert), "extensions"},
	} {
		if !part.same {
			return fmt.Errorf("it differs in its %s", part.name)
		}
	}
	return nil
}

func (q *prepared) sameSubject(n pkix.Name) bool {
	names := 1
	for _, part := range []struct {
		want string
		got  []string
	}{{q.names.Organization, n.Organization}, {q.names.OrganizationalUnit, n.OrganizationalUnit}, {q.names.Country, n.Country}} {
		if part.want != "" {
			names++
		}
		if strings.Join(part.got, "\x00") != part.want {
			return false
		}
	}
	return n.CommonName == q.names.CommonName && len(n.Names) == names
}

func (q *prepared) sameOthers(n pki.OtherNames) bool {
	return strings.Join(n.UPNs, "\x00") == q.names.UPN && len(n.Principals)+n.Unknown == 0 && n.SID == ""
}

// purposes are the extended key usages, dotted.
func purposes(cert *x509.Certificate) (list []string) {
	for _, usage := range cert.ExtKeyUsage {
		list = append(list, usage.OID().String())
	}
	return append(list, texts(cert.UnknownExtKeyUsage)...)
}

func texts[T fmt.Stringer](list []T) (out []string) {
	for _, v := range list {
		out = append(out, v.String())
	}
	return out
}

func (q *prepared) lasts(cert *x509.Certificate) bool {
	longest := q.ca.cert().NotAfter
	if q.ttl > 0 {
		if end := q.now.Add(q.ttl + skew); end.Before(longest) {
			longest = end
		}
	}
	return cert.NotBefore.Before(q.now.Add(skew)) && cert.NotBefore.After(q.now.Add(-2*skew)) &&
		cert.NotAfter.After(q.now) && !cert.NotAfter.After(longest)
}

func onlyKnown(cert *x509.Certificate) bool {
	for _, e := range cert.Extensions {
		if !slices.ContainsFunc(known, e.Id.Equal) {
			return false
		}
	}
	return true
}

func sameSet[T comparable](a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	return !slices.ContainsFunc(a, func(v T) bool { return !slices.Contains(b, v) }) &&
		!slices.ContainsFunc(b, func(v T) bool { return !slices.Contains(a, v) })
}

func addresses(cert *x509.Certificate) (out []netip.Addr) {
	for _, ip := range cert.IPAddresses {
		addr, _ := netip.AddrFromSlice(ip)
		out = append(out, addr.Unmap())
	}
	return out
}

func uris(parsed []*url.URL) (out []string) {
	for _, u := range parsed {
		out = append(out, u.String())
	}
	return out
}

// normal formats URIs as net/url does.
func normal(texts []string) (out []string) {
	for _, text := range texts {
		if u, err := url.Parse(text); err == nil {
			out = append(out, u.String())
		}
	}
	return out
}

// issuerOf returns the authority that signed a certificate: the active one when it was requested, or
// one that was made so since, perhaps by another server or by hand.
func (e *Engine) issuerOf(ctx context.Context, cert *x509.Certificate, before *authority) (*authority, error) {
	if before.vouches(cert) == nil {
		return before, nil
	}
	set, err := e.anew(ctx)
	if err != nil {
		return before, err
	}
	var why error
	for _, a := range set.all {
		if err := a.vouches(cert); err == nil {
			return a, nil
		} else if why == nil { // the active one's, if there is one
			why = fmt.Errorf("the CA %s does not vouch for it: %w", cmp.Or(a.cert().Subject.CommonName, "of the mount"), err)
		}
	}
	return before, why
}

// reject revokes what should not have been signed and says why: ErrDenied, or ErrUnavailable if it
// may not have been revoked.
func (e *Engine) reject(ctx context.Context, cert *x509.Certificate, why error) error {
	serial := vault.SerialOf(cert.SerialNumber)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*e.opts.Timeout)
	defer cancel()
	err := e.Revoke(ctx, vault.Revocation{
		Serial: serial, At: e.opts.Now(), Reason: vault.CessationOfOperation, Certificate: cert.Raw, NotAfter: cert.NotAfter,
	})
	e.opts.Logger.ErrorContext(ctx, "the vault signed a certificate other than requested; it is not issued, and is being revoked. "+
		"Run keyward vault setup, which shows what its role, URLs and CA should be", "serial_number", serial, "why", why, "revoking_failed", err)
	if err != nil {
		// why may be an error that means that nothing happened, so it is not wrapped.
		return fmt.Errorf("%w: the vault signed something else than was asked for: %s", vault.ErrUnavailable, why.Error())
	}
	return fmt.Errorf("%w: %w", vault.ErrDenied, &vault.MisissuedError{Serial: serial, Why: why})
}
