package session

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(seconds int) *time.Time {
	t := t0.Add(time.Duration(seconds) * time.Second)
	return &t
}

// TestDecide is the table of refresh tokens (contract, POST
// /api/auth/refresh).
func TestDecide(t *testing.T) {
	t.Parallel()
	live := &Session{ID: 1, Active: true, ExpiresAt: t0.Add(time.Hour)}
	expired := &Session{ID: 1, Active: true, ExpiresAt: t0.Add(-time.Minute)}
	ended := &Session{ID: 1, Active: false, ExpiresAt: t0.Add(time.Hour)}
	family := Family{ID: 3, UserID: 2, SessionID: 1, ExpiresAt: t0.Add(24 * time.Hour)}
	revoked, over := family, family
	revoked.RevokedAt, over.ExpiresAt = at(-5), t0
	active, disabled := account.User{ID: 2, IsActive: true}, account.User{ID: 2}
	unused, used := &RefreshToken{ID: 8}, &RefreshToken{ID: 8, UsedAt: at(-10)}

	for name, c := range map[string]struct {
		state      RefreshState
		refuse     fault.Code
		revoke     bool
		replace    bool
		newSession bool
		reuse      bool
	}{
		"fresh token, live session":       {state: RefreshState{Family: family, Session: live, User: active}},
		"fresh token, the hour is over":   {state: RefreshState{Family: family, Session: expired, User: active}, newSession: true},
		"fresh token, session cleaned up": {state: RefreshState{Family: family, User: active}, newSession: true},
		"session ended by logout":         {state: RefreshState{Family: family, Session: ended, User: active}, refuse: fault.TokenInvalid},
		"family revoked":                  {state: RefreshState{Family: revoked, Session: live, User: active}, refuse: fault.TokenInvalid},
		"family over":                     {state: RefreshState{Family: over, Session: live, User: active}, refuse: fault.TokenExpired},
		"user disabled": {state: RefreshState{Family: family, Session: live,
			User: disabled}, refuse: fault.AccountDisabled, revoke: true},
		"used 30 s ago, successor unused": {state: RefreshState{Token: RefreshToken{UsedAt: at(-30)},
			Successor: unused, Family: family, Session: live, User: active}, replace: true},
		"used 31 s ago, successor unused": {state: RefreshState{Token: RefreshToken{UsedAt: at(-31)},
			Successor: unused, Family: family, Session: live, User: active}, refuse: fault.TokenInvalid, revoke: true, reuse: true},
		"used just now, successor used": {state: RefreshState{Token: RefreshToken{UsedAt: at(-1)},
			Successor: used, Family: family, Session: live, User: active}, refuse: fault.TokenInvalid, revoke: true, reuse: true},
		"replaced in the grace period": {state: RefreshState{Token: RefreshToken{Dead: true},
			Family: family, Session: live, User: active}, refuse: fault.TokenInvalid, revoke: true, reuse: true},
		"reuse by a disabled user is reuse": {state: RefreshState{Token: RefreshToken{Dead: true},
			Family: family, Session: live, User: disabled}, refuse: fault.TokenInvalid, revoke: true, reuse: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := decide(c.state, RefreshToken{Hash: "new"}, Session{TokenHash: "fresh"}, Client{}, t0)
			if got := fault.CodeOf(d.Refuse); got != c.refuse {
				t.Errorf("refused with %q, want %q", got, c.refuse)
			}
			if (d.NewToken != nil) != (c.refuse == "") {
				t.Errorf("a new token: %v", d.NewToken != nil)
			}
			if d.RevokeAll != c.revoke || d.Replace != c.replace || (d.NewSession != nil) != c.newSession {
				t.Errorf("revoke %v replace %v session %v; want %v %v %v", d.RevokeAll, d.Replace, d.NewSession != nil,
					c.revoke, c.replace, c.newSession)
			}
			reuse := false
			for _, e := range d.Entries {
				reuse = reuse || e.Action == audit.RefreshReuse
			}
			if reuse != c.reuse {
				t.Errorf("audited as reuse: %v, want %v", reuse, c.reuse)
			}
		})
	}
}
