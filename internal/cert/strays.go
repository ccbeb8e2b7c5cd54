package cert

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// stray is a certificate that the vault signed and the database does not hold
// as issued.
type stray struct {
	serial              string
	der                 []byte
	notBefore, notAfter time.Time
	known               bool // the database holds it, as revoked
	revoked             bool // in this round
}

// strays are those of the vault's list, by the hash of their key.
func (s *Service) strays(ctx context.Context) (map[string][]*stray, error) {
	lister, ok := s.PKI.(vault.IssuedLister)
	if !ok {
		return nil, nil
	}
	unknown, err := s.unknown(ctx, lister)
	if err != nil {
		return nil, err
	}
	found := map[string][]*stray{}
	for _, serial := range unknown {
		recorded, err := s.Store.Certificate(ctx, access.All(), serial)
		known := err == nil
		if err != nil && !fault.Is(err, fault.NotFound) {
			return nil, err
		}
		der := recorded.DER
		if !known {
			if der, err = lister.Certificate(ctx, serial); errors.Is(err, vault.ErrNotFound) {
				continue // tidied away meanwhile
			} else if err != nil {
				return nil, vault.Fault(err)
			}
		}
		c, err := x509.ParseCertificate(der)
		if err != nil {
			continue // none of ours
		}
		sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
		key := hex.EncodeToString(sum[:])
		found[key] = append(found[key], &stray{serial: serial, der: der, notBefore: c.NotBefore, notAfter: c.NotAfter, known: known})
	}
	return found, nil
}

// unknown are the serials of the vault's list that the database does not hold
// as issued and that are not on the CRL.
func (s *Service) unknown(ctx context.Context, lister vault.IssuedLister) (serials []string, err error) {
	revoked := map[string]bool{}
	if r, ok := s.PKI.(vault.RevokedLister); ok {
		if err := r.Revoked(ctx, func(r vault.Revocation) error { revoked[r.Serial] = true; return nil }); err != nil {
			return nil, vault.Fault(err)
		}
	}
	var some []string
	flush := func() error {
		issued, err := s.Store.IssuedAmong(ctx, some)
		if err != nil {
			return err
		}
		known := map[string]bool{}
		for _, serial := range issued {
			known[serial] = true
		}
		for _, serial := range some {
			if !known[serial] {
				serials = append(serials, serial)
			}
		}
		some = some[:0]
		return nil
	}
	err = lister.Issued(ctx, func(serial string) error {
		if revoked[serial] {
			return nil
		}
		if some = append(some, serial); len(some) < batch/2 {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	return serials, vault.Fault(err)
}
