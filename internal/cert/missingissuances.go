package cert

import (
	"context"

	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/vault"
)

// MissingIssuances returns the newest issuances marked as recorded in the vault that
// the database lacks. Any of them means that the database is older than the vault
// expects. The cost does not depend on how many were ever issued.
func (s *Service) MissingIssuances(ctx context.Context) (lacked []intentlog.Entry, err error) {
	newest, err := s.Issuances.Newest(ctx)
	if err != nil {
		return nil, vault.Fault(err)
	}
	known, err := s.Store.KnownAmong(ctx, intentlog.SerialNumbers(newest))
	if err != nil {
		return nil, err
	}
	for _, e := range newest {
		if e.SerialNumber != "" && !known[e.SerialNumber] {
			lacked = append(lacked, e)
		}
	}
	return lacked, nil
}

// MarkIssuancesUnaccounted accepts an older database: it marks the issuances that the database
// lacks as lost in the vault, so that they are neither reported again nor revoked,
// but listed as never recorded. It returns their number. Nothing may be signed
// meanwhile; it may be repeated.
func (s *Service) MarkIssuancesUnaccounted(ctx context.Context) (lost int, err error) {
	lost, err = s.Issuances.MarkUnaccounted(ctx, func(entries []intentlog.Entry) error {
		known, err := s.Store.KnownAmong(ctx, intentlog.SerialNumbers(entries))
		if err != nil {
			return err
		}
		for i := range entries {
			e := &entries[i]
			if known[e.SerialNumber] {
				e.Outcome = intentlog.Recorded
				continue
			}
			e.Outcome = intentlog.Lost
			if e.SerialNumber != "" {
				continue
			}
			c, err := s.recordOf(ctx, e.Issuance, e.At(), func(string) bool { return false })
			if err != nil {
				return err
			}
			if c != nil {
				e.SetRecorded(c)
			}
		}
		return nil
	})
	return lost, vault.Fault(err)
}
