package cert

import (
	"context"
	"crypto/x509"
	"errors"
	"time"

	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/vault"
)

// orphan is a certificate that the vault signed and the database lacks.
type orphan struct {
	serial              string
	ca                  string // ID of its CA; empty: as its DER says
	tbs                 string // hex SHA-256 of the TBSCertificate
	der                 []byte
	notBefore, notAfter time.Time
	revoked             bool // on the CRL
}

// orphans returns those in the vault's list, by the hash of their key.
func (s *Service) orphans(ctx context.Context) (map[string][]*orphan, error) {
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
	found := map[string][]*orphan{}
	for _, serial := range unknown {
		der, err := lister.Certificate(ctx, serial)
		if errors.Is(err, vault.ErrNotFound) {
			continue // removed by a tidy meanwhile
		} else if err != nil {
			return nil, vault.Fault(err)
		}
		c, err := x509.ParseCertificate(der)
		if err != nil {
			continue // not ours
		}
		key := hexSHA256(c.RawSubjectPublicKeyInfo)
		found[key] = append(found[key], &orphan{
			serial: serial, tbs: intentlog.TBS(c), der: der, notBefore: c.NotBefore, notAfter: c.NotAfter, revoked: revoked[serial],
		})
	}
	return found, nil
}

// unknown returns the serials in the vault's list that the database lacks.
func (s *Service) unknown(ctx context.Context, lister vault.IssuedLister) (serials []string, err error) {
	among := unrecordedAmong{store: s.Store}
	err = lister.Issued(ctx, func(serial string) error { return among.add(ctx, serial) })
	if err == nil {
		err = among.flush(ctx)
	}
	return among.found, vault.Fault(err)
}

// unrecordedAmong collects those of the added serial numbers that have no record, in
// batches. Call flush after the last.
type unrecordedAmong struct {
	store Store
	some  []string
	found []string // a serial added twice may appear twice
}

func (u *unrecordedAmong) add(ctx context.Context, serial string) error {
	if u.some = append(u.some, serial); len(u.some) < batch/2 {
		return nil
	}
	return u.flush(ctx)
}

func (u *unrecordedAmong) flush(ctx context.Context) error {
	known, err := u.store.KnownAmong(ctx, u.some)
	for _, serial := range u.some {
		if err == nil && !known[serial] {
			u.found = append(u.found, serial)
		}
	}
	u.some = u.some[:0]
	return err
}

// revokedAmong reports which serials the CRL lists.
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
