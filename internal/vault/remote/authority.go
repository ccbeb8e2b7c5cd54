package remote

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"

	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
)

// authority is a CA: an issuer of the mount that has a key.
type authority struct {
	chain []*x509.Certificate // its own certificate first, the root last
	ders  [][]byte

	roots, between *x509.CertPool // of the chain
	limits         pki.NameLimits

	id       string
	ref      string // the vault's own id of the issuer
	first    bool
	readable bool     // the vault tells the settings of the issuer
	own      bool     // it has addresses of its own, not the mount's
	crls     []string // those of its list
	lists    bool     // it signs CRLs
}

func newAuthority(chain []*x509.Certificate) *authority {
	a := &authority{
		chain: chain, roots: x509.NewCertPool(), between: x509.NewCertPool(), id: vault.CAID(chain[0].RawSubjectPublicKeyInfo),
		lists: chain[0].KeyUsage == 0 || chain[0].KeyUsage&x509.KeyUsageCRLSign != 0,
	}
	for i, cert := range chain {
		a.ders = append(a.ders, cert.Raw)
		if i == len(chain)-1 {
			a.roots.AddCert(cert)
		} else {
			a.between.AddCert(cert)
		}
	}
	a.limits, _ = pki.NameLimitsOf(chain) // limits that cannot be tried beforehand show on the certificate
	return a
}

func (a *authority) cert() *x509.Certificate { return a.chain[0] }

// errOtherIssuer: another CA of the chain signed the certificate.
var errOtherIssuer = errors.New("one above it has signed")

// vouches checks that this CA itself signed a certificate and that others will accept it: the
// signature, and the limits of each CA up to the root (what it is for: pki.CheckPurposes). An RSA-4096 signature takes long to verify,
// so this is done only once.
func (a *authority) vouches(cert *x509.Certificate) error {
	chains, err := cert.Verify(x509.VerifyOptions{
		Roots: a.roots, Intermediates: a.between, CurrentTime: cert.NotBefore.Add(cert.NotAfter.Sub(cert.NotBefore) / 2),
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	})
	if err == nil && !slices.ContainsFunc(chains, func(c []*x509.Certificate) bool { return len(c) > 1 && c[1].Equal(a.cert()) }) {
		err = errOtherIssuer
	}
	return err
}

// above reports whether another CA's chain goes through this one.
func (a *authority) above(other *authority) bool {
	return other.id != a.id && slices.ContainsFunc(other.chain[1:], a.cert().Equal)
}

// active returns the CA that signs.
func (e *Engine) active(ctx context.Context) (*authority, error) {
	set, err := e.latest(ctx)
	if err != nil {
		return nil, err
	}
	if set.active == nil {
		return nil, e.keyless()
	}
	return set.active, nil
}

func (e *Engine) keyless() error {
	return unprepared("the default issuer of the mount " + e.opts.Mounts.PKI + " has no key")
}

func parsePEM(text string) (*x509.Certificate, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, fmt.Errorf("%w: the vault gives a certificate that is not PEM", vault.ErrUnavailable)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%w: the vault gives a certificate that cannot be read: %w", vault.ErrUnavailable, err)
	}
	return cert, nil
}

func encodePEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
