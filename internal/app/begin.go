package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/keyward/keyward/internal/config"
)

// How a server gets what it must have got from the vault once.
const (
	beginWithin = 20 * time.Second // at most, before listening: a vault that is away fails sooner
	beginAgain  = 2 * time.Second  // between later attempts
)

// errHalfRestored: the vault's installation number is what a restore onto a bare
// machine writes last.
var errHalfRestored = errors.New("a restore onto this server stopped halfway: finish it with keyward restore --resume " +
	"and the same backup")

// begin checks that the vault belongs to the database and which of the two is older,
// and loads the secret of the access tokens. From then on the server answers requests,
// and signed-in users stay signed in while the vault is away.
func (s *services) begin(ctx context.Context) error {
	if s.sessions.Signer.Loaded() {
		return nil
	}
	if err := s.paired(ctx); err != nil {
		return err
	}
	if err := s.sealer.Begin(ctx); err != nil {
		return fmt.Errorf("the key of the audit log's seal: %w", err)
	}
	if err := s.guard.Start(ctx); err != nil {
		return fmt.Errorf("whether database and vault belong together: %w", err)
	}
	if err := s.sessions.Signer.Load(ctx); err != nil {
		return fmt.Errorf("the secret of the access tokens: %w", err)
	}
	return nil
}

// tryBegin calls begin before the server listens. If the vault is away, the server
// starts anyway, to serve the CRL, but is not ready. With another installation's vault
// it does not start.
func (s *services) tryBegin(ctx context.Context, cfg config.Config, log *slog.Logger) error {
	bounded, cancel := context.WithTimeout(ctx, beginWithin)
	defer cancel()
	err := s.begin(bounded)
	if errors.Is(err, errStranger) {
		if u, unread := s.guard.RestoreUnfinished(ctx); unread == nil && u != nil {
			return errHalfRestored
		}
		return stranger(cfg)
	}
	if err != nil {
		log.ErrorContext(ctx, "the vault was never reached: until it is, nobody can sign in and /readyz answers 503; trying again",
			"error", err)
	}
	return nil
}
