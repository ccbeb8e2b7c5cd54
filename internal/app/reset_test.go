package app_test

import (
	"fmt"
	"testing"
)

// TestResetPassword: the old password and all sessions from it are invalid, and the new
// one only serves to choose another.
func TestResetPassword(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	manager := w.tokens["a-org_manager"]
	refresh := w.must(200, "POST", "/api/auth/login", "", credentials("a-user", usual))["refresh_token"]
	for range 5 {
		w.refused(401, "invalid_credentials", "POST", "/api/auth/login", "", credentials("a-user", "a wrong password"))
	}
	w.refused(429, "account_locked", "POST", "/api/auth/login", "", credentials("a-user", usual))

	out := w.must(200, "POST", w.userPath("a-user")+"/reset-password", manager, nil)
	made, _ := out["password"].(string)
	if len(made) < 20 || out["must_change_password"] != true || out["locked_until"] != nil {
		t.Fatalf("reset: %v", out)
	}
	w.refused(401, "session_not_found", "GET", "/api/auth/me", w.tokens["a-user"], nil)
	w.refused(401, "token_invalid", "POST", "/api/auth/refresh", "", fields{"refresh_token": refresh})
	w.refused(401, "invalid_credentials", "POST", "/api/auth/login", "", credentials("a-user", usual))
	w.refused(403, "password_expired", "POST", "/api/auth/login", "", credentials("a-user", made))
	w.must(200, "POST", "/api/auth/password", "", fields{"username": "a-user", "current_password": made, "new_password": "one of my own"})
	w.signIn("a-user", "one of my own")

	out = w.must(200, "POST", w.userPath("a-user")+"/reset-password", w.tokens["admin"], fields{"password": "chosen by the admin"})
	if out["password"] != nil || out["must_change_password"] != true {
		t.Errorf("a given password comes back: %v", out)
	}
	w.refused(401, "session_not_found", "GET", "/api/auth/me", w.tokens["a-user"], nil)
	w.refused(403, "password_expired", "POST", "/api/auth/login", "", credentials("a-user", "chosen by the admin"))
	if got := w.audited("a-org_manager", "user.password_reset"); len(got) != 2 {
		t.Errorf("user.password_reset: %q", got)
	}
	if got := w.audited("a-org_manager", "session.ended"); len(got) != 3 {
		t.Errorf("session.ended: %q", got)
	}

	// A user of an identity provider has no password here.
	w.execute("UPDATE users SET auth_source = 'oidc', password_hash = '' WHERE id = ?", w.ids["a-user"])
	before := w.state()
	w.refused(409, "conflict", "POST", w.userPath("a-user")+"/reset-password", manager, nil)
	if after := w.state(); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("the refusal changed something: %v, %v", before, after)
	}
	w.noSecretLeft(made, "chosen by the admin", "one of my own")
}
