package session_test

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/test/must"
)

// TestStolenTokensInAnotherBrowser: with strict binding, neither token works in
// a browser that did not sign in, even after the session is cleaned up, and the
// person's own continue to work.
func TestStolenTokensInAnotherBrowser(t *testing.T) {
	t.Parallel()
	thief := client
	thief.UserAgent = "another"
	for binding, refused := range map[session.DeviceBinding]bool{
		session.BindingStrict: true, session.BindingLog: false, session.BindingOff: false,
	} {
		t.Run(string(binding), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.Binding = binding
			d.account("ana", good, d.Hasher, nil)
			check := func(name string, err error) {
				t.Helper()
				if fault.Is(err, fault.TokenInvalid) != refused || err != nil && !refused {
					t.Errorf("%s: %v", name, err)
				}
			}
			grant := must.Get(d.Login(t.Context(), client, "ana", secret.New(good), "pc"))(t)
			_, _, err := d.Authenticate(t.Context(), grant.AccessToken.Reveal(), thief)
			check("access token", err)
			stolen, err := d.Refresh(t.Context(), thief, grant.RefreshToken)
			check("refresh token", err)
			if err == nil {
				grant = stolen
			}
			grant = must.Get(d.Refresh(t.Context(), client, grant.RefreshToken))(t)

			d.later(26 * time.Hour)
			must.Get(d.db.DeleteExpiredSessions(t.Context(), d.Now().Add(-time.Hour), 100))(t)
			_, err = d.Refresh(t.Context(), thief, grant.RefreshToken)
			check("refresh token, its session cleaned up", err)
			if refused {
				must.Get(d.Refresh(t.Context(), client, grant.RefreshToken))(t)
			}
		})
	}
}
