package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/pki/attesttest"
	"github.com/keyward/keyward/test/await"
)

// apiKey makes a key and returns it with its record.
func (w *fixture) apiKey(who string, body map[string]any) (string, map[string]any) {
	w.t.Helper()
	out := w.must(201, "POST", "/api/admin/api-keys", w.tokens[who], body)
	key, _ := out["key"].(string)
	return key, out
}

func keyPath(record map[string]any) string { return fmt.Sprint("/api/admin/api-keys/", record["id"]) }

// TestAPIKeyLife makes, uses, lists and revokes a key.
func TestAPIKeyLife(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	key, record := w.apiKey("a-org_manager", map[string]any{"name": " inventory ", "role": "org_manager"})
	if len(key) != 8+43 || !strings.HasPrefix(key, "keyward_") || !strings.HasPrefix(key, record["prefix"].(string)) ||
		len(record["prefix"].(string)) > 16 {
		t.Errorf("a key of %d characters, prefix %v", len(key), record["prefix"])
	}
	expires, err := time.Parse(time.RFC3339Nano, record["expires_at"].(string))
	if left := time.Until(expires); err != nil || left < 89*24*time.Hour || left > 90*24*time.Hour {
		t.Errorf("it expires at %v, %v", record["expires_at"], err)
	}
	if by := record["created_by"].(map[string]any); record["name"] != "inventory" || record["organization_name"] != "org a" ||
		record["organization_id"] != w.ids["a"] || by["id"] != w.ids["a-org_manager"] || by["username"] != "a-org_manager" ||
		record["last_used_at"] != nil {
		t.Errorf("record %v", record)
	}
	if n := len(w.must(200, "GET", "/api/hwkey", key, nil)["items"].([]any)); n != 2 {
		t.Errorf("the key sees %d tokens", n)
	}
	w.must(200, "PATCH", "/api/hwkey/10000", key, map[string]any{"label": "by a key"})
	w.must(201, "POST", "/api/hwkey", key, map[string]any{"serial": "55001"})
	entry := w.must(200, "GET", "/api/admin/audit?action=hwkey.registered&target=55001", key, nil)["items"].([]any)[0].(map[string]any)
	if entry["actor"] != "api-key:inventory" || entry["actor_id"] != nil || entry["organization_id"] != w.ids["a"] ||
		!strings.Contains(entry["details"].(string), fmt.Sprint("by API key ", record["id"])) || entry["ip_address"] != "127.0.0.1" {
		t.Errorf("audited as %v", entry)
	}
	await.That(w.t, "the use is on record", func() bool { return w.keyRecord(record)["last_used_at"] != nil })

	w.must(204, "DELETE", keyPath(record), w.tokens["a-org_manager"], nil)
	w.must(204, "DELETE", keyPath(record), w.tokens["a-org_manager"], nil)
	if status, out := w.call("GET", "/api/hwkey", key, nil); status != 401 || out["code"] != "token_invalid" {
		t.Errorf("after the revocation: %d %v", status, out)
	}
	if w.keyRecord(record)["revoked_at"] == nil {
		t.Error("a revoked key is not shown as such")
	}
	if left := w.must(200, "GET", "/api/admin/api-keys?active=true", w.tokens["admin"], nil)["items"].([]any); len(left) != 0 {
		t.Errorf("active keys: %v", left)
	}
	actions := []any{}
	for _, e := range w.must(200, "GET", "/api/admin/audit?action=api_key.", w.tokens["a-org_manager"], nil)["items"].([]any) {
		actions = append(actions, e.(map[string]any)["action"])
	}
	if fmt.Sprint(actions) != "[api_key.revoked api_key.created]" {
		t.Errorf("audited: %v", actions)
	}
	w.noSecretLeft(key, key[8:])
}

// TestAPIKeyScopes: a key that can only read reads, changes nothing, and its refusal is on record.
func TestAPIKeyScopes(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	watch, record := w.apiKey("admin", m{"name": "watch", "role": "global_admin", "scopes": []string{"monitor"}})
	if fmt.Sprint(record["scopes"]) != "[monitor]" || fmt.Sprint(w.keyRecord(record)["scopes"]) != "[monitor]" {
		t.Errorf("record %v", record)
	}
	w.must(200, "GET", "/api/admin/system/health", watch, nil)
	wrong(t, w.must(403, "GET", "/api/hwkey", watch, nil), "permission_denied", "api_key_scope")
	read, record := w.apiKey("a-org_manager", m{"name": "report", "role": "org_manager", "scopes": []string{"read"}})
	w.must(200, "GET", "/api/reports/compliance", read, nil)
	wrong(t, w.must(403, "PATCH", "/api/hwkey/10000", read, m{"label": "by a key"}), "permission_denied", "api_key_scope")
	denied := w.must(200, "GET", "/api/admin/audit?action=permission.denied&actor=api-key:report", w.tokens["admin"], nil)["items"].([]any)
	if len(denied) != 1 || !strings.Contains(denied[0].(m)["details"].(string), fmt.Sprint("by API key ", record["id"])) {
		t.Errorf("on record: %v", denied)
	}
	_, record = w.apiKey("admin", m{"name": "as before", "role": "org_manager", "organization_id": w.ids["a"]})
	if fmt.Sprint(record["scopes"]) != "[all]" {
		t.Errorf("without scopes: %v", record)
	}
	for _, scopes := range [][]string{{}, {"write"}, {"all", "read"}, {"monitor"}} {
		w.must(400, "POST", "/api/admin/api-keys", w.tokens["a-org_manager"], m{"name": "x", "role": "org_manager", "scopes": scopes})
	}
}

func (w *fixture) keyRecord(record map[string]any) map[string]any {
	w.t.Helper()
	for _, k := range w.must(200, "GET", "/api/admin/api-keys", w.tokens["admin"], nil)["items"].([]any) {
		if k := k.(map[string]any); k["id"] == record["id"] {
			return k
		}
	}
	w.t.Fatalf("key %v is not listed", record["id"])
	return nil
}

// TestAPIKeyRequests lists refused requests to create a key.
func TestAPIKeyRequests(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	day := 24 * time.Hour
	at := func(d time.Duration) string { return time.Now().Add(d).Format(time.RFC3339) }
	for _, c := range []struct {
		who    string
		body   map[string]any
		status int
		field  string
	}{
		{"admin", map[string]any{"name": " ", "role": "user"}, 400, "name"},
		{"admin", map[string]any{"name": strings.Repeat("ü", 65), "role": "user"}, 400, "name"},
		{"admin", map[string]any{"name": "a\nb", "role": "user"}, 400, "name"},
		{"admin", map[string]any{"name": "x", "role": "root"}, 400, "role"},
		{"admin", map[string]any{"name": "x"}, 400, "role"},
		{"admin", map[string]any{"name": "x", "role": "org_manager"}, 400, "organization_id"},
		{"admin", map[string]any{"name": "x", "role": "org_manager", "organization_id": 99999}, 400, "organization_id"},
		{"admin", map[string]any{"name": "x", "role": "global_admin", "organization_id": w.ids["a"]}, 400, "organization_id"},
		{"admin", map[string]any{"name": "x", "role": "user", "expires_at": at(-time.Second)}, 400, "expires_at"},
		{"admin", map[string]any{"name": "x", "role": "user", "expires_at": at(401 * day)}, 400, "expires_at"},
		{"admin", map[string]any{"name": "x", "role": "user", "expires_at": "tomorrow"}, 400, "expires_at"},
		{"admin", map[string]any{"name": "x", "role": "user", "key": "keyward_mine"}, 400, "key"},
		{"a-org_manager", map[string]any{"name": "x", "role": "org_manager", "organization_id": w.ids["b"]}, 400, "organization_id"},
		{"a-org_manager", map[string]any{"name": "x", "role": "user", "organization_id": w.ids["b"]}, 400, "organization_id"},
		{"a-org_manager", map[string]any{"name": "x", "role": "global_admin"}, 403, ""},
		{"a-user", map[string]any{"name": "x", "role": "user"}, 403, ""},
		{"", map[string]any{"name": "x", "role": "user"}, 401, ""},
	} {
		out := w.must(c.status, "POST", "/api/admin/api-keys", w.tokens[c.who], c.body)
		if c.field != "" && !names(out, c.field) {
			t.Errorf("%s %v: errors %v, want %s", c.who, c.body, out["errors"], c.field)
		}
	}
	if left := w.must(200, "GET", "/api/admin/api-keys", w.tokens["admin"], nil)["items"].([]any); len(left) != 0 {
		t.Fatalf("refused keys exist: %v", left)
	}
	_, root := w.apiKey("admin", map[string]any{"name": strings.Repeat("ü", 64), "role": "global_admin",
		"organization_id": nil, "expires_at": at(399 * day)})
	_, b := w.apiKey("admin", map[string]any{"name": "b", "role": "user", "organization_id": w.ids["b"], "expires_at": nil})
	for _, foreign := range []map[string]any{root, b, {"id": 99999}} {
		w.must(404, "DELETE", keyPath(foreign), w.tokens["a-org_manager"], nil)
		w.must(403, "DELETE", keyPath(foreign), w.tokens["a-user"], nil)
	}
	if seen := w.must(200, "GET", "/api/admin/api-keys", w.tokens["a-org_manager"], nil)["items"].([]any); len(seen) != 0 {
		t.Errorf("manager a sees %v", seen)
	}
	w.must(204, "DELETE", keyPath(b), w.tokens["b-org_manager"], nil)
}

// TestAPIKeyReach tries what a key must not do, whatever its role, and that it stays in
// its organization.
func TestAPIKeyReach(t *testing.T) {
	t.Parallel()
	maker := attesttest.NewMaker(t)
	w := newFixtureWith(t, func(c *config.Config) { c.AttestationRootsFile = maker.RootFile(t) })
	root, record := w.apiKey("admin", map[string]any{"name": "root", "role": "global_admin"})
	session := fmt.Sprint("/api/session/", w.sessions["admin"])
	for _, c := range [][2]string{
		{"GET", "/api/hwkey/10000/secrets"}, {"GET", "/api/hwkey/10000/secrets?reason=x"}, {"POST", "/api/hwkey/10000/rotations"},
		{"GET", "/api/hwkey/10000/rotations/1"}, {"POST", "/api/hwkey/10000/rotations/1/commit"}, {"POST", "/api/hwkey/10000/rotations/1/abort"},
		{"POST", "/api/hwkey/10000/secrets/observations"}, {"POST", "/api/hwkey/10000/enrolled"}, {"POST", "/api/hwkey/10000/reset"},
		{"POST", session + "/register-agent"}, {"GET", session}, {"GET", "/api/auth/me"}, {"POST", "/api/auth/logout"},
		{"GET", "/api/admin/api-keys"}, {"POST", "/api/admin/api-keys"}, {"DELETE", keyPath(record)},
	} {
		out := w.must(403, c[0], c[1], root, nil)
		if out["code"] != "permission_denied" || !strings.Contains(out["detail"].(string), "API key") {
			t.Errorf("%s %s: %v", c[0], c[1], out)
		}
	}
	w.must(200, "GET", "/api/hwkey/10001", root, nil)
	w.must(201, "POST", "/api/admin/organizations", root, map[string]any{"name": "made by a key"})
	made := w.must(201, "POST", "/api/admin/users", root, map[string]any{"username": "made", "email": "made@example.org"})
	if made["organization_id"] != nil {
		t.Errorf("a global key makes a user in %v", made["organization_id"])
	}
	denied := w.must(200, "GET", "/api/admin/audit?action=permission.denied&actor=API-KEY:root&limit=100", root, nil)["items"].([]any)
	if len(denied) != 16 {
		t.Errorf("%d denials are audited", len(denied))
	}

	manager, _ := w.apiKey("admin", map[string]any{"name": "of a", "role": "org_manager", "organization_id": w.ids["a"]})
	w.must(200, "GET", "/api/hwkey/10000", manager, nil)
	w.must(404, "GET", "/api/hwkey/10001", manager, nil)
	w.must(404, "PATCH", "/api/hwkey/10001", manager, map[string]any{"label": "x"})
	w.must(404, "GET", fmt.Sprint("/api/admin/users/", w.ids["b-user"]), manager, nil)
	w.must(403, "POST", "/api/admin/organizations", manager, map[string]any{"name": "x"})
	w.must(403, "POST", "/api/admin/users", manager,
		map[string]any{"username": "n", "email": "n@example.org", "password": usual, "role": "global_admin"})
	made = w.must(201, "POST", "/api/admin/users", manager, map[string]any{"username": "ina", "email": "ina@example.org"})
	if made["organization_id"] != w.ids["a"] {
		t.Errorf("a manager's key makes a user in %v", made["organization_id"])
	}
	signed := w.must(200, "POST", "/api/hwkey/10000/sign-csr", manager, map[string]any{
		"csr": request(t, "a-user", nil), "slot": "9d",
		"attestation": maker.Attest(t, attesttest.Key{Public: subjectKey.Public(), Serial: "10000", Slot: "9d"}),
	})
	if c := w.must(200, "GET", fmt.Sprint("/api/certificates/", signed["serial_number"]), manager, nil); c["issued_by"] != "api-key:of a" {
		t.Errorf("issued by %v", c["issued_by"])
	}

	// A key of the role user has no rows: it is nobody's.
	user, _ := w.apiKey("a-org_manager", map[string]any{"name": "u", "role": "user"})
	for _, list := range []string{"/api/hwkey", "/api/certificates", "/api/admin/audit"} {
		if items := w.must(200, "GET", list, user, nil)["items"].([]any); len(items) != 0 {
			t.Errorf("a key of the role user sees %d of %s", len(items), list)
		}
	}
	w.must(404, "GET", "/api/hwkey/10009", user, nil) // nobody's token
	w.must(404, "POST", "/api/hwkey/10009/sign-csr", user, map[string]any{"csr": request(t, "a-user", nil)})
	w.must(403, "GET", "/api/admin/users", user, nil)
}
