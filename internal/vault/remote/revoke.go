package remote

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/vault"
)

// revokers is how many revocations are sent at once.
const revokers = 8

// listLife is the age at which the CRL is rebuilt.
const listLife = time.Hour

// Revoke implements vault.PKI: it revokes every certificate, then rebuilds the list once. A refused
// one keeps no other off the list; if the vault is away, the rest is not tried. Vault keeps no
// reasons.
func (e *Engine) Revoke(ctx context.Context, revocations ...vault.Revocation) error {
	for _, r := range revocations {
		if _, err := vault.ParseSerial(r.Serial); err != nil {
			return err
		}
		if !r.Reason.Valid() {
			return invalid("the revocation reason is not one that Keyward uses")
		}
	}
	if len(revocations) == 0 {
		return nil
	}
	var mu sync.Mutex
	failed := map[string]error{}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(revokers)
	for _, r := range revocations {
		group.Go(func() error {
			err := groupCtx.Err()
			if err == nil {
				err = e.revoke(groupCtx, r)
			}
			if err == nil {
				return nil
			}
			mu.Lock()
			failed[r.Serial] = err
			mu.Unlock()
			if aboutOne(err) {
				return nil
			}
			return err // ends the others
		})
	}
	cause := group.Wait()
	switch {
	case len(failed) < len(revocations):
		if err := e.build(ctx); err != nil {
			return err
		}
	case cause != nil:
		return cause
	}
	if len(failed) > 0 {
		return &vault.Unrevoked{Failed: failed}
	}
	return nil
}

// aboutOne reports whether an error is the vault's answer about one certificate, not about the
// vault.
func aboutOne(err error) bool {
	_, answered := errors.AsType[*refusal](err)
	return answered && !errors.Is(err, vault.ErrSealed) && !errors.Is(err, vault.ErrStandby) && !errors.Is(err, vault.ErrBusy)
}

func (e *Engine) revoke(ctx context.Context, r vault.Revocation) error {
	body := map[string]string{"serial_number": colons(r.Serial)}
	if len(r.Certificate) > 0 { // needed by a mount that keeps none
		body = map[string]string{"certificate": encodePEM("CERTIFICATE", r.Certificate)}
	}
	_, err := e.do(ctx, call{method: http.MethodPost, path: e.opts.Mounts.PKI + "/revoke", body: body})
	if aboutOne(err) && e.foreign(ctx, r) { // a 400 where the mount has that CA, too; a 500 where it does not
		e.opts.Logger.WarnContext(ctx, "a certificate of a former CA can't be on the current CA's CRL; it is revoked only on record",
			"serial_number", r.Serial)
		return nil
	}
	return err
}

// foreign reports whether a certificate is from another CA than the current one, whose CRL lists
// only its own.
func (e *Engine) foreign(ctx context.Context, r vault.Revocation) bool {
	cert, err := x509.ParseCertificate(r.Certificate)
	if err != nil {
		return false
	}
	ca, err := e.ca(ctx, true)
	return err == nil && cert.CheckSignatureFrom(ca.cert()) != nil
}

// build has the CRL rebuilt. Concurrent callers share the next rebuild that starts after they came.
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
func (e *Engine) CRL(ctx context.Context) (vault.CRL, error) {
	list, ca, err := e.stands(ctx)
	if err == nil && e.opts.Now().Sub(list.ThisUpdate) >= listLife {
		if err := e.build(ctx); err != nil {
			e.opts.Logger.WarnContext(ctx, "the vault did not rebuild its CRL; trying again", "error", err)
		} else if list, ca, err = e.stands(ctx); err != nil {
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

// stands fetches the current list, and the CA that signed it. A list of another CA is an error.
func (e *Engine) stands(ctx context.Context) (*x509.RevocationList, *authority, error) {
	a, err := e.ask(ctx, call{method: http.MethodGet, path: e.opts.Mounts.PKI + "/crl", long: true})
	if err != nil {
		return nil, nil, err
	}
	if len(a.body) == 0 {
		return nil, nil, unprepared("the mount " + e.opts.Mounts.PKI + " has no CRL")
	}
	list, err := x509.ParseRevocationList(a.body)
	if err != nil || list.Number == nil || !list.Number.IsUint64() {
		return nil, nil, fmt.Errorf("%w: the vault gives a CRL that cannot be read", vault.ErrUnavailable)
	}
	for _, anew := range []bool{false, true} {
		ca, err := e.ca(ctx, anew)
		if err != nil {
			return nil, nil, err
		}
		if list.CheckSignatureFrom(ca.cert()) == nil {
			return list, ca, nil
		}
	}
	return nil, nil, fmt.Errorf("%w: the vault gives a CRL that its CA did not sign", vault.ErrUnavailable)
}

// Revoked implements vault.RevokedLister: the entries of the CRL.
func (e *Engine) Revoked(ctx context.Context, each func(vault.Revocation) error) error {
	list, _, err := e.stands(ctx)
	if err != nil {
		return err
	}
	for _, entry := range list.RevokedCertificateEntries {
		r := vault.Revocation{
			Serial: vault.SerialOf(entry.SerialNumber), At: entry.RevocationTime, Reason: vault.Reason(entry.ReasonCode),
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

// Issued implements vault.IssuedLister. It omits the CA's own certificate, which Vault lists, too.
func (e *Engine) Issued(ctx context.Context, each func(serial string) error) error {
	ca, err := e.ca(ctx, false)
	if err != nil {
		return err
	}
	serials, err := e.list(ctx, e.opts.Mounts.PKI+"/certs")
	if err != nil {
		return err
	}
	own := vault.SerialOf(ca.cert().SerialNumber)
	for _, text := range serials {
		serial := strings.NewReplacer(":", "", "-", "").Replace(text)
		if serial == own {
			continue
		}
		if err := each(serial); err != nil {
			return err
		}
	}
	return nil
}

// Certificate implements vault.IssuedLister; DER. ErrNotFound if the vault keeps none with that
// serial number.
func (e *Engine) Certificate(ctx context.Context, serial string) ([]byte, error) {
	if _, err := vault.ParseSerial(serial); err != nil {
		return nil, err
	}
	a, err := e.do(ctx, call{method: http.MethodGet, path: e.opts.Mounts.PKI + "/cert/" + colons(serial)})
	if err != nil {
		return nil, err
	}
	cert, err := a.certificate()
	if err != nil {
		return nil, err
	}
	return cert.Raw, nil
}

// RevokesBySerial implements vault.IssuedLister.
func (*Engine) RevokesBySerial() bool { return false }

// colons is a serial number as Vault writes it.
func colons(serial string) string {
	var b strings.Builder
	for i := 0; i+1 < len(serial); i += 2 {
		if i > 0 {
			b.WriteByte(':')
		}
		b.WriteString(serial[i : i+2])
	}
	return b.String()
}
