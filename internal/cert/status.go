package cert

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/ocsp"
	"github.com/keyward/keyward/internal/vault"
)

// notRecordedFor is how long the log's entries without a record are not read again: certificates
// that nobody knows are asked for at will, and each would cost as much.
const notRecordedFor = 10 * time.Second

// notRecorded are the log's entries without a record, as last read, or why they could not be.
type notRecorded struct {
	mu      sync.Mutex
	read    time.Time
	entries map[string]intentlog.Entry
	err     error
}

// RevocationStatus implements ocsp.Records. Revoked is what the published list says, or else the
// database: whoever changes the database can't change the list. A certificate without a record may be
// in the vault's log. While the database may be older than the vault expects, nothing is said to be in
// order.
func (s *Service) RevocationStatus(ctx context.Context, of ocsp.Issuer, serialNumber string) (ocsp.Status, error) {
	published, err := s.Published.RevokedOn(ctx, of.ID, serialNumber)
	if err != nil || published != nil && published.Reason != vault.Unspecified {
		return ocsp.Status{Known: true, Revoked: published}, err
	}
	known, revoked, err := s.Store.RevocationOf(ctx, of.Name, serialNumber)
	switch {
	case err != nil:
		return ocsp.Status{}, err
	case published != nil:
		if revoked != nil { // a remote vault's list has no reasons
			published.Reason = revoked.Reason
		}
		return ocsp.Status{Known: true, Revoked: published}, nil
	case revoked != nil:
		return ocsp.Status{Known: known, Revoked: plausible(revoked, s.Now())}, nil
	}
	if s.Consistent != nil && !s.Consistent() {
		return ocsp.Status{}, fmt.Errorf("%w: database and vault may not belong together", vault.ErrUnavailable)
	}
	if known {
		return ocsp.Status{Known: true}, nil
	}
	entry, ok, err := s.notRecordedEntry(ctx, serialNumber)
	switch {
	case err != nil || !ok || entry.Outcome == intentlog.NotSigned || entry.CA != "" && entry.CA != of.ID:
		return ocsp.Status{}, err
	case entry.Outcome == intentlog.Discarded:
		revoked = &vault.Revocation{Serial: serialNumber, At: entry.At(), Reason: vault.CessationOfOperation}
	}
	return ocsp.Status{Known: true, Revoked: revoked, Pending: true}, nil
}

// plausible corrects a time that no revocation has, from a database that somebody has changed.
func plausible(r *vault.Revocation, now time.Time) *vault.Revocation {
	if r != nil && (r.At.After(now) || r.At.Year() < 2000) {
		corrected := *r
		corrected.At = now
		return &corrected
	}
	return r
}

// RevocationMark implements ocsp.Records.
func (s *Service) RevocationMark(ctx context.Context) (string, error) {
	mark, err := s.Store.RevocationMark(ctx)
	consistent := s.Consistent == nil || s.Consistent()
	return fmt.Sprint(mark, " ", s.Published.Version(), " ", consistent), err
}

// notRecordedTimeout is how long reading the log may take.
const notRecordedTimeout = 20 * time.Second

func (s *Service) notRecordedEntry(ctx context.Context, serialNumber string) (intentlog.Entry, bool, error) {
	u := &s.unrecorded
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.read.IsZero() || time.Since(u.read) >= notRecordedFor {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), notRecordedTimeout) // others wait for it, too
		defer cancel()
		u.entries, u.err = s.Issuances.NotRecorded(ctx)
		u.read = time.Now()
	}
	entry, ok := u.entries[serialNumber]
	return entry, ok, u.err
}
