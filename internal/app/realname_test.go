package app_test

import "testing"

// TestRealName: people have names of their own, which lists show and find, with the
// number of their tokens.
func TestRealName(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	manager := w.tokens["a-org_manager"]
	made := w.must(201, "POST", "/api/admin/users", manager, fields{
		"username": "jb", "name": "  J\u00f6rg Bauer ", "email": "jb@example.org", "password": usual})
	w.ids["jb"] = made["id"]
	if made["name"] != "J\u00f6rg Bauer" {
		t.Errorf("made as %v", made)
	}
	out := w.must(200, "PATCH", w.userPath("a-user"), manager, fields{"name": "Alex Adams"})
	if out["name"] != "Alex Adams" || out["username"] != "a-user" {
		t.Errorf("named %v", out)
	}
	if out := w.must(200, "PATCH", w.userPath("jb"), manager, fields{"name": nil}); out["name"] != "" {
		t.Errorf("without a name: %v", out)
	}
	for _, name := range []any{"a\nb", 7} {
		w.refused(400, "invalid_request", "PATCH", w.userPath("a-user"), manager, fields{"name": name})
	}
	w.refused(404, "not_found", "PATCH", w.userPath("a-user"), w.tokens["b-org_manager"], fields{"name": "Mine"})
	items := w.must(200, "GET", "/api/admin/users?q=alex%20ad", manager, nil)["items"].([]any)
	if len(items) != 1 {
		t.Fatalf("found %v", items)
	}
	if u := items[0].(map[string]any); u["username"] != "a-user" || u["name"] != "Alex Adams" || u["token_count"] != 1.0 {
		t.Errorf("listed as %v", u)
	}
	if got := w.audited("a-org_manager", "user.updated"); len(got) != 2 {
		t.Errorf("audited as %q", got)
	}
}
