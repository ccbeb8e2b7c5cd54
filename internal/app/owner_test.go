package app_test

import (
	"fmt"
	"testing"
)

// released reads the current values of a token as the agent would.
func (w *fixture) released(who, serial, query string) map[string]string {
	w.t.Helper()
	out := w.must(200, "GET", "/api/hwkey/"+serial+"/secrets?fields=pin,puk,management_key"+query, w.tokens[who], nil)
	values := map[string]string{}
	for _, f := range []string{"pin", "puk", "management_key"} {
		values[f] = open(w.t, serial, f, out[f].(string))
	}
	return values
}

func (w *fixture) certificateStatus() (status, reason any) {
	c := w.must(200, "GET", "/api/certificates/"+w.serial, w.tokens["admin"], nil)
	return c["status"], c["revocation_reason"]
}

// TestNewOwner: the former owner knows the old secrets, so the next one gets new ones,
// and the certificates end.
func TestNewOwner(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.must(200, "POST", "/api/hwkey/10000/enrolled", w.tokens["a-user"], nil)
	before := w.released("a-user", "10000", "")
	w.must(201, "POST", "/api/admin/users", w.tokens["admin"], map[string]any{
		"username": "heir", "email": "heir@example.org", "password": usual, "organization_id": w.ids["a"],
	})
	w.signIn("heir", usual)
	w.registerAgent(w.tokens["heir"], w.sessions["heir"])
	heir := w.must(200, "GET", "/api/auth/me", w.tokens["heir"], nil)["id"]

	key := w.must(200, "PATCH", "/api/hwkey/10000", w.tokens["a-org_manager"], map[string]any{"owner_id": heir})
	if key["status"] != "assigned" || key["enrolled_at"] != nil || len(key["certificates"].([]any)) != 0 {
		t.Errorf("after the change of owner: %v", key)
	}
	if status, _ := w.certificateStatus(); status != "revoked" {
		t.Errorf("the certificate is %v", status)
	}
	w.must(404, "GET", "/api/hwkey/10000/secrets", w.tokens["a-user"], nil)
	after := w.released("heir", "10000", "")
	for f, v := range after {
		if v == before[f] {
			t.Errorf("the new owner has the former one's %s", f)
		}
	}
	out := w.must(200, "GET", "/api/hwkey/10000/secrets?candidates=true", w.tokens["heir"], nil)
	found := false
	for _, c := range out["candidates"].(map[string]any)["pin"].([]any) {
		found = found || open(t, "10000", "pin", c.(map[string]any)["value"].(string)) == before["pin"]
	}
	if found {
		t.Error("the new owner is offered the former one's PIN")
	}
	// Without an owner, and back to the first one.
	key = w.must(200, "PATCH", "/api/hwkey/10000", w.tokens["a-org_manager"], map[string]any{"owner_id": nil})
	if key["status"] != "suspended" || key["owner"] != nil {
		t.Errorf("without an owner: %v", key)
	}
	key = w.must(200, "POST", "/api/hwkey/10000/reset", w.tokens["a-org_manager"], nil)
	if key["status"] != "in_stock" {
		t.Errorf("after the reset: %v", key["status"])
	}
	w.must(200, "PATCH", "/api/hwkey/10000", w.tokens["a-org_manager"], map[string]any{"owner_id": w.ids["a-user"]})
	for f, v := range w.released("a-user", "10000", "") {
		if v == before[f] || v == after[f] {
			t.Errorf("%s is one that was given out before", f)
		}
	}
}

// TestStatusChanges walks a token through suspension, loss and retirement.
func TestStatusChanges(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	manager := w.tokens["a-org_manager"]
	patch := func(status string) map[string]any {
		return w.must(200, "PATCH", "/api/hwkey/10000", manager, map[string]any{"status": status})
	}
	w.must(200, "POST", "/api/hwkey/10000/enrolled", w.tokens["a-user"], nil)

	patch("suspended")
	w.must(403, "GET", "/api/hwkey/10000/secrets", w.tokens["a-user"], nil)
	w.must(403, "POST", "/api/hwkey/10000/sign-csr", w.tokens["a-user"], map[string]any{"csr": request(t, "a-user", nil)})
	ready := w.must(200, "GET", "/api/hwkey/10000/signing-readiness", w.tokens["a-user"], nil)
	if ready["ready"] != false || fmt.Sprint(ready["reasons"]) != "[hwkey_suspended]" {
		t.Errorf("readiness of a suspended token: %v", ready)
	}
	w.released("a-org_manager", "10000", "&reason=look")
	if status, _ := w.certificateStatus(); status != "issued" {
		t.Errorf("suspension made the certificate %v", status)
	}
	if key := patch("active"); key["status"] != "active" {
		t.Errorf("back: %v", key["status"])
	}

	w.must(200, "PATCH", "/api/hwkey/10000", w.tokens["a-user"], map[string]any{"status": "lost"})
	if status, reason := w.certificateStatus(); status != "revoked" || reason != "keyCompromise" {
		t.Errorf("loss made the certificate %v (%v)", status, reason)
	}
	w.must(409, "PATCH", "/api/hwkey/10000", manager, map[string]any{"status": "active"})
	patch("suspended")
	patch("retired")
	w.must(409, "PATCH", "/api/hwkey/10000", manager, map[string]any{"status": "suspended"})
	if key := w.must(200, "POST", "/api/hwkey/10000/reset", manager, map[string]any{"reason": "back in use"}); key["status"] != "assigned" {
		t.Errorf("after the reset: %v", key["status"])
	}
}

// TestSessionEnds: after logout, and after a change of password, nothing of the session
// works any more.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	out := w.must(200, "POST", "/api/auth/login", "", map[string]any{"username": "b-user", "password": usual})
	access, refresh := out["access_token"].(string), out["refresh_token"].(string)
	w.must(200, "POST", "/api/auth/logout", access, nil)
	if status, body := w.call("GET", "/api/auth/me", access, nil); status != 401 || body["code"] != "session_not_found" {
		t.Errorf("after logout: %d %v", status, body["code"])
	}
	w.must(401, "POST", "/api/auth/refresh", "", map[string]any{"refresh_token": refresh})

	out = w.must(200, "POST", "/api/auth/login", "", map[string]any{"username": "B-User@Example.org", "password": usual})
	w.must(200, "POST", "/api/auth/password", "",
		map[string]any{"username": "b-user", "current_password": usual, "new_password": "another password"})
	w.must(401, "GET", "/api/auth/me", out["access_token"].(string), nil)
	w.must(401, "GET", "/api/auth/me", w.tokens["b-user"], nil)
	w.must(401, "POST", "/api/auth/refresh", "", map[string]any{"refresh_token": out["refresh_token"]})
	w.must(401, "POST", "/api/auth/login", "", map[string]any{"username": "b-user", "password": usual})
	w.signIn("b-user", "another password")
}

// TestRefreshReuse: a used refresh token that is used again after its successor ends
// the session for both holders.
func TestRefreshReuse(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	refresh := func(token any, status int) map[string]any {
		return w.must(status, "POST", "/api/auth/refresh", "", map[string]any{"refresh_token": token})
	}
	first := w.must(200, "POST", "/api/auth/login", "", map[string]any{"username": "b-user", "password": usual})
	second := refresh(first["refresh_token"], 200)
	if second["session_id"] != first["session_id"] {
		t.Error("the session did not continue")
	}
	again := refresh(first["refresh_token"], 200) // the response was lost
	refresh(again["refresh_token"], 200)
	refresh(second["refresh_token"], 401) // replaced: two clients hold it
	w.must(401, "GET", "/api/auth/me", again["access_token"].(string), nil)
	found := false
	for _, e := range w.must(200, "GET", "/api/admin/audit?action=auth.refresh_reuse", w.tokens["admin"], nil)["items"].([]any) {
		found = found || e.(map[string]any)["actor"] == "b-user"
	}
	if !found {
		t.Error("the reuse is not audited")
	}
}
