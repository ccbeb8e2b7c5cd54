package session_test

import (
	"context"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/session"
)

// hangsUp is a store whose client closes the connection right after its password was checked.
type hangsUp struct {
	session.Store
	close context.CancelFunc
}

func (h hangsUp) ClearAttempts(ctx context.Context, a session.Attempt) error {
	h.close()
	return h.Store.ClearAttempts(ctx, a)
}

func (h hangsUp) FailAttempt(ctx context.Context, a session.Attempt, alarm session.Alarm, entries ...audit.Entry) error {
	h.close()
	return h.Store.FailAttempt(ctx, a, alarm, entries...)
}

// TestHangingUpLeavesATrace: the outcome of a password check is audited and
// acted on even if the client has disconnected.
func TestHangingUpLeavesATrace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		action audit.Action
		try    func(ctx context.Context, d *desk, pw secret.String) error
	}{
		"sign-in": {audit.Login, func(ctx context.Context, d *desk, pw secret.String) error {
			_, err := d.Login(ctx, client, "jdoe", pw, "")
			return err
		}},
		"change of password": {audit.PasswordChanged, func(ctx context.Context, d *desk, pw secret.String) error {
			return d.ChangePassword(ctx, client, "jdoe", pw, secret.New("another passphrase"))
		}},
	} {
		for _, pw := range []string{good, "a wrong passphrase"} {
			d := newDesk(t)
			d.account("jdoe", good, d.Hasher, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			d.Store = hangsUp{d.db, cancel}
			if err := c.try(ctx, d, secret.New(pw)); (err == nil) != (pw == good) {
				t.Errorf("%s with %q: %v", name, pw, err)
			}
			log, err := d.db.ListAudit(t.Context(), access.All(), audit.Filter{Action: string(c.action)}, page.Request{Limit: 9})
			if err != nil || len(log.Items) != 1 {
				t.Errorf("%s with %q: %d entries, %v; want one", name, pw, len(log.Items), err)
			}
		}
	}
}
