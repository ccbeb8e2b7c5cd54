package pki

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// CRLCopy is a list with the CA that signed it, as a server fetched it.
type CRLCopy struct {
	Chain     [][]byte // DER, the CA that signed first, the root last
	DER       []byte
	Number    uint64
	FetchedAt time.Time
}

// slowBytes is how many bytes a second are written to the database at most, for lists that change
// all the time.
const slowBytes = 100 << 10

// Keep stores the newest list for other servers, outside of any request. A long list waits for a
// while after the one before, unless atOnce. Without Shared, or with nothing new, it does nothing.
// A failure is retried with the next call.
func (c *CRLCache) Keep(ctx context.Context, atOnce bool) error {
	c.keeping.Lock()
	defer c.keeping.Unlock()
	list := c.keep.Load()
	if list == nil {
		return nil
	}
	known := c.kept.ca == list.ca && c.kept.number == list.Number
	pause := time.Duration(len(list.DER)/slowBytes) * time.Second
	if !known && !atOnce && c.Now().Sub(c.kept.at).Abs() < pause {
		return nil
	}
	chain, err := c.presentChain(ctx)
	if err != nil {
		return vault.Fault(err)
	}
	if sha256.Sum256(chain[0]) != list.ca { // the CA was replaced meanwhile; its list is fetched soon
		return nil
	}
	if err := c.Shared.KeepCRL(ctx, CRLCopy{Chain: chain, DER: list.DER, Number: list.Number, FetchedAt: list.FetchedAt}); err != nil {
		return err
	}
	if !known {
		c.kept.ca, c.kept.number, c.kept.at = list.ca, list.Number, c.Now()
	}
	c.keep.CompareAndSwap(list, nil)
	return nil
}

// newerCopy returns the copy of a list's CA if it is valid and newer than both that list and the
// cached one; nil otherwise, and if the database is away.
func (c *CRLCache) newerCopy(ctx context.Context, list vault.CRL, cached *SignedCRL) *SignedCRL {
	number := list.Number
	if cached != nil {
		number = cached.Number
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), copyTimeout)
	defer cancel()
	kept, found, err := c.Shared.NewerCRL(ctx, list.CA, number)
	if err != nil || !found {
		return nil
	}
	copied, err := kept.list(list.CA)
	if err != nil {
		c.disregard(err)
		return nil
	}
	return copied
}

// borrow takes the list that any server fetched last, if this one has none to serve and the vault
// does not answer. The copy must still be usable, valid by itself, and of the current CA, if that
// is known.
func (c *CRLCache) borrow(ctx context.Context) error {
	list, chain, err := c.lastCopy(ctx)
	if err != nil || list == nil {
		return err
	}
	if present := c.chain.Load(); present != nil && !bytes.Equal((*present)[0], chain[0]) {
		return nil
	}
	before := c.crl.Load()
	if list.usable(c.Now()) && (before == nil || before.ca != list.ca || before.Number <= list.Number) {
		c.crl.CompareAndSwap(before, list)
	}
	return nil
}

// lastChain returns the CA's chain of the last copy; nil if there is none.
func (c *CRLCache) lastChain(ctx context.Context) [][]byte {
	if lent := c.lent.Load(); lent != nil {
		return *lent
	}
	_, chain, err := c.lastCopy(ctx)
	if err != nil {
		c.disregard(err)
	}
	return chain
}

// lastCopy returns what any server fetched last; nil if there is nothing.
func (c *CRLCache) lastCopy(ctx context.Context) (*SignedCRL, [][]byte, error) {
	if c.Shared == nil {
		return nil, nil, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), copyTimeout)
	defer cancel()
	kept, found, err := c.Shared.LastCRL(ctx)
	if err != nil || !found {
		return nil, nil, err
	}
	recorded, err := c.Shared.NewestCertificate(ctx)
	if err != nil {
		return nil, nil, err
	}
	list, err := kept.whole(recorded)
	if err != nil {
		return nil, nil, fmt.Errorf("the CRL kept in the database: %w", err)
	}
	c.lent.Store(&kept.Chain)
	return list, kept.Chain, nil
}

func (c *CRLCache) disregard(err error) {
	if c.Log != nil {
		c.Log.Warn("the CRL in the database is not used", "error", err)
	}
}

// whole returns the copy's list when the vault cannot be asked for the CA: the chain must verify,
// and the CA must have signed the newest recorded certificate, if there is one.
func (k CRLCopy) whole(recorded []byte) (*SignedCRL, error) {
	if len(k.Chain) == 0 {
		return nil, errors.New("its CA is missing")
	}
	var below *x509.Certificate
	if recorded != nil {
		var err error
		if below, err = x509.ParseCertificate(recorded); err != nil {
			return nil, fmt.Errorf("the certificate recorded last: %w", err)
		}
	}
	for _, der := range k.Chain {
		ca, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		if below != nil {
			if err := below.CheckSignatureFrom(ca); err != nil {
				return nil, fmt.Errorf("%s is not of the CA beside it, %s: %w", below.Subject, ca.Subject, err)
			}
		}
		below = ca
	}
	return k.list(k.Chain[0])
}

// list returns the copy as the cache holds it, if that CA, DER, signed it.
func (k CRLCopy) list(issuer []byte) (*SignedCRL, error) {
	ca, err := x509.ParseCertificate(issuer)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParseRevocationList(k.DER)
	if err != nil {
		return nil, err
	}
	if err := parsed.CheckSignatureFrom(ca); err != nil {
		return nil, err
	}
	if parsed.Number == nil || !parsed.Number.IsUint64() || parsed.Number.Uint64() != k.Number {
		return nil, errors.New("its number is another one")
	}
	return &SignedCRL{
		pem: inPEM(k.DER), index: makeIndex(k.DER), DER: k.DER, ETag: ETag(k.DER), Number: k.Number,
		ThisUpdate: parsed.ThisUpdate, NextUpdate: parsed.NextUpdate, FetchedAt: k.FetchedAt,
		ca: sha256.Sum256(issuer), borrowed: true,
	}, nil
}
