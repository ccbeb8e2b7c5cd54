package app_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestViews: a view is its owner's, or shared with the organization by a manager of it.
func TestViews(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	save := func(who, list, name string, shared bool) string {
		t.Helper()
		v := w.must(201, "POST", "/api/views", w.tokens[who],
			map[string]any{"list": list, "name": name, "query": "show=30&sort=serial", "shared": shared})
		return v["id"].(string)
	}
	seen := func(who, want string) {
		t.Helper()
		var names []string
		for _, v := range w.must(200, "GET", "/api/views", w.tokens[who], nil)["views"].([]any) {
			v := v.(map[string]any)
			names = append(names, fmt.Sprint(v["name"], " ", v["shared"]))
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("%s sees %q, want %q", who, got, want)
		}
	}
	own := save("a-org_manager", "tokens", " Old firmware ", false)
	if again := save("a-org_manager", "tokens", "Old firmware", false); again != own {
		t.Errorf("the same name has the ids %s and %s", own, again)
	}
	tokens := save("a-org_manager", "tokens", "For all", true)
	certificates := save("a-org_manager", "certificates", "Ending", true)
	save("admin", "audit", "Mine and the other administrators'", true)
	seen("a-org_manager", "Old firmware false, For all true, Ending true")
	seen("a-user", "Ending true") // whose page has no list of tokens
	seen("b-org_manager", "")
	seen("admin", "Mine and the other administrators' true")

	w.refused(403, "permission_denied", "POST", "/api/views", w.tokens["a-user"],
		map[string]any{"list": "certificates", "name": "x", "query": "", "shared": true})
	for _, list := range []string{"tokens", "people", "audit"} { // whose pages are managers'
		w.refused(403, "permission_denied", "POST", "/api/views", w.tokens["a-user"], map[string]any{"list": list, "name": "x", "query": ""})
	}
	w.refused(403, "permission_denied", "DELETE", "/api/views/"+certificates, w.tokens["a-user"], nil)
	w.refused(404, "not_found", "DELETE", "/api/views/"+own, w.tokens["a-user"], nil)
	w.refused(404, "not_found", "DELETE", "/api/views/"+tokens, w.tokens["b-org_manager"], nil)
	w.must(204, "DELETE", "/api/views/"+tokens, w.tokens["a-org_manager"], nil)
	w.must(204, "DELETE", "/api/views/"+own, w.tokens["a-org_manager"], nil)
	seen("a-org_manager", "Ending true")
	if got := w.audited("admin", "settings.changed"); len(got) != 4 {
		t.Errorf("sharing and deleting is on record %d times: %q", len(got), got)
	}

	for field, body := range map[string]map[string]any{
		"name":  {"list": "tokens", "name": " ", "query": ""},
		"list":  {"list": "agents", "name": "x", "query": ""},
		"query": {"list": "tokens", "name": "x", "query": "a=%zz"},
	} {
		answer := w.refused(400, "invalid_request", "POST", "/api/views", w.tokens["a-user"], body)
		if text := fmt.Sprint(answer); !strings.Contains(text, "field:"+field) {
			t.Errorf("%s is not named: %s", field, text)
		}
	}
	for i := range 100 {
		save("a-user", "certificates", fmt.Sprint("View ", i), false)
	}
	w.refused(409, "conflict", "POST", "/api/views", w.tokens["a-user"],
		map[string]any{"list": "certificates", "name": "one more", "query": ""})
}
