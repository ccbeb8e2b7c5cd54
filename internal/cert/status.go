package cert

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/vault"
)

// notRecordedFor is how long the log's entries without a record are not read again: certificates
// that nobody knows are asked for at will, and each would cost as much.
const notRecordedFor = 10 * time.Second

// notRecorded are the log's entries without a record, as last read.
type notRecorded struct {
	mu      sync.Mutex
	at      time.Time
	entries map[string]intentlog.Entry
}

// RevocationStatus implements ocsp.Records. Revoked is what the database says or the published list:
// whoever changes the one can't change the other. A certificate without a record may be in the vault's
// log. While the database may be older than the vault expects, nothing is said to be in order.
func (s *Service) RevocationStatus(ctx context.Context, serialNumber string) (known bool, revoked *vault.Revocation, err error) {
	known, revoked, err = s.Store.RevocationOf(ctx, serialNumber)
	if err != nil || revoked != nil {
		return known, revoked, err
	}
	if revoked, err = s.Published(ctx, serialNumber); err != nil || revoked != nil {
		return true, revoked, err
	}
	if s.Consistent != nil && !s.Consistent() {
		return false, nil, fmt.Errorf("%w: database and vault may not belong together", vault.ErrUnavailable)
	}
	if known {
		return true, nil, nil
	}
	entry, ok, err := s.notRecordedEntry(ctx, serialNumber)
	switch {
	case err != nil || !ok || entry.Outcome == intentlog.NotSigned:
		return false, nil, err
	case entry.Outcome == intentlog.Discarded:
		return true, &vault.Revocation{Serial: serialNumber, At: entry.At(), Reason: vault.CessationOfOperation}, nil
	}
	return true, nil, nil
}

// RevocationMark implements ocsp.Records.
func (s *Service) RevocationMark(ctx context.Context) (string, error) {
	return s.Store.RevocationMark(ctx)
}

func (s *Service) notRecordedEntry(ctx context.Context, serialNumber string) (intentlog.Entry, bool, error) {
	s.unrecorded.mu.Lock()
	defer s.unrecorded.mu.Unlock()
	if now := s.Now(); s.unrecorded.entries == nil || now.Sub(s.unrecorded.at).Abs() >= notRecordedFor {
		entries, err := s.Issuances.NotRecorded(ctx)
		if err != nil {
			return intentlog.Entry{}, false, err
		}
		s.unrecorded.at, s.unrecorded.entries = now, entries
	}
	entry, ok := s.unrecorded.entries[serialNumber]
	return entry, ok, nil
}
