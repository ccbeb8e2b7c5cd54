package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/notice"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// RegisterAgent implements session.Store.
func (db *DB) RegisterAgent(ctx context.Context, id int64, key session.AgentKey, replaced notice.Message, entries ...audit.Entry) error {
	return db.write(ctx, "register agent", func(ctx context.Context, t *tx) error {
		before, err := t.sessionByID(ctx, id)
		if err != nil {
			return err
		}
		n, err := t.q.RegisterAgent(ctx, sqlcgen.RegisterAgentParams{
			PublicKey: key.PublicKey, Fingerprint: key.Fingerprint, Hostname: key.Hostname, ID: id, At: micros(key.At)})
		if err != nil {
			return err
		}
		if n == 0 || before == nil {
			return noSession
		}
		err = t.q.NoteAgentKey(ctx, sqlcgen.NoteAgentKeyParams{UserID: before.UserID, Fingerprint: key.Fingerprint, At: micros(key.At)})
		if err != nil {
			return err
		}
		if former := before.AgentKeyFingerprint; former != "" && former != key.Fingerprint {
			if err := t.notify(ctx, replaced); err != nil {
				return err
			}
		}
		return t.audit(ctx, about(entries, "session", audit.ID(id))...)
	})
}

// AgentKeyKnown implements session.Store.
func (db *DB) AgentKeyKnown(ctx context.Context, userID int64, fingerprint string) (bool, error) {
	n, err := db.q().AgentKeyKnown(ctx, sqlcgen.AgentKeyKnownParams{UserID: userID, Fingerprint: fingerprint})
	return n > 0, asFault("agent key known", err)
}

// SetAuthenticated implements session.Store.
func (db *DB) SetAuthenticated(ctx context.Context, id int64, at time.Time, entries ...audit.Entry) error {
	return db.write(ctx, "set authenticated", func(ctx context.Context, t *tx) error {
		n, err := t.q.SetAuthenticated(ctx, sqlcgen.SetAuthenticatedParams{At: micros(at), ID: id})
		if err != nil {
			return err
		}
		if n == 0 {
			return noSession
		}
		return t.audit(ctx, entries...)
	})
}
