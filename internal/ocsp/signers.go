package ocsp

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// issuers are the CAs that CertIDs may name.
type issuers struct {
	of   []vault.CA
	list []issuer
}

// issuerOf returns the first of our CAs that a request asks about; nil if it asks about others' alone.
func (r *Responder) issuerOf(ctx context.Context, req request) (*issuer, error) {
	for _, ask := range []func(context.Context) ([]vault.CA, error){r.CAs.CAs, r.CAs.Unknown} {
		cas, err := ask(ctx)
		if err != nil {
			return nil, err
		}
		known, err := r.issuersOf(cas)
		if err != nil {
			return nil, err
		}
		for _, id := range req.ids {
			for n := range known {
				if known[n].issued(id) {
					return &known[n], nil
				}
			}
		}
	}
	return nil, nil
}

// issuersOf parses the CAs, once for each list.
func (r *Responder) issuersOf(cas []vault.CA) ([]issuer, error) {
	known := r.issuers.Load()
	if known != nil && len(known.of) == len(cas) && (len(cas) == 0 || &known.of[0] == &cas[0]) {
		return known.list, nil
	}
	known = &issuers{of: cas}
	for _, ca := range cas {
		if len(ca.Chain) == 0 {
			continue
		}
		i, err := newIssuer(ca)
		if err != nil {
			return nil, err
		}
		known.list = append(known.list, i)
	}
	r.issuers.Store(known)
	return known.list, nil
}

// signer returns a CA's; nil if it has none yet.
func (r *Responder) signer(ca string) *signer {
	s, _ := r.signers.Load(ca)
	made, _ := s.(*signer)
	return made
}

// ready returns the signer of a CA; it makes the first one.
func (r *Responder) ready(ctx context.Context, ca issuer) (*signer, error) {
	if s := r.signer(ca.id); s.serves(ca, r.Now()) {
		return s, nil
	}
	r.making.Lock()
	defer r.making.Unlock()
	if s := r.signer(ca.id); s.serves(ca, r.Now()) {
		return s, nil
	}
	if failed := r.failed[ca.id]; failed.err != nil && time.Since(failed.at) < failurePause {
		return nil, failed.err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), makingTimeout) // others may wait for it, too
	defer cancel()
	if err := r.renew(ctx, ca); err != nil {
		return nil, err
	}
	return r.signer(ca.id), nil
}

// Renew gives the active CA's signer, and those that were asked for, a successor if there is none, if it ends
// soon, or if the CA was replaced. While that fails, the old one serves until its end.
func (r *Responder) Renew(ctx context.Context) error {
	cas, err := r.CAs.CAs(ctx)
	if err != nil {
		return err
	}
	r.making.Lock()
	defer r.making.Unlock()
	for _, s := range r.Signers() {
		if !slices.ContainsFunc(cas, func(ca vault.CA) bool { return ca.ID == s.CA }) {
			r.signers.Delete(s.CA)
		}
	}
	for _, ca := range cas {
		if len(ca.Chain) == 0 || !ca.Active && r.signer(ca.ID) == nil {
			continue
		}
		i, failed := newIssuer(ca)
		switch {
		case failed != nil:
		case !ca.Active && r.Now().After(i.cert.NotAfter): // nobody asks any more
			r.signers.Delete(ca.ID)
		default:
			failed = r.renew(ctx, i)
		}
		err = errors.Join(err, failed)
	}
	return err
}

// renew needs making.
func (r *Responder) renew(ctx context.Context, ca issuer) (err error) {
	defer func() {
		if r.failed == nil {
			r.failed = map[string]makingFailure{}
		}
		r.failed[ca.id] = makingFailure{time.Now(), err}
	}()
	now, s := r.Now(), r.signer(ca.id)
	if s.serves(ca, now) && (s.last || now.Before(s.notAfter.Add(-signerRenewal))) {
		return nil
	}
	next, err := newSigner(ctx, r.PKI, ca)
	if err != nil {
		return err
	}
	r.signers.Store(ca.id, next)
	return nil
}

// Ready reports whether there is a signer: certificates name the responder, or somebody has asked it.
func (r *Responder) Ready() bool { return len(r.Signers()) > 0 }

// Signer is the certificate of an OCSP signer.
type Signer struct {
	CA       string // its CA's ID
	NotAfter time.Time
	Last     bool // it ends with its CA
}

// Signers returns those that there are.
func (r *Responder) Signers() (list []Signer) {
	r.signers.Range(func(_, value any) bool {
		if s, ok := value.(*signer); ok {
			list = append(list, Signer{s.ca.id, s.notAfter, s.last})
		}
		return true
	})
	return list
}
