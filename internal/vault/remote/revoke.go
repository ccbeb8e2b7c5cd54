package remote

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/vault"
)

// revokers is how many revocations are sent at once.
const revokers = 8

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
		e.opts.Logger.WarnContext(ctx, "a certificate of a CA that the vault does not have can't be on a CRL; it is revoked only on record",
			"serial_number", r.Serial)
		return nil
	}
	return err
}

// foreign reports whether a certificate is from none of the CAs, whose CRLs list only their own.
func (e *Engine) foreign(ctx context.Context, r vault.Revocation) bool {
	cert, err := x509.ParseCertificate(r.Certificate)
	if err != nil {
		return false
	}
	set, err := e.anew(ctx)
	return err == nil && !slices.ContainsFunc(set.all, func(a *authority) bool { return cert.CheckSignatureFrom(a.cert()) == nil })
}

// Issued implements vault.IssuedLister. It omits the CAs' own certificates, which Vault lists, too.
func (e *Engine) Issued(ctx context.Context, each func(serial string) error) error {
	set, err := e.latest(ctx)
	if err != nil {
		return err
	}
	serials, err := e.list(ctx, e.opts.Mounts.PKI+"/certs")
	if err != nil {
		return err
	}
	var own []string
	for _, a := range set.all {
		own = append(own, vault.SerialOf(a.cert().SerialNumber))
	}
	for _, text := range serials {
		serial := strings.NewReplacer(":", "", "-", "").Replace(text)
		if slices.Contains(own, serial) {
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
