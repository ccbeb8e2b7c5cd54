package cert

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"time"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/issuancelog"
)

// stray is a certificate that the vault signed and the database does not hold.
type stray struct {
	serial              string
	tbs                 string // hex SHA-256 of what is signed
	der                 []byte
	notBefore, notAfter time.Time
	revoked             bool // on the CRL
}

// strays are those of the vault's list, by the hash of their key.
func (s *Service) strays(ctx context.Context) (map[string][]*stray, error) {
	lister, ok := s.PKI.(vault.IssuedLister)
	if !ok {
		return nil, nil
	}
	unknown, err := s.unknown(ctx, lister)
	if err != nil || len(unknown) == 0 {
		return nil, err
	}
	revoked, err := s.revokedAmong(ctx, unknown)
	if err != nil {
		return nil, err
	}
	found := map[string][]*stray{}
	for _, serial := range unknown {
		der, err := lister.Certificate(ctx, serial)
		if errors.Is(err, vault.ErrNotFound) {
			continue // tidied away meanwhile
		} else if err != nil {
			return nil, vault.Fault(err)
		}
		c, err := x509.ParseCertificate(der)
		if err != nil {
			continue // none of ours
		}
		sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
		key := hex.EncodeToString(sum[:])
		found[key] = append(found[key], &stray{serial, issuancelog.TBS(c), der, c.NotBefore, c.NotAfter, revoked[serial]})
	}
	return found, nil
}

// unknown are the serials of the vault's list that the database does not hold.
func (s *Service) unknown(ctx context.Context, lister vault.IssuedLister) (serials []string, err error) {
	var some []string
	flush := func() error {
		known, err := s.Store.KnownAmong(ctx, some)
		if err != nil {
			return err
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

// revokedAmong tells which of these the CRL lists.
func (s *Service) revokedAmong(ctx context.Context, serials []string) (map[string]bool, error) {
	lister, ok := s.PKI.(vault.RevokedLister)
	if !ok {
		return nil, nil
	}
	revoked := map[string]bool{}
	for _, serial := range serials {
		revoked[serial] = false
	}
	err := lister.Revoked(ctx, func(r vault.Revocation) error {
		if _, asked := revoked[r.Serial]; asked {
			revoked[r.Serial] = true
		}
		return nil
	})
	return revoked, vault.Fault(err)
}
