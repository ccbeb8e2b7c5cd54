package cert

import (
	"context"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/issuancelog"
)

// LackedIssuances are those that the vault marked as recorded last and the
// database does not hold: with any, the database is older than the vault knows
// it to be. It costs the same however much was ever issued.
func (s *Service) LackedIssuances(ctx context.Context) (lacked []issuancelog.Entry, err error) {
	newest, err := s.Issuances.Newest(ctx)
	if err != nil {
		return nil, vault.Fault(err)
	}
	known, err := s.Store.KnownAmong(ctx, serialsOf(newest))
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

// LoseIssuances is for an older database that was accepted: what it lacks is
// marked as lost in the vault, so that it is neither missed again nor revoked
// because of that, and is shown with what was never recorded. It tells how many
// these are. Nothing may be signed meanwhile; it may be repeated.
func (s *Service) LoseIssuances(ctx context.Context) (lost int, err error) {
	lost, err = s.Issuances.Lose(ctx, func(entries []issuancelog.Entry) error {
		known, err := s.Store.KnownAmong(ctx, serialsOf(entries))
		if err != nil {
			return err
		}
		for i := range entries {
			e := &entries[i]
			if known[e.SerialNumber] {
				e.Outcome = issuancelog.Recorded
				continue
			}
			e.Outcome = issuancelog.Lost
			if e.SerialNumber != "" {
				continue
			}
			c, err := s.recordOf(ctx, e.Issuance, e.At(), func(string) bool { return false })
			if err != nil {
				return err
			}
			if c != nil {
				e.Become(c)
			}
		}
		return nil
	})
	return lost, vault.Fault(err)
}

func serialsOf(entries []issuancelog.Entry) []string {
	var serials []string
	for _, e := range entries {
		if e.SerialNumber != "" {
			serials = append(serials, e.SerialNumber)
		}
	}
	return serials
}
