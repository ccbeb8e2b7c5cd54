package embedded

import (
	"bytes"
	"context"
	"crypto/x509"
	"fmt"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded/issuance"
)

// CAs implements vault.PKI.
func (e *Engine) CAs(ctx context.Context) ([]vault.CA, error) {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return nil, err
	}
	set := v.cas.Load()
	var list []vault.CA
	for _, a := range set.all() {
		list = append(list, set.describe(a))
	}
	return list, nil
}

func (s *authorities) describe(a *authority) vault.CA {
	c := vault.CA{ID: a.id, Chain: a.ders(), Active: a.id == s.active.id, First: a.id == s.first.id}
	if len(a.chain) == 0 {
		c.CSR = bytes.Clone(a.csr)
	}
	return c
}

// NewCA implements vault.PKI.
func (e *Engine) NewCA(ctx context.Context, want vault.NewCA) (vault.CA, error) {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return vault.CA{}, err
	}
	a, err := e.newCA(want)
	if err != nil {
		return vault.CA{}, err
	}
	err = v.changeCAs(ctx, func(set *authorities) (*authorities, error) { return set.with(a), nil })
	return v.cas.Load().describe(a), err
}

func (e *Engine) newCA(want vault.NewCA) (*authority, error) {
	if want.SelfSigned {
		cert, key, err := issuance.NewRoot(want.KeyType, want.CommonName, e.now())
		if err != nil {
			return nil, err
		}
		return newKeyed(key, []*x509.Certificate{cert}, nil)
	}
	csr, key, err := issuance.NewRequest(want.KeyType, want.CommonName)
	if err != nil {
		return nil, err
	}
	return newKeyed(key, nil, csr)
}

// InstallCA implements vault.PKI.
func (e *Engine) InstallCA(ctx context.Context, ca string, chain [][]byte) error {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return err
	}
	return v.changeCAs(ctx, func(set *authorities) (*authorities, error) {
		a := set.find(ca)
		switch {
		case a == nil || ca == vault.Active:
			return nil, vault.ErrNotFound
		case len(a.chain) > 0 && !bytes.Equal(a.chain[0].Raw, chain[0]):
			return nil, vault.ErrCAS
		case len(a.chain) > 0:
			return set, nil
		}
		installed := &authority{id: a.id, key: a.key, csr: a.csr}
		for _, der := range chain {
			cert, err := x509.ParseCertificate(der)
			if err != nil {
				return nil, fmt.Errorf("%w: a certificate of the chain can't be read", vault.ErrInvalid)
			}
			installed.chain = append(installed.chain, cert)
		}
		if len(chain) == 0 || !piv.SameKey(installed.chain[0].PublicKey, a.key.Public()) {
			return nil, fmt.Errorf("%w: the certificate is not of this CA's key", vault.ErrInvalid)
		}
		return set.with(installed), nil
	})
}

// ActivateCA implements vault.PKI.
func (e *Engine) ActivateCA(ctx context.Context, ca string) error {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return err
	}
	return v.changeCAs(ctx, func(set *authorities) (*authorities, error) {
		a := set.find(ca)
		if a == nil || len(a.chain) == 0 {
			return nil, vault.ErrNotFound
		}
		next := *set
		next.active = a
		return &next, nil
	})
}

// WithdrawCA implements vault.PKI.
func (e *Engine) WithdrawCA(ctx context.Context, ca string) error {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return err
	}
	return v.changeCAs(ctx, func(set *authorities) (*authorities, error) {
		switch a := set.find(ca); {
		case a == nil || ca == vault.Active:
			return nil, vault.ErrNotFound
		case len(a.chain) > 0:
			return nil, vault.ErrCAS
		}
		return set.without(ca), nil
	})
}

// changeCAs makes the result of change the vault's CAs once that is durable. What was first stays so.
func (v *opened) changeCAs(ctx context.Context, change func(*authorities) (*authorities, error)) error {
	v.changing.Lock()
	defer v.changing.Unlock()
	was := v.cas.Load()
	next, err := change(was)
	if err != nil || next == was {
		return err
	}
	for _, a := range next.all() {
		if err := v.equip(a, a.id == next.first.id, nil); err != nil {
			return err
		}
	}
	// A cancelled write would leave it unknown which CAs there are.
	return v.writer.do(context.WithoutCancel(ctx), 0, func(t *txn) error { return t.putCAs(was, next) }, func() { v.cas.Store(next) })
}

// putCAs writes the records that differ.
func (t *txn) putCAs(was, next *authorities) error {
	for _, a := range was.later {
		if next.find(a.id) == nil { // it has no list yet
			if err := t.delete(bucketPKI, caKey(a.id, false)); err != nil {
				return err
			}
		}
	}
	for _, a := range next.all() {
		if was.find(a.id) != a {
			if err := t.putCA(a, a == next.first); err != nil {
				return err
			}
		}
	}
	return t.seal(bucketPKI, keyActive, []byte(next.active.id))
}

func (t *txn) putCA(a *authority, first bool) error {
	record, err := a.encode()
	if err != nil {
		return err
	}
	return t.seal(bucketPKI, caKey(a.id, first), record)
}
