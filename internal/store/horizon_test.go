package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/webhook"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

func logged(target string) audit.Entry {
	return audit.Entry{Action: "t.t", Outcome: audit.Success, TargetID: target}
}

// holds begins a write that has taken its ids and goes on once release is called; its function then
// returns outcome.
func holds(t *testing.T, db *DB, target string, outcome error) (release func() error) {
	t.Helper()
	running, resume, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- db.write(context.WithoutCancel(t.Context()), "hold", func(ctx context.Context, x *tx) error {
			if err := errors.Join(x.audit(ctx, logged(target)), x.log(ctx)); err != nil {
				return err
			}
			close(running)
			<-resume
			return outcome
		})
	}()
	await.From(t, "the write has taken its id", running)
	return sync.OnceValue(func() error { close(resume); return <-done })
}

func after(t *testing.T, db *DB, id int64) (targets []string) {
	t.Helper()
	for _, e := range must.Get(db.AuditAfter(t.Context(), id, 100))(t) {
		targets = append(targets, e.TargetID)
	}
	return targets
}

func checkAfter(t *testing.T, db *DB, want ...string) {
	t.Helper()
	if got := after(t, db, 0); !slices.Equal(got, want) {
		t.Errorf("followers see %v, want %v", got, want)
	}
}

// TestLateCommit: entries that commit early wait for one with a lower id that is still under way,
// so that no follower misses it.
func TestLateCommit(t *testing.T) {
	t.Parallel()
	db := setupPostgres(t)
	must.OK(t, db.AppendAudit(t.Context(), logged("1")))
	release := holds(t, db, "2", nil)
	must.OK(t, db.AppendAudit(t.Context(), logged("3")))
	checkAfter(t, db, "1")
	if end, newest := must.Get(db.AuditEnd(t.Context()))(t), must.Get(db.NewestAudit(t.Context()))(t); end != 1 || newest != 3 {
		t.Errorf("the log is complete up to %d of %d, want 1 of 3", end, newest)
	}
	must.OK(t, release())
	checkAfter(t, db, "1", "2", "3")
	if end := must.Get(db.AuditEnd(t.Context()))(t); end != 3 {
		t.Errorf("the log is complete up to %d, want 3", end)
	}
}

// TestUndoneIDs: an undone transaction leaves a gap that nobody waits for.
func TestUndoneIDs(t *testing.T) {
	t.Parallel()
	db := setupPostgres(t)
	no := errors.New("no")
	release := holds(t, db, "undone", no)
	must.OK(t, db.AppendAudit(t.Context(), logged("2")))
	if err := release(); !errors.Is(err, no) {
		t.Fatal(err)
	}
	checkAfter(t, db, "2")
	if list := must.Get(db.AuditAfter(t.Context(), 0, 1))(t); list[0].ID != 2 {
		t.Errorf("id %d, want 2", list[0].ID)
	}
	if err := db.write(t.Context(), "undone", func(ctx context.Context, x *tx) error {
		return errors.Join(x.audit(ctx, logged("undone")), x.log(ctx), no)
	}); !errors.Is(err, no) {
		t.Fatal(err)
	}
	if end := must.Get(db.AuditEnd(t.Context()))(t); end != 2 { // an entry's id, not the gap's
		t.Errorf("the log is complete up to %d, want 2", end)
	}
}

// TestWebhookBeginsAtTheHorizon: a new webhook gets the entry that was under way when it was
// created, and none before.
func TestWebhookBeginsAtTheHorizon(t *testing.T) {
	t.Parallel()
	db := setupPostgres(t)
	must.OK(t, db.AppendAudit(t.Context(), logged("before")))
	release := holds(t, db, "under way", nil)
	must.OK(t, db.write(t.Context(), "user", func(ctx context.Context, x *tx) error {
		_, err := x.sql.ExecContext(ctx, `INSERT INTO users (id, username, username_key, email, email_key, password_hash, role, is_active,
			must_change_password, auth_source, created_at, updated_at, password_changed_at)
			VALUES (7, 'u', 'u', 'e', 'e', '', 'global_admin', TRUE, FALSE, 'local', 1, 1, 1)`)
		return err
	}))
	w := must.Get(db.InsertWebhook(t.Context(),
		webhook.Webhook{URL: "https://example.org", Actions: []string{"*"}, IsActive: true, CreatedBy: 7}, logged("")))(t)
	targets := must.Get(db.ActiveWebhooks(t.Context()))(t)
	if len(targets) != 1 || targets[0].ID != w.ID || targets[0].After != 1 {
		t.Errorf("it begins after %+v, want after entry 1", targets)
	}
	must.OK(t, release())
	w2 := must.Get(db.UpdateWebhook(t.Context(), access.All(), w.ID, webhook.Change{IsActive: pointerTo(false)}, logged("")))(t)
	must.Get(db.UpdateWebhook(t.Context(), access.All(), w2.ID, webhook.Change{IsActive: pointerTo(true)}, logged("")))(t)
	if targets := must.Get(db.ActiveWebhooks(t.Context()))(t); targets[0].After != 5 {
		t.Errorf("switched on again it begins after %d, want after its own entry, 5", targets[0].After)
	}
}
