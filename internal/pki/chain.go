package pki

import (
	"context"
	"encoding/pem"
	"fmt"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// askAgain is how soon an unknown ID makes the cache ask the vault again: anybody may ask for any.
const (
	askAgain       = 10 * time.Second
	unknownTimeout = 5 * time.Second // for that question
)

// CAs returns the CAs as last known, the active one first. VaultUnavailable.
func (c *CRLCache) CAs(ctx context.Context) ([]vault.CA, error) {
	for _, known := range []*[]vault.CA{c.known.Load(), c.lent.Load()} {
		if known != nil {
			return *known, nil
		}
	}
	ctx = context.WithoutCancel(ctx) // others need the answer, too
	got, err, _ := c.first.Do("", func() (any, error) {
		limited, cancel := context.WithTimeout(ctx, fetchTimeout)
		defer cancel()
		list, err := c.load(limited)
		if err == nil {
			return list, nil
		}
		if kept := c.borrowCAs(ctx); kept != nil {
			return kept, nil
		}
		return nil, err
	})
	if list, ok := got.([]vault.CA); ok && err == nil {
		return list, nil
	}
	return nil, fault.New(fault.VaultUnavailable, "ca", "The CA certificate is not available right now. Try again shortly.").With(err)
}

// Known returns the CAs as last known, without asking for them.
func (c *CRLCache) Known() []vault.CA {
	if known := c.known.Load(); known != nil {
		return *known
	}
	return nil
}

// NextUpdate returns until when the cached list of a CA is valid; zero if none is cached.
func (c *CRLCache) NextUpdate(id string) time.Time {
	if list := c.list(id).crl.Load(); list != nil {
		return list.NextUpdate
	}
	return time.Time{}
}

// Look asks the vault for its CAs again.
func (c *CRLCache) Look(ctx context.Context) error {
	_, err := c.load(ctx)
	return vault.Fault(err)
}

func (c *CRLCache) load(ctx context.Context) ([]vault.CA, error) {
	c.loading.Lock()
	defer c.loading.Unlock()
	return c.ask(ctx)
}

// ask needs loading.
func (c *CRLCache) ask(ctx context.Context) ([]vault.CA, error) {
	c.asked = c.Now()
	list, err := c.PKI.CAs(ctx)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: it has no CA", vault.ErrUnavailable)
	}
	c.known.Store(&list)
	c.lent.Store(nil)
	c.forget(list)
	return list, nil
}

// forget drops the lists of CAs that are gone.
func (c *CRLCache) forget(cas []vault.CA) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range c.byID {
		if !slices.ContainsFunc(cas, func(ca vault.CA) bool { return ca.ID == id }) {
			delete(c.byID, id)
		}
	}
}

// ca returns the CA with that ID; NotFound.
func (c *CRLCache) ca(ctx context.Context, id string) (vault.CA, error) {
	list, err := c.CAs(ctx)
	if err != nil {
		return vault.CA{}, err
	}
	has := func(ca vault.CA) bool { return ca.ID == id && len(ca.Chain) > 0 }
	i := slices.IndexFunc(list, has)
	if i < 0 {
		if list, err = c.Unknown(ctx); err != nil {
			return vault.CA{}, err
		}
		i = slices.IndexFunc(list, has)
	}
	if i < 0 {
		return vault.CA{}, fault.New(fault.NotFound, "ca", "There is no such CA.")
	}
	return list[i], nil
}

// Unknown returns the CAs after somebody asked for one that is not among them: another server may have made
// it. The vault is asked again only after a while.
func (c *CRLCache) Unknown(ctx context.Context) ([]vault.CA, error) {
	list, asked, err := c.askIfDue(ctx)
	if !asked {
		return c.CAs(ctx)
	}
	return list, vault.Fault(err)
}

func (c *CRLCache) askIfDue(ctx context.Context) (list []vault.CA, asked bool, err error) {
	if !c.loading.TryLock() { // somebody is asking
		return nil, false, nil
	}
	defer c.loading.Unlock()
	if c.Now().Sub(c.asked).Abs() < askAgain {
		return nil, false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, unknownTimeout)
	defer cancel()
	list, err = c.ask(ctx)
	return list, true, err
}

// main returns the CA that the addresses without an ID belong to: they are in the certificates of the
// first one.
func (c *CRLCache) main(ctx context.Context) (vault.CA, error) {
	list, err := c.CAs(ctx)
	if err != nil {
		return vault.CA{}, err
	}
	for _, ca := range list {
		if ca.First && !c.ended(ca) {
			return ca, nil
		}
	}
	return list[0], nil
}

// CA returns the certificate of the CA that the addresses without an ID belong to, DER.
func (c *CRLCache) CA(ctx context.Context) ([]byte, error) {
	ca, err := c.main(ctx)
	if err != nil {
		return nil, err
	}
	return ca.Chain[0], nil
}

// CAOf returns the certificate of the CA with that ID, DER; NotFound.
func (c *CRLCache) CAOf(ctx context.Context, id string) ([]byte, error) {
	ca, err := c.ca(ctx, id)
	if err != nil {
		return nil, err
	}
	return ca.Chain[0], nil
}

// Chain returns the active CA and those above it, then the others that may have live certificates, each
// with those above it: PEM, no certificate twice.
func (c *CRLCache) Chain(ctx context.Context) ([]byte, error) {
	list, err := c.CAs(ctx)
	if err != nil {
		return nil, err
	}
	var ders [][]byte
	for _, ca := range list {
		if c.ended(ca) || !ca.Active && c.Unused != nil && c.Unused(ca.ID) {
			continue
		}
		for _, der := range ca.Chain {
			if !slices.ContainsFunc(ders, func(d []byte) bool { return string(d) == string(der) }) {
				ders = append(ders, der)
			}
		}
	}
	return PEM(ders...), nil
}

// PEM encodes certificates.
func PEM(ders ...[]byte) (text []byte) {
	for _, der := range ders {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return text
}
