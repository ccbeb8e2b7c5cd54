package remote

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
)

// authorityFresh is how long the CA is cached.
const authorityFresh = time.Minute

// authority is the issuing CA: its certificate first, the root last.
type authority struct {
	chain []*x509.Certificate
	ders  [][]byte
	at    time.Time

	roots, between *x509.CertPool // of the chain
	limits         pki.NameLimits
}

func newAuthority(chain []*x509.Certificate, at time.Time) *authority {
	a := &authority{chain: chain, at: at, roots: x509.NewCertPool(), between: x509.NewCertPool()}
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

// CA implements vault.PKI.
func (e *Engine) CA(ctx context.Context) ([]byte, error) {
	chain, err := e.Chain(ctx)
	if err != nil {
		return nil, err
	}
	return chain[0], nil
}

// Chain implements vault.PKI: the chain of the PKI mount's default issuer.
func (e *Engine) Chain(ctx context.Context) ([][]byte, error) {
	a, err := e.ca(ctx, false)
	if err != nil {
		return nil, err
	}
	chain := make([][]byte, len(a.ders))
	for i, der := range a.ders {
		chain[i] = append([]byte(nil), der...)
	}
	return chain, nil
}

// ca returns the authority as of the last minute, or fetches it anew.
func (e *Engine) ca(ctx context.Context, anew bool) (*authority, error) {
	if err := e.health.check(); err != nil {
		return nil, err
	}
	if a := e.authority.Load(); a != nil && !anew && e.opts.Now().Sub(a.at).Abs() < authorityFresh {
		return a, nil
	}
	answered, err := e.ask(ctx, call{method: http.MethodGet, path: e.opts.Mounts.PKI + "/issuer/default/json"})
	if err != nil {
		if r, ok := errors.AsType[*refusal](err); ok && !noAnswer(err) && !errors.Is(err, vault.ErrBusy) || ok && r.says("issuer") {
			err = unprepared("the mount " + e.opts.Mounts.PKI + " has no CA")
		}
		return nil, err
	}
	var said struct {
		Certificate string   `json:"certificate"`
		Chain       []string `json:"ca_chain"`
	}
	if err := answered.decode(&said); err != nil {
		return nil, err
	}
	if len(said.Chain) == 0 {
		said.Chain = []string{said.Certificate}
	}
	chain := make([]*x509.Certificate, len(said.Chain))
	for i, text := range said.Chain {
		if chain[i], err = parsePEM(text); err != nil {
			return nil, err
		}
	}
	a := newAuthority(chain, e.opts.Now())
	e.authority.Store(a)
	return a, nil
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
