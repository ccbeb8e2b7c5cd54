package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/vault"
)

// authority is a vault whose CRL can be compared; both engines' can.
type authority interface {
	vault.PKI
	vault.RevokedLister
	vault.Numbered
}

// newGuard wires the comparison of database and vault.
func newGuard(
	e *engines, certificates *cert.Service, releases *intentlog.Releases, sealer *chain.Sealer, signer *session.Signer,
	log *slog.Logger, now func() time.Time,
) *rollback.Guard {
	known := cert.Comparison{Service: certificates, Engine: e.vault.(authority), KV: e.vault}
	return &rollback.Guard{
		Database: e.store, Vault: e.vault, CRL: known, Audit: sealer, Admitted: e.store.Admitted,
		Renew: signer.Renew, Renewed: signer.Reload, Log: log, Now: now,
		// One line for each kind of record that the vault logs of the database.
		Sources: []rollback.Source{
			{What: rollback.Certificates, Missing: known.MissingIssuancesSince, MarkUnaccounted: known.MarkUnaccounted},
			{What: rollback.Releases, Missing: releases.Missing, MarkUnaccounted: releases.MarkUnaccounted},
		},
	}
}

// settled wraps a task that overwrites one side with what the other says, so that it
// runs only once the two have been compared and while neither is known to be older.
func (s *services) settled(do func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if !s.guard.Consistent() {
			return nil
		}
		return do(ctx)
	}
}
