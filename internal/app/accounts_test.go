package app_test

import (
	"fmt"
	"strings"
	"testing"
)

func (w *fixture) userPath(name string) string { return fmt.Sprint("/api/admin/users/", w.ids[name]) }

func (w *fixture) organizationPath(name string) string {
	return fmt.Sprint("/api/admin/organizations/", w.ids[name])
}

func (w *fixture) user(name string) map[string]any {
	w.t.Helper()
	return w.must(200, "GET", w.userPath(name), w.tokens["admin"], nil)
}

// audited returns the details of an action's entries, newest first.
func (w *fixture) audited(who, action string) []string {
	w.t.Helper()
	var out []string
	for _, e := range w.must(200, "GET", "/api/admin/audit?limit=500&action="+action, w.tokens[who], nil)["items"].([]any) {
		entry := e.(map[string]any)
		out = append(out, fmt.Sprint(entry["actor"], ": ", entry["target_id"], " ", entry["details"]))
	}
	return out
}

// refused requires a status and a code.
func (w *fixture) refused(status int, code, method, path, token string, body any) map[string]any {
	w.t.Helper()
	got, out := w.call(method, path, token, body)
	if got != status || out["code"] != code {
		w.t.Errorf("%s %s %v: %d %v, want %d %s", method, path, body, got, out, status, code)
	}
	return out
}

func credentials(name, password string) map[string]any {
	return map[string]any{"username": name, "password": password}
}

// TestDisabledAccount: once the response is out, nothing of the account works, and only
// the right password learns why.
func TestDisabledAccount(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	manager := w.tokens["a-org_manager"]
	w.must(200, "POST", "/api/hwkey/10000/enrolled", w.tokens["a-user"], nil)
	second := w.must(200, "POST", "/api/auth/login", "", credentials("a-user", usual))

	changed := w.must(200, "PATCH", w.userPath("a-user"), manager, map[string]any{"is_active": false})
	if changed["is_active"] != false || changed["tokens"] != 1.0 {
		t.Errorf("disabled: %v", changed)
	}
	for _, token := range []string{w.tokens["a-user"], second["access_token"].(string)} {
		w.refused(401, "session_not_found", "GET", "/api/auth/me", token, nil)
	}
	w.refused(401, "token_invalid", "POST", "/api/auth/refresh", "", map[string]any{"refresh_token": second["refresh_token"]})
	w.refused(403, "account_disabled", "POST", "/api/auth/login", "", credentials("a-user", usual))
	w.refused(401, "invalid_credentials", "POST", "/api/auth/login", "", credentials("a-user", "a wrong password"))
	w.refused(403, "account_disabled", "POST", "/api/auth/password", "", map[string]any{
		"username": "a-user", "current_password": usual, "new_password": "another password"})
	w.must(200, "GET", "/api/auth/me", w.tokens["b-user"], nil)
	if s := w.must(200, "GET", fmt.Sprint("/api/session/", w.sessions["a-user"]), manager, nil); s["active"] != false ||
		s["agent_registered"] != false {
		t.Errorf("the session after: %v", s)
	}
	if key := w.must(200, "GET", "/api/hwkey/10000", manager, nil); key["status"] != "active" {
		t.Errorf("nobody asked for it, and the token is %v", key["status"])
	}

	// The offer is accepted, once.
	for range 2 {
		changed = w.must(200, "PATCH", w.userPath("a-user"), manager, map[string]any{"is_active": false, "suspend_tokens": true})
		if changed["tokens"] != 0.0 {
			t.Errorf("after suspending: %v tokens are in use", changed["tokens"])
		}
	}
	if key := w.must(200, "GET", "/api/hwkey/10000", manager, nil); key["status"] != "suspended" {
		t.Errorf("the token is %v", key["status"])
	}
	for action, want := range map[string]int{"user.disabled": 1, "session.ended": 2, "hwkey.status_changed": 1} {
		if got := w.audited("a-org_manager", action); len(got) != want || !strings.HasPrefix(got[0], "a-org_manager: ") {
			t.Errorf("%s: %q, want %d entries", action, got, want)
		}
	}

	w.must(200, "PATCH", w.userPath("a-user"), manager, map[string]any{"is_active": true})
	w.refused(401, "session_not_found", "GET", "/api/auth/me", w.tokens["a-user"], nil)
	w.signIn("a-user", usual)
	if got := w.audited("a-org_manager", "user.enabled"); len(got) != 1 {
		t.Errorf("user.enabled: %q", got)
	}
}

// TestMovedAccount: the tokens move along, and so does responsibility for them.
func TestMovedAccount(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	moved := w.must(200, "PATCH", w.userPath("a-user"), w.tokens["admin"], map[string]any{"organization_id": w.ids["b"]})
	if moved["organization_name"] != "org b" || moved["tokens"] != 1.0 {
		t.Errorf("moved: %v", moved)
	}
	w.refused(401, "session_not_found", "GET", "/api/auth/me", w.tokens["a-user"], nil)
	w.signIn("a-user", usual)
	if me := w.must(200, "GET", "/api/auth/me", w.tokens["a-user"], nil); me["organization_id"] != w.ids["b"] {
		t.Errorf("afterwards the organization is %v", me["organization_id"])
	}
	for _, path := range []string{"/api/hwkey/10000", "/api/certificates/" + w.serial, w.userPath("a-user")} {
		w.refused(404, "not_found", "GET", path, w.tokens["a-org_manager"], nil)
		w.must(200, "GET", path, w.tokens["b-org_manager"], nil)
	}
	w.must(200, "POST", "/api/certificates/"+w.serial+"/revoke", w.tokens["b-org_manager"], nil)
	for _, manager := range []string{"a-org_manager", "b-org_manager"} {
		if got := w.audited(manager, "user.updated"); len(got) != 1 || !strings.Contains(got[0], "with 1 tokens") {
			t.Errorf("%s reads of the move: %q", manager, got)
		}
	}

	// A global admin belongs to no organization, and neither do their tokens.
	raised := w.must(200, "PATCH", w.userPath("a-user"), w.tokens["admin"], map[string]any{"role": "global_admin"})
	if raised["organization_id"] != nil || raised["is_admin"] != true {
		t.Errorf("raised: %v", raised)
	}
	w.refused(404, "not_found", "GET", "/api/hwkey/10000", w.tokens["b-org_manager"], nil)
	w.signIn("a-user", usual)
	w.must(200, "GET", "/api/admin/users", w.tokens["a-user"], nil)
	lowered := w.must(200, "PATCH", w.userPath("a-user"), w.tokens["admin"],
		map[string]any{"role": "org_manager", "organization_id": w.ids["a"]})
	if lowered["organization_id"] != w.ids["a"] || lowered["role"] != "org_manager" {
		t.Errorf("lowered: %v", lowered)
	}
	if got := w.audited("admin", "user.role_changed"); len(got) != 2 {
		t.Errorf("user.role_changed: %q", got)
	}
}

// TestAdminsDemoteEachOther: however many do so concurrently, one admin stays.
func TestAdminsDemoteEachOther(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.ids["deputy"] = w.must(201, "POST", "/api/admin/users", w.tokens["admin"], map[string]any{
		"username": "deputy", "email": "deputy@example.org", "password": usual, "role": "global_admin"})["id"]
	w.signIn("deputy", usual)
	w.ids["admin"] = w.must(200, "GET", "/api/auth/me", w.tokens["admin"], nil)["id"]
	pairs := [][2]string{{"admin", "deputy"}, {"deputy", "admin"}}
	counts := atOnce(2, func(i int) int {
		status, _ := w.call("PATCH", w.userPath(pairs[i][1]), w.tokens[pairs[i][0]], map[string]any{"role": "user"})
		return status
	})
	// The other is refused as the last one, as no longer an admin, or as no longer in a
	// session.
	if counts[200] != 1 || counts[401]+counts[403]+counts[409] != 1 {
		t.Errorf("outcomes %v", counts)
	}
	admins := 0
	for name, password := range map[string]string{"admin": adminPassword, "deputy": usual} {
		w.signIn(name, password)
		if w.must(200, "GET", "/api/auth/me", w.tokens[name], nil)["is_admin"] == true {
			admins++
		}
	}
	if admins != 1 {
		t.Errorf("%d admins are left", admins)
	}
}

// TestListOfAccounts tests the list's filters.
func TestListOfAccounts(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.must(200, "PATCH", w.userPath("b-user"), w.tokens["admin"], map[string]any{"is_active": false})
	for query, want := range map[string]int{
		"is_active=true": 4, "is_active=false": 1, "is_active=false&role=org_manager": 0, "is_active=false&q=B-US": 1, "": 5,
	} {
		if got := len(w.must(200, "GET", "/api/admin/users?"+query, w.tokens["admin"], nil)["items"].([]any)); got != want {
			t.Errorf("%q: %d accounts, want %d", query, got, want)
		}
	}
	if got := len(w.must(200, "GET", "/api/admin/users?is_active=false", w.tokens["a-org_manager"], nil)["items"].([]any)); got != 0 {
		t.Errorf("the manager of a sees %d accounts of b", got)
	}
}
