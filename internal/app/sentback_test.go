package app_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSentBack: sending back a GET response changes nothing; an identifier that differs
// is refused by name.
func TestSentBack(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	admin := w.tokens["admin"]
	hook := w.must(201, "POST", "/api/admin/webhooks", admin, fields{"url": "https://hooks.example.org/x", "actions": []string{"hwkey."}})
	w.must(200, "PUT", "/api/backup/settings", admin, fields{"encryption_password": "a long enough password"})
	person := fmt.Sprint("/api/admin/users/", w.ids["a-user"])
	for _, c := range []struct{ method, path, identifier string }{
		{"PUT", "/api/admin/settings/password-policy", ""}, {"PUT", "/api/admin/settings/oidc", ""},
		{"PUT", "/api/admin/settings/mail", ""}, {"PUT", "/api/backup/settings", ""}, {"PUT", "/api/auth/notifications", ""},
		{"PATCH", person, "id"}, {"PATCH", person, "username"}, {"PATCH", "/api/hwkey/10000", "serial"},
		{"PATCH", w.organizationPath("a"), "id"}, {"PATCH", fmt.Sprint("/api/admin/webhooks/", hook["id"]), "id"},
	} {
		before := w.must(200, "GET", c.path, admin, nil)
		if status, out := w.call(c.method, c.path, admin, before); status != 200 {
			t.Errorf("%s %s: %d %v", c.method, c.path, status, out)
			continue
		}
		after := w.must(200, "GET", c.path, admin, nil)
		delete(before, "updated_at")
		delete(after, "updated_at")
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%s %s changed something: %s", c.method, c.path, diff)
		}
		if c.identifier == "" {
			continue
		}
		other := fields{c.identifier: "another"}
		if c.identifier == "id" {
			other["id"] = 4711
		}
		w.invalid(c.method, c.path, admin, other, c.identifier, "read_only")
	}
	raw, _ := json.Marshal(w.must(200, "GET", "/api/hwkey/10000", admin, nil))
	var twice fields
	_ = json.Unmarshal(raw, &twice)
	twice["surprise"] = true
	w.invalid("PATCH", "/api/hwkey/10000", admin, twice, "surprise", "unknown_field")
}

// invalid requires a refusal of one field.
func (w *fixture) invalid(method, path, token string, body any, field, code string) {
	w.t.Helper()
	out := w.must(400, method, path, token, body)
	errors, _ := out["errors"].([]any)
	if len(errors) != 1 || errors[0].(map[string]any)["field"] != field || errors[0].(map[string]any)["code"] != code {
		w.t.Errorf("%s %s: %v, want %s of %s", method, path, out, code, field)
	}
}
