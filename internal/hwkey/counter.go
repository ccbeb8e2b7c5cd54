package hwkey

import (
	"context"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
)

// atLeast lets the document's counter go on after the one that the token's row
// knows: a document that was destroyed leaves none behind.
func (s State) atLeast(d Device) State {
	s.Document.Counter = max(s.Document.Counter, d.SecretsCounter)
	return s
}

// ahead tells whether the row, read before the document, knows a later one: the
// vault was put back.
func (d Device) ahead(s State) bool { return s.Document.Counter < d.SecretsCounter }

// errOlder is the answer where nobody is told of an older document.
var errOlder = fault.New(fault.RecoveryRequired, "secrets_older",
	"The vault has older secrets for this token, perhaps from a snapshot. Ask an administrator.")

// present is RecoveryRequired for a document that is older than the row, which
// was read before it, knows it to be: its values may be former ones.
func (s *Service) present(ctx context.Context, d Device, state State) error {
	if !d.ahead(state) {
		return nil
	}
	if s.Older == nil {
		return errOlder
	}
	return s.Older(ctx, d.Serial, func(ctx context.Context) (bool, error) {
		now, err := s.Store.Device(ctx, access.All(), d.Serial)
		if err != nil {
			return false, err
		}
		state, err := s.Custody.Load(ctx, d.Serial)
		return now.ahead(state), err
	})
}
