package roles

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/test/server"
)

// attack is a request whose path is the actor's own, but whose body or query
// names what belongs to somebody else.
type attack struct {
	name, actor, method, path string
	body                      any
}

func (c *city) attacks() []attack {
	stranger, manager := c.person("qz-b-user"), c.person("qz-a-manager")
	own := c.person("qz-a-user")
	b := c.orgs["b"]
	return []attack{
		{"register a token for another organization's user", "qz-a-manager", "POST", "/api/hwkey",
			fields{"serial": "x-1001", "owner_id": stranger.id}},
		{"register a token in another organization", "qz-a-manager", "POST", "/api/hwkey",
			fields{"serial": "x-1002", "organization_id": b}},
		{"register a token that another organization has", "qz-a-manager", "POST", "/api/hwkey", fields{"serial": stranger.serial}},
		{"give a token away", "qz-a-manager", "PATCH", "/api/hwkey/" + own.serial, fields{"owner_id": stranger.id}},
		{"move a token away", "qz-a-manager", "PATCH", "/api/hwkey/" + own.serial, fields{"organization_id": b}},
		{"take a token out of every organization", "qz-a-manager", "PATCH", "/api/hwkey/" + own.serial, fields{"organization_id": nil}},
		{"a user gives the own token away", "qz-a-user", "PATCH", "/api/hwkey/" + own.serial, fields{"owner_id": manager.id}},
		{"a user suspends the own token", "qz-a-user", "PATCH", "/api/hwkey/" + own.serial, fields{"status": "suspended"}},
		{"import for another organization's user", "qz-a-manager", "POST", "/api/hwkey/import",
			server.CSV("serial,owner\nx-1003,qz-b-user\n")},
		{"import into another organization", "qz-a-manager", "POST", "/api/hwkey/import",
			server.CSV("serial,organization\nx-1004,qz-organization-b\n")},
		{"import what another organization has", "qz-a-manager", "POST", "/api/hwkey/import",
			server.CSV("serial,label\n" + stranger.serial + ",mine\n")},
		{"suspend another organization's tokens", "qz-a-manager", "POST", "/api/hwkey/bulk",
			fields{"serials": []string{stranger.serial}, "status": "suspended"}},
		{"give many tokens away", "qz-a-manager", "POST", "/api/hwkey/bulk",
			fields{"serials": []string{own.serial}, "owner_id": stranger.id}},
		{"make a user in another organization", "qz-a-manager", "POST", "/api/admin/users",
			c.account("org", fields{"organization_id": b})},
		{"make a global admin", "qz-a-manager", "POST", "/api/admin/users", c.account("chief", fields{"role": "global_admin"})},
		{"become a global admin", "qz-a-manager", "PATCH", fmt.Sprint("/api/admin/users/", manager.id), fields{"role": "global_admin"}},
		{"make a user a global admin", "qz-a-manager", "PATCH", fmt.Sprint("/api/admin/users/", own.id),
			fields{"role": "global_admin"}},
		{"move a user away", "qz-a-manager", "PATCH", fmt.Sprint("/api/admin/users/", own.id), fields{"organization_id": b}},
		{"take a user out of every organization", "qz-a-manager", "PATCH", fmt.Sprint("/api/admin/users/", own.id),
			fields{"organization_id": nil}},
		{"disable oneself", "qz-a-manager", "PATCH", fmt.Sprint("/api/admin/users/", manager.id), fields{"is_active": false}},
		{"take another organization's name", "qz-chief", "PATCH", fmt.Sprint("/api/admin/organizations/", c.orgs["a"]),
			fields{"name": "QZ-Organization-B"}},
		{"demote oneself", "qz-chief", "PATCH", fmt.Sprint("/api/admin/users/", c.person("qz-chief").id), fields{"role": "user"}},
		{"a key makes a manager", "qk-a-manager", "POST", "/api/admin/users",
			c.account("power", fields{"role": "org_manager", "organization_id": c.orgs["a"]})},
		{"a key makes a global admin", "qk-chief", "POST", "/api/admin/users", c.account("power", fields{"role": "global_admin"})},
		{"a key promotes a user", "qk-chief", "PATCH", fmt.Sprint("/api/admin/users/", own.id), fields{"role": "org_manager"}},
		{"a key moves a manager", "qk-chief", "PATCH", fmt.Sprint("/api/admin/users/", manager.id), fields{"organization_id": b}},
		{"a key disables a manager", "qk-chief", "PATCH", fmt.Sprint("/api/admin/users/", manager.id), fields{"is_active": false}},
		{"a key unlocks a manager", "qk-chief", "POST", fmt.Sprint("/api/admin/users/", manager.id, "/unlock"), nil},
		{"a key changes a manager's email", "qk-a-manager", "PATCH", fmt.Sprint("/api/admin/users/", manager.id),
			fields{"email": "x@example.org"}},
		{"make a global admin, the old way", "qz-a-manager", "POST", "/api/admin/users", c.account("legacy", fields{"is_admin": true})},
		{"an API key of another organization", "qz-a-manager", "POST", "/api/admin/api-keys",
			fields{"name": "x", "role": "user", "organization_id": b}},
		{"a webhook on another organization", "qz-a-manager", "POST", "/api/admin/webhooks",
			fields{"url": "https://example.org/x", "organization_id": b}},
		{"an API key without limits", "qz-a-manager", "POST", "/api/admin/api-keys", fields{"name": "x", "role": "global_admin"}},
		{"an API key for a user", "qz-a-user", "POST", "/api/admin/api-keys", fields{"name": "x", "role": "user"}},
		{"call a user in", "qz-a-manager", "PATCH", c.pathOf(stranger), fields{"organization_id": c.orgs["a"]}},
		{"lower oneself", "qz-a-manager", "PATCH", c.pathOf(manager), fields{"role": "user"}},
		{"give a user another's email", "qz-a-manager", "PATCH", c.pathOf(own), fields{"email": "QZ-B-USER@example.org"}},
		{"make a user with another's name", "qz-a-manager", "POST", "/api/admin/users",
			fields{"username": "QZ-B-USER", "email": "n@example.org", "password": password}},
	}
}

func (c *city) pathOf(p *person) string { return fmt.Sprint("/api/admin/users/", p.id) }

// account is a body for a new account.
func (c *city) account(name string, more fields) fields {
	body := fields{"username": "x-" + name, "email": "x-" + name + "@example.org", "password": password}
	for k, v := range more {
		body[k] = v
	}
	return body
}

// TestForeign: neither a body nor a filter reaches what is somebody else's.
func TestForeign(t *testing.T) {
	t.Parallel()
	c := newCity(t)
	t.Run("references", c.foreignReferences)
	t.Run("filters", c.foreignFilters)
}

// foreignReferences: nothing of another organization can be reached by
// naming it in a body, and nothing changes.
func (c *city) foreignReferences(t *testing.T) {
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

// allFailed tells that every row of an answer with rows failed.
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

// rows tells that a list or an export is not empty.
func rowsIn(r server.Response) bool {
	items, isList := r.Body["items"].([]any)
	return len(items) > 0 || !isList && strings.Contains(r.Raw, "qz-")
}

// foreignFilters: a filter that names another organization or person gives an
// empty list, not theirs.
func (c *city) foreignFilters(t *testing.T) {
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
			items = slices.DeleteFunc(items, func(item any) bool { // that one was refused before is one's own
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
