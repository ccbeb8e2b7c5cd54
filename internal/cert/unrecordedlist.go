package cert

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/vault"
)

// UnrecordedIssuance is an issuance in the vault's log without a record.
type UnrecordedIssuance struct {
	intentlog.Entry

	Username string      // of the account; empty for an API key
	Revoked  *Unrecorded // revoked by someone since; nil: not
}

// onItsWay is the age up to which an open issuance may still be in progress.
const onItsWay = time.Minute

// ListUnrecorded returns the logged issuances without a record, newest first: those
// settled, and those open for over a minute.
func (s *Service) ListUnrecorded(ctx context.Context, p page.Request) (page.Page[UnrecordedIssuance], error) {
	var none page.Page[UnrecordedIssuance]
	until := s.Now().Add(-onItsWay)
	entries, err := s.Issuances.Unrecorded(ctx, p.Before, until, p.Limit+1)
	if err != nil {
		return none, vault.Fault(err)
	}
	rows, err := s.unrecordedRows(ctx, entries)
	if err != nil {
		return none, err
	}
	return page.Make(rows, p, func(u UnrecordedIssuance) int64 { return u.Number() }, func() (page.Count, error) {
		total, exact, err := s.Issuances.CountUnrecorded(ctx, until)
		return page.Count{Total: min(total, page.CountTo), TotalIsExact: exact && total <= page.CountTo}, vault.Fault(err)
	})
}

// unrecordedRows adds what the database knows.
func (s *Service) unrecordedRows(ctx context.Context, entries []intentlog.Entry) ([]UnrecordedIssuance, error) {
	var accounts []int64
	for _, e := range entries {
		if e.Account != 0 {
			accounts = append(accounts, e.Account)
		}
	}
	names, err := s.Store.Usernames(ctx, accounts)
	if err != nil {
		return nil, err
	}
	revoked, err := s.Store.UnrecordedRevocations(ctx, intentlog.SerialNumbers(entries))
	if err != nil {
		return nil, err
	}
	rows := make([]UnrecordedIssuance, len(entries))
	for i, e := range entries {
		rows[i] = UnrecordedIssuance{Entry: e, Username: names[e.Account]}
		if r, ok := revoked[e.SerialNumber]; ok {
			rows[i].Revoked = &r
		}
	}
	return rows, nil
}
