package account

import (
	"context"
	"fmt"
	"slices"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
)

// MaxEnable is how many accounts one request may enable, in one transaction.
const MaxEnable = 200

// errNotAll is about accounts of a request that do not exist or are out of scope.
var errNotAll = fault.Wrong("ids", "unknown_account",
	"names an account that does not exist or that you may not change; none of them was changed")

// Enable enables accounts, all or none, each by the rules of Update. It returns
// how many it enabled, skipping those already enabled. Invalid for ids when one
// does not exist or is out of scope.
func (s *Users) Enable(ctx context.Context, a access.Actor, scope access.Scope, ids []int64) (int, error) {
	if len(ids) == 0 || len(ids) > MaxEnable {
		return 0, fault.Invalid(fault.Wrongf("ids", "bad_account_count", "must name 1 to {max} accounts", fault.Params{"max": MaxEnable}))
	}
	active, now := true, s.Now()
	p := UserPatch{IsActive: &active}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	enabled, err := s.Store.ChangeUsers(ctx, scope, ids, func(state UserState) (UserChange, error) {
		if err := within(scope, state.User); err != nil {
			return UserChange{}, err
		}
		next := p.apply(state.User)
		if err := p.allowed(a, scope, state, next); err != nil {
			return UserChange{}, err
		}
		if !state.User.IsActive {
			if err := access.CheckEffects(ctx, now, "ids"); err != nil {
				return UserChange{}, err
			}
		}
		return p.change(a, state, next, now), nil
	})
	if fault.Is(err, fault.NotFound) {
		err = fault.Invalid(errNotAll).With(s.outside(ctx, scope, ids, err))
	}
	return enabled, err
}

// Outside is the cause of an error about many accounts: one does not exist or is out
// of scope. Err is the error about that one alone.
type Outside struct {
	ID  int64
	Err error
}

func (o *Outside) Error() string { return fmt.Sprintf("account %d: %v", o.ID, o.Err) }

func (o *Outside) Unwrap() error { return o.Err }

// outside returns an *Outside for the first such account, or err if there is none any more.
func (s *Users) outside(ctx context.Context, scope access.Scope, ids []int64, err error) error {
	for _, id := range ids {
		u, missing := s.Store.User(ctx, scope, id)
		if missing == nil {
			missing = within(scope, u)
		}
		if fault.Is(missing, fault.NotFound) {
			return &Outside{id, missing}
		}
	}
	return err
}
