package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type fields = map[string]any

// refuses sends requests that must be refused, and checks that nothing changed.
func (w *fixture) refuses(list []refusal) {
	t := w.t
	t.Helper()
	before := w.state()
	for _, r := range list {
		status, out := w.call(r.method, r.path, w.tokens[r.who], r.body)
		if status != r.status || out["code"] != r.code {
			t.Errorf("%s: %s %s %v: %d %v (%v), want %d %s", r.who, r.method, r.path, r.body, status, out["code"], out["detail"], r.status, r.code)
			continue
		}
		if detail, _ := out["detail"].(string); detail == "" || out["request_id"] == "" {
			t.Errorf("%s %s: an error without detail or request id: %v", r.method, r.path, out)
		}
		if r.field != "" && !names(out, r.field) {
			t.Errorf("%s: %s %s %v: errors %v, want field %s", r.who, r.method, r.path, r.body, out["errors"], r.field)
		}
	}
	if diff := cmp.Diff(before, w.state()); diff != "" {
		t.Errorf("a refused request changed something (-before +after):\n%s", diff)
	}
}

// TestAccountRefusals: what an administrator must not do is refused and changes
// nothing.
func TestAccountRefusals(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	admin := w.tokens["admin"]
	w.ids["admin"] = w.must(200, "GET", "/api/auth/me", admin, nil)["id"]
	w.ids["deputy"] = w.must(201, "POST", "/api/admin/users", admin, fields{
		"username": "deputy", "email": "deputy@example.org", "password": usual, "role": "global_admin"})["id"]
	w.ids["closed"] = w.must(201, "POST", "/api/admin/organizations", admin, fields{"name": "closed"})["id"]
	w.must(200, "PATCH", w.organizationPath("closed"), admin, fields{"is_active": false})
	w.ids["strict"] = w.must(201, "POST", "/api/admin/organizations", admin,
		fields{"name": "strict", "email_domains": []string{"example.com"}})["id"]
	w.must(200, "PATCH", w.organizationPath("b"), admin, fields{"email_domains": []string{"example.org"}})
	w.ids["nothing"] = 99999

	var list []refusal
	row := func(who, method, path string, body any, status int, code, field string) {
		list = append(list, refusal{who, method, path, body, status, code, field})
	}
	patch := func(who, whom string, body fields, status int, code, field string) {
		row(who, "PATCH", w.userPath(whom), body, status, code, field)
	}
	// Oneself.
	patch("admin", "admin", fields{"role": "user"}, 403, "permission_denied", "")
	patch("admin", "admin", fields{"role": "org_manager", "organization_id": w.ids["a"]}, 403, "permission_denied", "")
	patch("admin", "admin", fields{"is_active": false}, 403, "permission_denied", "")
	patch("a-org_manager", "a-org_manager", fields{"role": "user"}, 403, "permission_denied", "")
	patch("a-org_manager", "a-org_manager", fields{"role": "global_admin"}, 403, "permission_denied", "")
	patch("a-org_manager", "a-org_manager", fields{"is_active": false, "suspend_tokens": true}, 403, "permission_denied", "")
	row("admin", "POST", w.userPath("admin")+"/reset-password", nil, 409, "conflict", "")
	row("a-org_manager", "POST", w.userPath("a-org_manager")+"/reset-password", fields{"password": usual}, 409, "conflict", "")
	// Out of scope: it does not exist.
	for _, whom := range []string{"b-user", "b-org_manager", "deputy", "admin", "nothing"} {
		patch("a-org_manager", whom, fields{"email": "mine@example.org"}, 404, "not_found", "")
		patch("a-org_manager", whom, fields{"organization_id": w.ids["a"]}, 404, "not_found", "")
		patch("a-org_manager", whom, fields{"is_active": false}, 404, "not_found", "")
		row("a-org_manager", "POST", w.userPath(whom)+"/unlock", nil, 404, "not_found", "")
		row("a-org_manager", "POST", w.userPath(whom)+"/reset-password", nil, 404, "not_found", "")
	}
	// More than a manager has.
	patch("a-org_manager", "a-user", fields{"role": "global_admin"}, 403, "permission_denied", "")
	for _, to := range []any{w.ids["b"], w.ids["closed"], w.ids["nothing"], nil} {
		patch("a-org_manager", "a-user", fields{"organization_id": to}, 403, "permission_denied", "")
	}
	row("a-org_manager", "PATCH", w.organizationPath("a"), fields{"name": "mine"}, 403, "permission_denied", "")
	patch("a-user", "a-user", fields{"email": "mine@example.org"}, 403, "permission_denied", "")
	row("a-user", "POST", w.userPath("a-user")+"/unlock", nil, 403, "permission_denied", "")
	row("a-user", "POST", w.userPath("b-user")+"/reset-password", nil, 403, "permission_denied", "")
	// Role and organization that do not go together.
	patch("admin", "a-user", fields{"role": "global_admin", "organization_id": w.ids["a"]}, 400, "invalid_request", "organization_id")
	patch("admin", "deputy", fields{"organization_id": w.ids["a"]}, 400, "invalid_request", "organization_id")
	patch("admin", "deputy", fields{"role": "org_manager"}, 400, "invalid_request", "organization_id")
	patch("admin", "a-org_manager", fields{"organization_id": nil}, 400, "invalid_request", "organization_id")
	for _, to := range []string{"closed", "nothing", "strict"} {
		patch("admin", "a-user", fields{"organization_id": w.ids[to]}, 400, "invalid_request", "organization_id")
	}
	// Values.
	patch("admin", "a-user", fields{"role": "king"}, 400, "invalid_request", "role")
	for _, field := range []string{"role", "email", "is_active"} {
		patch("admin", "a-user", fields{field: nil}, 400, "invalid_request", field)
	}
	patch("admin", "a-user", fields{"username": "x"}, 400, "invalid_request", "username")
	patch("admin", "a-user", fields{"suspend_tokens": true}, 400, "invalid_request", "suspend_tokens")
	patch("admin", "a-user", fields{"is_active": true, "suspend_tokens": true}, 400, "invalid_request", "suspend_tokens")
	patch("admin", "a-user", fields{"is_active": true, "revoke_certificates": true}, 400, "invalid_request", "revoke_certificates")
	for _, email := range []string{"nobody", "a b@example.org", "zoë@example.org", "x@exämple.org",
		"ａ@example.org", "a@b@example.org", "Name <x@example.org>"} {
		patch("admin", "a-user", fields{"email": email}, 400, "invalid_request", "email")
	}
	patch("b-org_manager", "b-user", fields{"email": "b-user@example.com"}, 400, "invalid_request", "email")
	patch("b-org_manager", "b-user", fields{"email": "b-user@sub.example.org"}, 400, "invalid_request", "email")
	for _, email := range []string{"deputy@example.org", "DEPUTY@Example.org", "B-org_manager@example.org"} {
		patch("b-org_manager", "b-user", fields{"email": email}, 409, "conflict", "")
	}
	row("admin", "POST", w.userPath("a-user")+"/reset-password", fields{"password": "short"}, 422, "password_policy", "password")
	row("admin", "POST", w.userPath("a-user")+"/reset-password", fields{"password": ""}, 400, "invalid_request", "password")
	// Organizations.
	organization := func(whom string, body fields, status int, code, field string) {
		row("admin", "PATCH", w.organizationPath(whom), body, status, code, field)
	}
	organization("nothing", fields{"name": "x"}, 404, "not_found", "")
	organization("a", fields{"name": "ORG B"}, 409, "conflict", "")
	organization("a", fields{"name": "org\u200b b"}, 400, "invalid_request", "name")
	organization("a", fields{"name": "org \u202eb"}, 400, "invalid_request", "name")
	organization("a", fields{"name": " "}, 400, "invalid_request", "name")
	organization("a", fields{"name": strings.Repeat("x", 129)}, 400, "invalid_request", "name")
	organization("a", fields{"name": nil}, 400, "invalid_request", "name")
	organization("a", fields{"is_active": nil}, 400, "invalid_request", "is_active")
	organization("a", fields{"email_domains": []string{"exämple.org"}}, 400, "invalid_request", "email_domains")
	organization("a", fields{"email_domains": []string{"example.com"}}, 409, "conflict", "")
	organization("a", fields{"name": "new", "is_active": false, "email_domains": []string{"example.com"}}, 409, "conflict", "")
	// Sessions.
	for who, whose := range map[string]string{"a-user": "b-user", "a-org_manager": "b-user", "b-org_manager": "admin",
		"b-user": "b-org_manager"} {
		row(who, "DELETE", fmt.Sprint("/api/auth/sessions/", w.sessions[whose]), nil, 404, "not_found", "")
	}
	row("admin", "DELETE", "/api/auth/sessions/99999", nil, 404, "not_found", "")
	row("admin", "GET", "/api/auth/sessions?user_id=0", nil, 400, "invalid_request", "user_id")
	// Lists.
	row("admin", "GET", "/api/admin/users?is_active=perhaps", nil, 400, "invalid_request", "is_active")
	w.refuses(list)
}

// TestNamesAreASCII: a name that only looks like another's is refused, with a message
// that says what is allowed.
func TestNamesAreASCII(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	admin := w.tokens["admin"]
	for _, name := range []string{
		"Zo\u00eb", "Zoe\u0308", "\u0131smail", "\u0130smail", "stra\u00dfe", "\uff41dmin", "\u0430dmin", "admin\u200b", "ad\u00admin",
		"\u017f@example.org", // folds to the email, but is another word
	} {
		out := w.refused(400, "invalid_request", "POST", "/api/admin/users", admin,
			fields{"username": name, "email": "s@example.org", "password": usual})
		if !names(out, "username") || !strings.Contains(fmt.Sprint(out["errors"]), "letters a to z") {
			t.Errorf("%+q: %v", name, out["errors"])
		}
	}
	// Names that Unicode considers equal are the same name.
	for _, name := range []string{"system", "SYSTEM", " Unknown "} { // the audit log's own
		out := w.refused(400, "invalid_request", "POST", "/api/admin/users", admin,
			fields{"username": name, "email": "s@example.org", "password": usual})
		if !names(out, "username") {
			t.Errorf("%q: errors %v", name, out["errors"])
		}
	}
	u := w.must(201, "POST", "/api/admin/users", admin,
		fields{"username": "\u212aelvin", "email": "\u212aelvin@example.org", "password": usual})
	if u["username"] != "Kelvin" || u["email"] != "Kelvin@example.org" {
		t.Errorf("stored as %+q, %+q", u["username"], u["email"])
	}
	w.refused(409, "conflict", "POST", "/api/admin/users", admin, fields{"username": "kelvin", "email": "k@example.org", "password": usual})
	w.must(200, "POST", "/api/auth/login", "", credentials("\u212aELVIN", usual))
}
