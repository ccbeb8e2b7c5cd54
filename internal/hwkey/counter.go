package hwkey

import (
	"context"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
)

// atLeast raises the document's counter to the one in the token's row: a destroyed
// document leaves no counter behind.
func atLeast(d Device, s custody.State) custody.State {
	s.Document.Counter = max(s.Document.Counter, d.SecretsCounter)
	return s
}

// ahead reports whether the row, read before the document, has a higher counter: the
// vault was restored to an older state.
func (d Device) ahead(s custody.State) bool { return s.Document.Counter < d.SecretsCounter }

// errOlder is returned where Service.RolledBack is nil.
var errOlder = fault.New(fault.RecoveryRequired, "secrets_older",
	"The vault has older secrets for this token, perhaps from a snapshot. Ask an administrator.")

// present returns RecoveryRequired for a document that is older than the row, read
// before it, expects: its values may be outdated.
func (s *Service) present(ctx context.Context, d Device, state custody.State) error {
	if !d.ahead(state) {
		return nil
	}
	if s.RolledBack == nil {
		return errOlder
	}
	return s.RolledBack(ctx, d.Serial, func(ctx context.Context) (bool, error) {
		now, err := s.Store.Device(ctx, access.All(), d.Serial)
		if err != nil {
			return false, err
		}
		state, err := s.Custody.Load(ctx, d.Serial)
		return now.ahead(state), err
	})
}
