package cert

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/issuancelog"
)

// UnrecordedIssuance is what the vault took down and is not on record.
type UnrecordedIssuance struct {
	issuancelog.Entry

	Username string      // of the account; empty for an API key
	Revoked  *Unrecorded // by somebody, since; nil: not
}

// onItsWay is how young an open issuance is when its request may still work on
// it.
const onItsWay = time.Minute

// ListUnrecorded returns what the vault took down and is not on record, newest
// first: what became of it, and what is open for longer than a minute.
func (s *Service) ListUnrecorded(ctx context.Context, p page.Request) (page.Page[UnrecordedIssuance], error) {
	var none page.Page[UnrecordedIssuance]
	if s.Issuances == nil {
		return page.Make[UnrecordedIssuance](nil, p, nil, nil)
	}
	all, err := s.Issuances.Unrecorded(ctx)
	if err != nil {
		return none, vault.Fault(err)
	}
	all = slices.DeleteFunc(all, func(e issuancelog.Entry) bool {
		return e.Outcome == "" && s.Now().Sub(e.At()) < onItsWay
	})
	slices.SortStableFunc(all, func(a, b issuancelog.Entry) int { return cmp.Compare(b.ID, a.ID) })
	all = slices.CompactFunc(all, func(a, b issuancelog.Entry) bool { return a.ID == b.ID })
	count := page.Count{Total: min(len(all), page.CountTo), TotalIsExact: len(all) <= page.CountTo}
	if p.Before != 0 {
		all = slices.DeleteFunc(all, func(e issuancelog.Entry) bool { return e.Number() >= p.Before })
	}
	rows, err := s.unrecordedRows(ctx, all[:min(len(all), p.Limit+1)])
	if err != nil {
		return none, err
	}
	return page.Make(rows, p, func(u UnrecordedIssuance) int64 { return u.Number() }, func() (page.Count, error) { return count, nil })
}

// unrecordedRows adds what the database knows.
func (s *Service) unrecordedRows(ctx context.Context, entries []issuancelog.Entry) ([]UnrecordedIssuance, error) {
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
	revoked, err := s.Store.UnrecordedRevocations(ctx, serialsOf(entries))
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
