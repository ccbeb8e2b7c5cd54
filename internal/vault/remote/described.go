package remote

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"slices"

	"github.com/keyward/keyward/internal/vault"
)

// described is what the vault says of an issuer.
type described struct {
	Certificate  string   `json:"certificate"`
	Chain        []string `json:"ca_chain"`
	CRLs         []string `json:"crl_distribution_points"`
	Certificates []string `json:"issuing_certificates"`
	OCSP         []string `json:"ocsp_servers"`
	Usage        string   `json:"usage"`
	Key          string   `json:"key_id"`
}

// describe reads an issuer: with its settings if Keyward's policy allows that (those of earlier versions
// did not), otherwise what everybody may read.
func (e *Engine) describe(ctx context.Context, ref string) (said described, readable bool, err error) {
	path := e.opts.Mounts.PKI + "/issuer/" + ref
	answered, err := e.do(ctx, call{method: http.MethodGet, path: path})
	if readable = err == nil; errors.Is(err, vault.ErrDenied) {
		if forbidden(err) {
			e.earlier(ctx)
		}
		answered, err = e.ask(ctx, call{method: http.MethodGet, path: path + "/json"})
	}
	if err == nil {
		err = answered.decode(&said)
	}
	return said, readable, err
}

// forbidden reports whether the policy does not allow a call.
func forbidden(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.status == http.StatusForbidden
}

// earlier warns, once, that the policy is an earlier version's.
func (e *Engine) earlier(ctx context.Context) {
	e.oldPolicy.Do(func() {
		e.opts.Logger.WarnContext(ctx, "the vault's policy does not let Keyward manage CAs; run keyward vault setup")
	})
}

// parents completes chains with the other issuers of the mount.
type parents struct {
	engine *Engine
	list   issuers
	all    []*x509.Certificate // nil: not fetched yet
}

// chain returns an issuer's certificate and those above it, one by one: the vault's chain may have
// several for one, and end early.
func (p *parents) chain(ctx context.Context, said described) (chain []*x509.Certificate, err error) {
	pool := make([]*x509.Certificate, 0, len(said.Chain)+1)
	for _, text := range append([]string{said.Certificate}, said.Chain...) {
		cert, err := parsePEM(text)
		if err != nil {
			return nil, err
		}
		pool = append(pool, cert)
	}
	for chain = pool[:1:1]; ; {
		last := chain[len(chain)-1]
		if last.CheckSignatureFrom(last) == nil {
			return chain, nil
		}
		by := func(c *x509.Certificate) bool {
			return !slices.ContainsFunc(chain, c.Equal) && last.CheckSignatureFrom(c) == nil
		}
		i := slices.IndexFunc(pool, by)
		if i < 0 {
			if pool, err = p.fetch(ctx); err != nil {
				return nil, err
			}
			if i = slices.IndexFunc(pool, by); i < 0 {
				return chain, nil // the root is nowhere
			}
		}
		chain = append(chain, pool[i])
	}
}

func (p *parents) fetch(ctx context.Context) ([]*x509.Certificate, error) {
	if p.all != nil {
		return p.all, nil
	}
	for _, i := range p.list.list {
		answered, err := p.engine.ask(ctx, call{method: http.MethodGet, path: p.engine.opts.Mounts.PKI + "/issuer/" + i.ref + "/json"})
		if err != nil {
			return nil, err
		}
		cert, err := answered.certificate()
		if err != nil {
			return nil, err
		}
		p.all = append(p.all, cert)
	}
	return p.all, nil
}
