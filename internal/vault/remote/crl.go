package remote

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// listLife is the age at which the CRL is rebuilt.
const listLife = time.Hour

// build has the CRLs of all CAs rebuilt. Concurrent callers share the next rebuild that starts after they came.
func (e *Engine) build(ctx context.Context) error {
	want := e.revoked.Add(1)
	e.building.Lock()
	defer e.building.Unlock()
	if e.shown >= want {
		return nil
	}
	shows := e.revoked.Load()
	if _, err := e.do(ctx, call{method: http.MethodGet, path: e.opts.Mounts.PKI + "/crl/rotate", long: true}); err != nil {
		return err
	}
	e.shown = shows
	return nil
}

// CRL implements vault.PKI. A list over an hour old is rebuilt; while that fails, the old one
// serves.
func (e *Engine) CRL(ctx context.Context, id string) (vault.CRL, error) {
	list, ca, err := e.stands(ctx, id)
	if err == nil && e.opts.Now().Sub(list.ThisUpdate) >= listLife {
		if err := e.build(ctx); err != nil {
			e.opts.Logger.WarnContext(ctx, "the vault did not rebuild its CRL; trying again", "error", err)
		} else if list, ca, err = e.stands(ctx, id); err != nil {
			return vault.CRL{}, err
		}
	}
	if err != nil {
		return vault.CRL{}, err
	}
	return vault.CRL{
		DER: list.Raw, CA: ca.ders[0], Number: list.Number.Uint64(), ThisUpdate: list.ThisUpdate.UTC(), NextUpdate: list.NextUpdate.UTC(),
	}, nil
}

// stands fetches a CA's current list; ErrNotFound.
func (e *Engine) stands(ctx context.Context, id string) (*x509.RevocationList, *authority, error) {
	set, err := e.latest(ctx)
	if err != nil {
		return nil, nil, err
	}
	ca := set.find(id)
	switch {
	case ca == nil && id == vault.Active:
		return nil, nil, e.keyless()
	case ca == nil:
		return nil, nil, vault.ErrNotFound
	}
	list, err := e.listOf(ctx, ca)
	return list, ca, err
}

// listOf fetches the current list, which Vault gives to everybody. One of another CA is an error.
func (e *Engine) listOf(ctx context.Context, ca *authority) (*x509.RevocationList, error) {
	a, err := e.ask(ctx, call{method: http.MethodGet, path: e.opts.Mounts.PKI + "/issuer/" + ca.ref + "/crl/der", long: true})
	if err != nil {
		return nil, err
	}
	if len(a.body) == 0 {
		return nil, unprepared(fmt.Sprintf("the CA %q of the mount %s has no CRL", ca.cert().Subject.CommonName, e.opts.Mounts.PKI))
	}
	list, err := x509.ParseRevocationList(a.body)
	if err != nil || list.Number == nil || !list.Number.IsUint64() {
		return nil, fmt.Errorf("%w: the vault gives a CRL that cannot be read", vault.ErrUnavailable)
	}
	if list.CheckSignatureFrom(ca.cert()) != nil {
		return nil, fmt.Errorf("%w: the vault gives a CRL that its CA did not sign", vault.ErrUnavailable)
	}
	return list, nil
}

// Revoked implements vault.RevokedLister: the entries of the CRLs.
func (e *Engine) Revoked(ctx context.Context, each func(vault.Revocation) error) error {
	set, err := e.latest(ctx)
	if err != nil {
		return err
	}
	for _, ca := range set.all {
		if !ca.lists {
			continue
		}
		list, err := e.listOf(ctx, ca)
		if err != nil {
			return err
		}
		if err := entries(list, ca.id, each); err != nil {
			return err
		}
	}
	return nil
}

func entries(list *x509.RevocationList, ca string, each func(vault.Revocation) error) error {
	for _, entry := range list.RevokedCertificateEntries {
		r := vault.Revocation{
			CA: ca, Serial: vault.SerialOf(entry.SerialNumber), At: entry.RevocationTime, Reason: vault.Reason(entry.ReasonCode),
		}
		if !r.Reason.Valid() {
			r.Reason = vault.Unspecified
		}
		if err := each(r); err != nil {
			return err
		}
	}
	return nil
}
