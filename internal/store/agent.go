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
		_, err = t.sql.ExecContext(ctx, `INSERT INTO agent_keys (user_id, fingerprint, first_used_at, last_used_at)
			VALUES ($1, $2, $3, $3) ON CONFLICT (user_id, fingerprint) DO UPDATE SET last_used_at = EXCLUDED.last_used_at`,
			before.UserID, key.Fingerprint, micros(key.At))
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
	var n int64
	row := db.read.QueryRowContext(ctx, "SELECT count(*) FROM agent_keys WHERE user_id = $1 AND fingerprint = $2", userID, fingerprint)
	err := row.Scan(&n)
	return n > 0, asFault("agent key known", err)
}

// SetAuthenticated implements session.Store.
func (db *DB) SetAuthenticated(ctx context.Context, id int64, at time.Time, entries ...audit.Entry) error {
	return db.write(ctx, "set authenticated", func(ctx context.Context, t *tx) error {
		done, err := t.sql.ExecContext(ctx,
			"UPDATE sessions SET authenticated_at = CASE WHEN authenticated_at > $1 THEN authenticated_at ELSE $1 END WHERE id = $2 AND active = TRUE AND expires_at > $1",
			micros(at), id)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			if err == nil {
				err = noSession
			}
			return err
		}
		return t.audit(ctx, entries...)
	})
}
