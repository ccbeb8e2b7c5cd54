package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/engine"
)

// execute changes the database from outside, as fate would.
func (s *server) execute(statement string, args ...any) {
	s.t.Helper()
	engine.Execute(s.t, s.data, statement, args...)
}

// TestAPIKeyStandsWithItsCreator: whatever befalls the account that made a
// key befalls the key, at the next request, and passes with it.
func TestAPIKeyStandsWithItsCreator(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	manager, _ := w.apiKey("a-org_manager", map[string]any{"name": "m", "role": "org_manager"})
	lesser, _ := w.apiKey("a-org_manager", map[string]any{"name": "u", "role": "user"})
	global, _ := w.apiKey("admin", map[string]any{"name": "g", "role": "global_admin"})
	given, _ := w.apiKey("admin", map[string]any{"name": "given", "role": "org_manager", "organization_id": w.ids["a"]})
	keys := map[string]string{"manager's": manager, "lesser": lesser, "global": global, "given": given}

	set := func(column string, value any, who string) func() {
		return func() { w.execute("UPDATE users SET "+column+" = ? WHERE username = ?", value, who) }
	}
	for _, c := range []struct {
		name    string
		do      []func()
		refused string // the keys
		undo    []func()
	}{
		{"manager disabled", []func(){set("is_active", false, "a-org_manager")}, "manager's lesser",
			[]func(){set("is_active", true, "a-org_manager")}},
		{"manager demoted", []func(){set("role", "user", "a-org_manager")}, "manager's lesser",
			[]func(){set("role", "org_manager", "a-org_manager")}},
		{"manager moved", []func(){set("organization_id", w.ids["b"], "a-org_manager")}, "manager's lesser",
			[]func(){set("organization_id", w.ids["a"], "a-org_manager")}},
		{"manager promoted", []func(){set("role", "global_admin", "a-org_manager"), set("organization_id", nil, "a-org_manager")}, "",
			[]func(){set("role", "org_manager", "a-org_manager"), set("organization_id", w.ids["a"], "a-org_manager")}},
		{"organization disabled", []func(){func() { w.execute("UPDATE organizations SET is_active = FALSE WHERE id = ?", w.ids["a"]) }},
			"manager's lesser given",
			[]func(){func() { w.execute("UPDATE organizations SET is_active = TRUE WHERE id = ?", w.ids["a"]) }}},
		{"admin demoted to manager", []func(){set("role", "org_manager", "admin"), set("organization_id", w.ids["a"], "admin")}, "global",
			[]func(){set("role", "global_admin", "admin"), set("organization_id", nil, "admin")}},
	} {
		for _, do := range c.do {
			do()
		}
		for name, key := range keys {
			status, out := w.call("GET", "/api/hwkey", key, nil)
			switch refused := strings.Contains(" "+c.refused+" ", " "+name+" "); {
			case refused && (status != 403 || out["code"] != "account_disabled" || !strings.Contains(fmt.Sprint(out["detail"]), "API key")):
				t.Errorf("%s: key %s: %d %v", c.name, name, status, out)
			case !refused && status != 200:
				t.Errorf("%s: key %s: %d %v", c.name, name, status, out)
			}
		}
		for _, undo := range c.undo {
			undo()
		}
	}
	w.execute("UPDATE api_keys SET expires_at = created_at + 1 WHERE name = 'g'")
	if status, out := w.call("GET", "/api/hwkey", global, nil); status != 401 || out["code"] != "token_expired" {
		t.Errorf("an expired key: %d %v", status, out)
	}
	w.must(200, "GET", "/api/hwkey", given, nil)
	if left := w.must(200, "GET", "/api/admin/api-keys", w.tokens["admin"], nil)["items"].([]any); len(left) != 4 {
		t.Errorf("%d keys are listed", len(left))
	}
	if left := w.must(200, "GET", "/api/admin/api-keys?active=true", w.tokens["admin"], nil)["items"].([]any); len(left) != 3 {
		t.Errorf("%d keys are listed as active", len(left))
	}
	w.noSecretLeft(manager, lesser, global, given)
}
