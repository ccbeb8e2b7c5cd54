package store

import (
	"context"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/organization"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/user"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// TestWaitingKeepsNothing: whoever waits for a turn does not keep the session
// and the account that the one before may mean to change. PostgreSQL would have
// to find out that they wait for each other, a second each time: ten agents that
// were registered at once took it forty.
func TestWaitingKeepsNothing(t *testing.T) {
	t.Parallel()
	db := setupPostgres(t)
	now := time.Now()
	done := audit.Entry{Action: audit.SettingsChanged, Outcome: audit.Success, Actor: audit.System, TargetType: "settings"}
	u := must.Get(db.InsertUser(t.Context(), user.User{
		Username: "ann", Email: "ann@example.org", Role: access.GlobalAdmin, IsActive: true, AuthSource: user.Local,
		CreatedAt: now, UpdatedAt: now,
	}, done))(t)
	s := must.Get(db.BeginSession(t.Context(),
		session.Session{UserID: u.ID, TokenHash: "t", Active: true, CreatedAt: now, ExpiresAt: now.Add(time.Hour)},
		session.Family{UserID: u.ID, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}, session.RefreshToken{Hash: "r", CreatedAt: now}, done))(t)
	actor := access.Actor{UserID: u.ID, Username: u.Username, Role: u.Role, SessionID: s.ID}
	request := access.Admit(t.Context(), access.Admission{Actor: actor})
	for turn, write := range map[string]func(context.Context) error{
		"agents": func(ctx context.Context) error {
			return db.RegisterAgent(ctx, s.ID, session.AgentKey{PublicKey: "k", Fingerprint: "f", At: now},
				func(session.AgentState) (session.AgentDecision, error) { return session.AgentDecision{}, nil })
		},
		"accounts": func(ctx context.Context) error {
			_, err := db.InsertOrganization(ctx, organization.Organization{Name: "a", CreatedAt: now, UpdatedAt: now}, done)
			return err
		},
	} {
		t.Run(turn, func(t *testing.T) {
			before := must.Get(db.writes.BeginTx(t.Context(), nil))(t)
			defer func() { _ = before.Rollback() }()
			must.Get(before.ExecContext(t.Context(), "UPDATE locks SET name = name WHERE name = $1", turn))(t)
			ended := make(chan error, 1)
			go func() { ended <- write(request) }()
			await.That(t, "the write waits", func() bool {
				return must.Get(queryOne(t.Context(), db.read, scanInt, `SELECT count(*) FROM pg_stat_activity
					WHERE datname = current_database() AND wait_event_type = 'Lock'`))(t) == 1
			})
			must.Get(before.ExecContext(t.Context(), `SELECT 1 FROM sessions AS s JOIN users AS u ON u.id = s.user_id
				WHERE s.id = $1 FOR UPDATE NOWAIT`, s.ID))(t)
			must.OK(t, before.Rollback())
			must.OK(t, await.From(t, "the write ends", ended))
		})
	}
}
