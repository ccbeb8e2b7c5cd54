package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/keyward/keyward/internal/config"
)

// How a server gets what it has to have had from the vault once.
const (
	beginWithin = 20 * time.Second // at most, before it listens: a vault that is away says so sooner, a slow one does not
	beginAgain  = 2 * time.Second  // between later tries
)

// errHalfRestored: the vault's number is the last that a restore onto a bare machine writes.
var errHalfRestored = errors.New("a restore onto this server stopped halfway: finish it with keyward restore --resume " +
	"and the same backup")

// begin sees that the vault is the one of the database, and which of the two is
// older, and has the secret of the access tokens loaded. From then on requests are
// welcome, and who is signed in stays so while the vault is away.
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

// tryBegin begins before the server listens, if the vault is there. Without it
// the server starts all the same, for the sake of the CRL, and is not ready.
// With a stranger's it does not start.
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
