package hwkey

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
)

// RowResult is the result for one token of a bulk change or one row of an import.
type RowResult string

// The outcomes.
const (
	WasCreated   RowResult = "created"
	WasUpdated   RowResult = "updated"
	WasUnchanged RowResult = "unchanged"
	HasFailed    RowResult = "failed"
)

// MaxBulk is how many tokens one bulk change may name.
const MaxBulk = 1000

// bulkAtOnce is how many tokens a bulk change works on at once: their transactions share commits.
const bulkAtOnce = 8

// BulkResult is the result for one token.
type BulkResult struct {
	Serial  string // as submitted
	Outcome RowResult
	Err     error // why it failed
}

// Bulk changes many tokens, each by the rules of Update and in its own transaction:
// one that fails does not stop the others. A token that is named twice fails the second time.
func (s *Service) Bulk(ctx context.Context, a access.Actor, scope access.Scope, serials []string, p Patch) ([]BulkResult, error) {
	if len(serials) == 0 || len(serials) > MaxBulk {
		return nil, fault.Invalid(fault.Wrongf("serials", "bad_count", "must name 1 to {max} tokens", fault.Params{"max": MaxBulk}))
	}
	reason, err := CheckReason(p.Reason)
	if err != nil {
		return nil, err
	}
	if p.Reason = ""; p == (Patch{}) {
		return nil, fault.Invalid(fault.Wrong("body", "no_change", "must name a change: status, owner_id or organization_id"))
	}
	p.Reason = reason
	results := make([]BulkResult, len(serials))
	seen := make(map[string]bool, len(serials))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(bulkAtOnce)
	for i, serial := range serials {
		results[i].Serial = serial
		key := piv.SerialKey(serial)
		if seen[key] {
			results[i].Outcome, results[i].Err = HasFailed, fault.Invalid(fault.Wrong("serials", "repeated_serial", "names this token twice"))
			continue
		}
		seen[key] = true
		group.Go(func() error {
			_, changed, err := s.update(ctx, a, scope, serial, p)
			switch {
			case ctx.Err() != nil && err != nil:
				return ctx.Err()
			case ofTheActor(err):
				return err
			case err != nil:
				results[i].Outcome, results[i].Err = HasFailed, err
				if fault.CodeOf(err) == fault.Internal {
					s.Log.Error("a token of a bulk change failed", "serial", serial, "request_id", a.RequestID, "error", err)
				}
			case changed:
				results[i].Outcome = WasUpdated
			default:
				results[i].Outcome = WasUnchanged
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return results, nil
}

// ofTheActor reports whether an error refuses the actor rather than one token's
// change: the actor was dismissed or moved during the request.
func ofTheActor(err error) bool {
	f, ok := fault.As(err)
	if !ok {
		return false
	}
	switch f.Code {
	case fault.SessionNotFound, fault.AccountDisabled, fault.TokenInvalid, fault.TokenExpired:
		return true
	}
	return f.Reason == access.ActorChanged.Reason
}
