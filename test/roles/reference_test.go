package roles

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/test/server"
)

// attack is a request whose path is the actor's own, but whose body or query names
// somebody else's things.
type attack struct {
	name, actor, method, path string
	body                      any
}

func (c *fixture) attacks() []attack {
	stranger, manager := c.person("qz-b-user"), c.person("qz-a-manager")
	own := c.person("qz-a-user")
	b := c.orgs["b"]
	return []attack{
		{"give a token away", "qz-a-manager", "PATCH", "/api/hwkey/" + own.serial, fields{"owner_id": stranger.id}},
		{"take a token out of every organization", "qz-a-manager", "PATCH", "/api/hwkey/" + own.serial, fields{"organization_id": nil}},
		{"a user suspends the own token", "qz-a-user", "PATCH", "/api/hwkey/" + own.serial, fields{"status": "suspended"}},
		{"suspend another organization's tokens", "qz-a-manager", "POST", "/api/hwkey/bulk",
			fields{"serials": []string{stranger.serial}, "status": "suspended"}},
		{"give many tokens away", "qz-a-manager", "POST", "/api/hwkey/bulk",
			fields{"serials": []string{own.serial}, "owner_id": stranger.id}},
		{"make a global admin", "qz-a-manager", "POST", "/api/admin/users", c.account("chief", fields{"role": "global_admin"})},
		{"a key makes a manager", "qk-a-manager", "POST", "/api/admin/users",
			c.account("power", fields{"role": "org_manager", "organization_id": c.orgs["a"]})},
		{"a key makes a global admin", "qk-chief", "POST", "/api/admin/users", c.account("power", fields{"role": "global_admin"})},
		{"a key promotes a user", "qk-chief", "PATCH", fmt.Sprint("/api/admin/users/", own.id), fields{"role": "org_manager"}},
		{"a key moves a manager", "qk-chief", "PATCH", fmt.Sprint("/api/admin/users/", manager.id), fields{"organization_id": b}},
		{"a key disables a manager", "qk-chief", "PATCH", fmt.Sprint("/api/admin/users/", manager.id), fields{"is_active": false}},
		{"a key unlocks a manager", "qk-chief", "POST", fmt.Sprint("/api/admin/users/", manager.id, "/unlock"), nil},
		{"a key changes a manager's email", "qk-a-manager", "PATCH", fmt.Sprint("/api/admin/users/", manager.id),
			fields{"email": "x@example.org"}},
		{"a webhook on another organization", "qz-a-manager", "POST", "/api/admin/webhooks",
			fields{"url": "https://example.org/x", "organization_id": b}},
	}
}

// account is a body for a new account.
func (c *fixture) account(name string, more fields) fields {
	body := fields{"username": "x-" + name, "email": "x-" + name + "@example.org", "password": password}
	for k, v := range more {
		body[k] = v
	}
	return body
}

// TestForeign: neither a body nor a filter reaches what is somebody else's.
func TestForeign(t *testing.T) {
	t.Parallel()
	c := newFixture(t)
	t.Run("references", c.foreignReferences)
	t.Run("filters", c.foreignFilters)
}

// foreignReferences: naming another organization's things in a body reaches nothing and
// changes nothing.
func (c *fixture) foreignReferences(t *testing.T) {
	before := c.snapshot(t)
	for _, a := range c.attacks() {
		actor := c.person(a.actor)
		res := c.Call(t, a.method, a.path, actor.token, a.body)
		if res.Status == 200 && allFailed(res) {
			res.Status = 400
		}
		if res.Status != 400 && res.Status != 403 && res.Status != 404 && res.Status != 409 {
			t.Errorf("%s: %d %s", a.name, res.Status, res.Raw)
		}
		if leak := c.leaks(cell{actor: actor}, res.Raw); leak != "" {
			t.Errorf("%s: the refusal tells of %s", a.name, leak)
		}
	}
	if diff := cmp.Diff(before, c.snapshot(t)); diff != "" {
		t.Errorf("something changed (-before +after):\n%s", diff)
	}
}

// allFailed reports whether every row of a response with rows failed.
func allFailed(r server.Response) bool {
	rows, _ := r.Body["rows"].([]any)
	if results, ok := r.Body["results"].([]any); ok {
		rows = results
	}
	for _, row := range rows {
		if m, _ := row.(map[string]any); m["result"] != "failed" {
			return false
		}
	}
	return len(rows) > 0
}

// rowsIn reports whether a list or an export is not empty.
func rowsIn(r server.Response) bool {
	items, isList := r.Body["items"].([]any)
	return len(items) > 0 || !isList && strings.Contains(r.Raw, "qz-")
}

// foreignFilters: a filter that names another organization or person returns an empty
// list, not theirs.
func (c *fixture) foreignFilters(t *testing.T) {
	stranger := c.person("qz-b-user")
	names := strings.NewReplacer("{org}", fmt.Sprint(c.orgs["b"]), "{user}", fmt.Sprint(stranger.id), "{serial}", stranger.serial)
	for _, path := range []string{
		"/api/hwkey?organization_id={org}", "/api/hwkey?owner_id={user}", "/api/hwkey?q=qz-b", "/api/certificates?organization_id={org}",
		"/api/certificates?owner_id={user}", "/api/certificates?q=qz-b", "/api/certificates?hwkey_serial={serial}",
		"/api/admin/users?organization_id={org}", "/api/admin/users?q=qz-b", "/api/admin/organizations?q=qz-organization-b",
		"/api/auth/sessions?user_id={user}", "/api/admin/audit/export?format=ndjson&organization_id={org}",
		"/api/admin/audit/export?format=csv&actor=qz-b-user", "/api/admin/audit?organization_id={org}",
		"/api/admin/audit?actor=qz-b-user", "/api/admin/audit?target={serial}",
	} {
		path := names.Replace(path)
		if res := c.Call(t, "GET", path, c.person("qz-chief").token, nil); res.Status != 200 || !rowsIn(res) {
			t.Errorf("%s shows a global admin nothing of what it asks for: %d", path, res.Status)
		}
		for _, name := range []string{"qz-a-manager", "qz-a-user"} {
			actor := c.person(name)
			res := c.Call(t, "GET", path, actor.token, nil)
			items, _ := res.Body["items"].([]any)
			items = slices.DeleteFunc(items, func(item any) bool { // entries about one's own refusals
				return item.(map[string]any)["action"] == "permission.denied"
			})
			if res.Status == 200 && len(items) != 0 {
				t.Errorf("%s as %s: %d rows", path, name, len(items))
			}
			if leak := c.leaks(cell{actor: actor}, res.Raw); leak != "" {
				t.Errorf("%s as %s tells of %s", path, name, leak)
			}
		}
	}
}
