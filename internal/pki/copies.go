package pki

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
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

// Keep stores the newest lists for other servers, outside of any request. A long list waits for a
// while after the one before, unless atOnce. Without Shared, or with nothing new, it does nothing.
// A failure is retried with the next call.
func (c *CRLCache) Keep(ctx context.Context, atOnce bool) (err error) {
	c.keeping.Lock()
	defer c.keeping.Unlock()
	known := c.known.Load()
	if known == nil {
		return nil
	}
	for _, ca := range *known {
		if len(ca.Chain) > 0 {
			err = errors.Join(err, c.list(ca.ID).store(ctx, ca, atOnce))
		}
	}
	return err
}

// store needs keeping.
func (l *caList) store(ctx context.Context, ca vault.CA, atOnce bool) error {
	list := l.keep.Load()
	if list == nil {
		return nil
	}
	known := l.kept.ca == list.ca && l.kept.number == list.Number
	pause := time.Duration(len(list.DER)/slowBytes) * time.Second
	if !known && !atOnce && l.Now().Sub(l.kept.at).Abs() < pause {
		return nil
	}
	if sha256.Sum256(ca.Chain[0]) != list.ca { // the CA's certificate was replaced meanwhile; its list is fetched soon
		return nil
	}
	if err := l.Shared.KeepCRL(ctx, CRLCopy{Chain: ca.Chain, DER: list.DER, Number: list.Number, FetchedAt: list.FetchedAt}); err != nil {
		return err
	}
	if !known {
		l.kept.ca, l.kept.number, l.kept.at = list.ca, list.Number, l.Now()
	}
	l.keep.CompareAndSwap(list, nil)
	return nil
}

// newerCopy returns the copy of a list's CA if it is valid and newer than both that list and the
// cached one; nil otherwise, and if the database is away.
func (l *caList) newerCopy(ctx context.Context, list vault.CRL, cached *SignedCRL) *SignedCRL {
	number := list.Number
	if cached != nil {
		number = cached.Number
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), copyTimeout)
	defer cancel()
	kept, found, err := l.Shared.NewerCRL(ctx, list.CA, number)
	if err != nil || !found {
		return nil
	}
	copied, err := kept.list(list.CA)
	if err != nil {
		l.disregard(err)
		return nil
	}
	return copied
}

// borrow takes the list that any server fetched last, if this one has none to serve and the vault
// does not answer. The copy must still be usable and valid by itself.
func (l *caList) borrow(ctx context.Context) error {
	copies, err := l.copies(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(copies, func(k lentCA) bool { return k.ID == l.id })
	if i < 0 {
		return nil
	}
	list, err := copies[i].list(copies[i].CRLCopy.Chain[0])
	if err != nil {
		return fmt.Errorf("the CRL kept in the database: %w", err)
	}
	before := l.crl.Load()
	if list.usable(l.Now()) && (before == nil || before.ca != list.ca || before.Number <= list.Number) {
		l.crl.CompareAndSwap(before, list)
	}
	return nil
}

// borrowCAs returns the CAs of the copies in the database; nil if there are none.
func (c *CRLCache) borrowCAs(ctx context.Context) []vault.CA {
	copies, err := c.copies(ctx)
	if err != nil {
		c.disregard(err)
		return nil
	}
	var cas []vault.CA
	for _, k := range copies {
		cas = append(cas, k.CA)
	}
	if len(cas) > 0 {
		c.lent.Store(&cas)
	}
	return cas
}

// lentCA is a copy with its CA.
type lentCA struct {
	vault.CA
	CRLCopy
}

// copies returns what any server fetched last. Nobody can be asked for the CAs then: those count that have
// signed recorded certificates, whose addresses say which is the first. The CA of the newest one comes first.
func (c *CRLCache) copies(ctx context.Context) (list []lentCA, err error) {
	if c.Shared == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), copyTimeout)
	defer cancel()
	copies, err := c.Shared.CRLCopies(ctx)
	if err != nil || len(copies) == 0 {
		return nil, err
	}
	newest, err := c.Shared.NewestCertificate(ctx, "")
	if err != nil {
		return nil, err
	}
	if newest == nil { // nothing is signed yet
		copies = copies[:1]
	}
	for _, k := range copies {
		ca, err := c.lend(ctx, k, newest == nil)
		if err != nil {
			c.disregard(err)
			continue
		}
		list = append(list, lentCA{ca, k})
	}
	if of, err := x509.ParseCertificate(newest); err == nil {
		slices.SortStableFunc(list, func(a, b lentCA) int { return cmp.Compare(signed(b.CA, of), signed(a.CA, of)) })
	}
	return list, nil
}

// signed is 1 for the issuer of a certificate.
func signed(ca vault.CA, cert *x509.Certificate) int {
	if ca.Issued(cert) {
		return 1
	}
	return 0
}

// lend judges a copy; alone: it is the only one, and no certificate is recorded.
func (c *CRLCache) lend(ctx context.Context, k CRLCopy, alone bool) (vault.CA, error) {
	if len(k.Chain) == 0 {
		return vault.CA{}, errors.New("its CA is missing")
	}
	cert, err := x509.ParseCertificate(k.Chain[0])
	if err != nil {
		return vault.CA{}, err
	}
	ca := vault.CA{ID: vault.CAID(cert.RawSubjectPublicKeyInfo), Chain: k.Chain, First: alone, Active: alone}
	if alone {
		return ca, k.check(nil)
	}
	recorded, err := c.Shared.NewestCertificate(ctx, cert.Subject.String())
	if err != nil {
		return ca, err
	}
	if recorded == nil {
		return ca, fmt.Errorf("%s has signed no recorded certificate", cert.Subject)
	}
	if err := k.check(recorded); err != nil {
		return ca, err
	}
	signed, err := x509.ParseCertificate(recorded)
	if err != nil {
		return ca, err
	}
	list, _ := vault.Addresses(ca.ID, true)
	ca.First = slices.ContainsFunc(signed.CRLDistributionPoints, func(address string) bool { return strings.HasSuffix(address, list) })
	return ca, nil
}

func (c *CRLCache) disregard(err error) {
	if c.Log != nil {
		c.Log.Warn("the CRL in the database is not used", "error", err)
	}
}

// check verifies the chain, and that the CA has signed a certificate, DER, if there is one.
func (k CRLCopy) check(signed []byte) error {
	var below *x509.Certificate
	if signed != nil {
		var err error
		if below, err = x509.ParseCertificate(signed); err != nil {
			return fmt.Errorf("the certificate recorded last: %w", err)
		}
	}
	for _, der := range k.Chain {
		ca, err := x509.ParseCertificate(der)
		if err != nil {
			return err
		}
		if below != nil {
			if err := below.CheckSignatureFrom(ca); err != nil {
				return fmt.Errorf("%s is not of the CA beside it, %s: %w", below.Subject, ca.Subject, err)
			}
		}
		below = ca
	}
	return nil
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
