package app_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestLockout: of thirty concurrent guesses five are checked, for an account by either
// of its names and for an unknown name, and then none until the lock ends.
func TestLockout(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	admin := w.tokens["admin"]
	guess := func(name, password string) (int, map[string]any) {
		return w.call("POST", "/api/auth/login", "", map[string]any{"username": name, "password": password})
	}
	for _, names := range [][2]string{{"a-user", "A-User@example.org"}, {"nobody", "NOBODY"}} {
		counts := atOnce(30, func(i int) int {
			status, out := guess(names[i%2], "wrong")
			if status == 429 && out["code"] != "account_locked" && out["code"] != "rate_limited" {
				t.Errorf("%s: %v", names[0], out)
			}
			return status
		})
		if counts[401] != 5 || counts[429] != 25 {
			t.Errorf("%s: %v, want 5 guesses looked at and 25 refused", names[0], counts)
		}
		for _, password := range []string{"wrong", usual} {
			if status, out := guess(names[0], password); status != 429 || out["code"] != "account_locked" {
				t.Errorf("%s, locked: %d %v", names[0], status, out)
			}
		}
		if status, _ := w.call("POST", "/api/auth/password", "",
			map[string]any{"username": names[0], "current_password": usual, "new_password": "another one"}); status != 429 {
			t.Errorf("%s: changing the password goes past the lock: %d", names[0], status)
		}
	}
	w.must(200, "GET", "/api/auth/me", w.tokens["a-user"], nil) // sessions stay signed in
	u := w.must(200, "GET", fmt.Sprint("/api/admin/users/", w.ids["a-user"]), admin, nil)
	until, err := time.Parse(time.RFC3339, fmt.Sprint(u["locked_until"]))
	if err != nil || time.Until(until) < 14*time.Minute || time.Until(until) > 15*time.Minute {
		t.Errorf("locked_until %v", u["locked_until"])
	}
	entries := w.must(200, "GET", "/api/admin/audit?action=auth.lockout", admin, nil)["items"].([]any)
	if len(entries) != 2 {
		t.Errorf("%d lockouts are audited, want 2", len(entries))
	}
	notices := w.must(200, "GET", "/api/notices?unread=true", w.tokens["a-user"], nil)["items"].([]any)
	if len(notices) != 3 || notices[0].(map[string]any)["kind"] != "account_locked" { // the others: token and agent
		t.Fatalf("notices: %v", notices)
	}
	id := notices[0].(map[string]any)["id"]
	w.must(404, "POST", fmt.Sprint("/api/notices/", id, "/read"), w.tokens["b-user"], nil)
	w.must(200, "POST", fmt.Sprint("/api/notices/", id, "/read"), w.tokens["a-user"], nil)
	if left := w.must(200, "GET", "/api/notices?unread=true", w.tokens["a-user"], nil)["items"].([]any); len(left) != 2 {
		t.Errorf("still unread: %v", left)
	}
	if status, _ := guess("b-user", usual); status != 200 {
		t.Errorf("another account is locked, too: %d", status)
	}
}

// age backdates a session's proof of identity.
func (w *fixture) age(session int, by time.Duration) {
	w.t.Helper()
	w.execute("UPDATE sessions SET authenticated_at = authenticated_at - ? WHERE id = ?", by.Microseconds(), session)
}

// TestRecentAuthentication: a stolen session cannot register the thief's agent; the
// person can, with the password.
func TestRecentAuthentication(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	token, session := w.tokens["a-user"], w.sessions["a-user"]
	path := fmt.Sprint("/api/session/", session, "/register-agent")
	w.age(session, 11*time.Minute)
	w.registerAgent(token, session) // the agent that this person has used before
	other := inPEM(der(t, newWorkstation(t, 1).rsa))
	if out := w.must(403, "POST", path, token, map[string]any{"public_key": other}); out["code"] != "reauthentication_required" {
		t.Errorf("another agent: %v", out)
	}
	if out := w.must(401, "POST", "/api/auth/reauthenticate", token,
		map[string]any{"password": "wrong"}); out["code"] != "invalid_credentials" {
		t.Errorf("a wrong password: %v", out)
	}
	w.must(403, "POST", path, token, map[string]any{"public_key": other})
	w.must(200, "POST", "/api/auth/reauthenticate", token, map[string]any{"password": usual})
	w.must(200, "POST", path, token, map[string]any{"public_key": other, "hostname": "desk"})
	notices := w.must(200, "GET", "/api/notices", token, nil)["items"].([]any)
	if len(notices) != 2 || notices[0].(map[string]any)["kind"] != "agent_paired" { // the others: first agent and token
		t.Errorf("the person is not told of another agent: %v", notices)
	}
	for range 4 {
		w.must(401, "POST", "/api/auth/reauthenticate", token, map[string]any{"password": "wrong"})
	}
	w.must(401, "POST", "/api/auth/login", "", map[string]any{"username": "a-user", "password": "wrong"})
	w.must(429, "POST", "/api/auth/reauthenticate", token, map[string]any{"password": usual}) // a shared count
}

// TestStolenSessionGivesNoPower: an access token older than ten minutes creates nothing
// that could sign in anew or outlive it: no password of somebody else's, no manager, no
// key, no feed of the audit log.
func TestStolenSessionGivesNoPower(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	m := func(kv ...any) map[string]any {
		out := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			out[kv[i].(string)] = kv[i+1]
		}
		return out
	}
	user := fmt.Sprint("/api/admin/users/", w.ids["a-user"])
	attempts := []struct {
		method, path string
		body         any
		want         int // with a fresh proof
	}{
		{"POST", user + "/reset-password", nil, 200},
		{"POST", "/api/admin/users", m("username", "power", "email", "power@example.org", "password",
			usual, "role", "org_manager", "organization_id", w.ids["a"]), 201},
		{"PATCH", user, m("role", "org_manager"), 200},
		{"POST", "/api/admin/api-keys", m("name", "k", "role", "org_manager", "organization_id", w.ids["a"]), 201},
		{"POST", "/api/admin/webhooks", m("url", "https://receiver.example.org/x", "organization_id", w.ids["a"]), 201},
	}
	for _, who := range []string{"a-org_manager", "admin"} {
		w.age(w.sessions[who], 11*time.Minute)
		before := w.state()
		for _, a := range attempts {
			if out := w.must(403, a.method, a.path, w.tokens[who], a.body); out["code"] != "reauthentication_required" {
				t.Errorf("%s: %s %s: %v", who, a.method, a.path, out)
			}
		}
		if diff := cmp.Diff(before, w.state()); diff != "" {
			t.Errorf("something changed (-before +after):\n%s", diff)
		}
		// A change that gives no power needs no proof.
		w.must(200, "PATCH", user, w.tokens[who], m("name", "Alex"))
	}
	w.must(200, "POST", "/api/auth/reauthenticate", w.tokens["admin"], m("password", adminPassword))
	for _, a := range attempts {
		w.must(a.want, a.method, a.path, w.tokens["admin"], a.body)
	}
}
