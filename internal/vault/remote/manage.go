package remote

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"

	"github.com/keyward/keyward/internal/vault"
)

// manage sends a call that Keyward's policy allows since there can be several CAs; its path is below the mount.
func (e *Engine) manage(ctx context.Context, c call) (answer, error) {
	c.path = e.opts.Mounts.PKI + "/" + c.path
	a, err := e.do(ctx, c)
	if forbidden(err) {
		err = unprepared("the policy does not let Keyward manage CAs")
	}
	return a, err
}

// arrived returns the CA of a certificate that the vault has just got. It has its addresses by then.
func (e *Engine) arrived(ctx context.Context, cert *x509.Certificate) (*authority, *authorities, error) {
	set, err := e.anew(ctx)
	if err != nil {
		return nil, nil, err
	}
	a := set.find(vault.CAID(cert.RawSubjectPublicKeyInfo))
	switch {
	case a == nil:
		return nil, nil, fmt.Errorf("%w: the vault took the CA, but has no key of it", vault.ErrUnavailable)
	case !a.cert().Equal(cert): // another one came first
		return nil, nil, vault.ErrCAS
	case !a.addressed():
		return nil, nil, e.unaddressed(a)
	}
	return a, set, nil
}

// pin keeps the default issuer what it is when another one comes: an operator may have had it follow the
// latest, and Vault makes one the default that comes when there is none.
func (e *Engine) pin(ctx context.Context, set *authorities) error {
	a, err := e.manage(ctx, call{method: http.MethodGet, path: "config/issuers"})
	if err != nil {
		return err
	}
	var is struct {
		Main    string `json:"default"`
		Follows bool   `json:"default_follows_latest_issuer"`
	}
	if err := a.decode(&is); err != nil {
		return err
	}
	if is.Main == "" {
		is.Main, is.Follows = set.all[0].ref, true
	}
	if !is.Follows {
		return nil
	}
	return e.main(ctx, is.Main)
}

// main makes an issuer the default one.
func (e *Engine) main(ctx context.Context, ref string) error {
	_, err := e.manage(ctx, call{method: http.MethodPost, path: "config/issuers", body: map[string]any{
		"default": ref, "default_follows_latest_issuer": false,
	}})
	return err
}
