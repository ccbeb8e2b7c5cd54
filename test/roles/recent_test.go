package roles

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/test/server"
)

// TestStaleSessionOutlivesNothing tests the value of a stolen access token more than
// ten minutes after the sign-in: it is used for every changing operation of the
// contract. Those listed in section 2 are refused and change nothing; the others are
// not refused.
func TestStaleSessionOutlivesNothing(t *testing.T) {
	t.Parallel()
	c := newFixture(t)
	for _, one := range c.changes(t) {
		d, path := c.prepare(t, one, true)
		c.stale(t, one.actor)
		before := c.snapshot(t)
		res := c.Call(t, one.op.Method, path, one.actor.token, d.body)
		refused := res.Status == http.StatusForbidden && res.Body["code"] == "reauthentication_required"
		if refused != one.rule.recent {
			t.Errorf("%s: %d %s, want a refusal %v", one, res.Status, res.Raw, one.rule.recent)
		}
		if one.rule.recent {
			c.unchanged(t, one.op.ID, before)
		}
	}
}

func (c *fixture) unchanged(t *testing.T, what string, before map[string][]string) {
	t.Helper()
	if d := diff.Diff(before, c.snapshot(t)); d != "" {
		t.Errorf("%s: a refused request changed something (-before +after):\n%s", what, d)
	}
}

// stale signs somebody in and makes the proof of identity an hour old.
func (c *fixture) stale(t *testing.T, p *person) {
	t.Helper()
	c.awake(t, p)
	c.execute(t, "UPDATE sessions SET authenticated_at = authenticated_at - 3600000000 WHERE id = ?", p.session)
}

// TestFieldsThatLead: in operations that do not require recent authentication as a
// whole, each field that leads to a sign-in, to power, to another name in a certificate
// or to a secret does (contract §2), and no API key may send it; a field that only
// takes away, or keeps its value, does not.
func TestFieldsThatLead(t *testing.T) {
	t.Parallel()
	c := newFixture(t)
	root, chief, user := c.root(), c.person("qz-chief"), c.person("qz-a-user")
	other, key := c.person("qz-a-other"), c.person("qk-chief")
	hook := fmt.Sprint("/api/admin/webhooks/", chief.hook.id)
	account, name := c.newAccount(t, user)
	pathOfAccount, organization := "/api/admin/users/"+account, fmt.Sprint("/api/admin/organizations/", c.orgs["b"])
	dismissed, dismissedName := c.newAccount(t, &person{role: globalAdmin})
	c.Must(t, "PATCH", "/api/admin/users/"+dismissed, root.token, fields{"is_active": false})
	asleep, _ := c.newAccount(t, user)
	c.Must(t, "PATCH", "/api/admin/users/"+asleep, root.token, fields{"is_active": false})
	made := c.Must(t, "POST", "/api/admin/organizations", root.token, fields{"name": "Closed"})
	closed := fmt.Sprint("/api/admin/organizations/", number(made["id"]))
	c.Must(t, "PATCH", closed, root.token, fields{"is_active": false})
	kept, released, moved, stock := c.newToken(t, user), c.newToken(t, user), c.newToken(t, user), c.newToken(t, user)
	c.Must(t, "PATCH", "/api/hwkey/"+stock, root.token, fields{"owner_id": nil})
	for _, serial := range []string{released, moved, stock} {
		c.Must(t, "GET", "/api/hwkey/"+serial+"/secrets?reason=stage", root.token, nil)
	}
	withNames := newProfile(fresh("names"))
	withNames["slots"], withNames["extended_key_usage"] = []string{"9c"}, []string{"emailProtection"}
	withNames["subject"] = fields{"common_name": "{name|username}, {organization}"}
	c.Must(t, "POST", "/api/admin/profiles", root.token, withNames)
	c.Must(t, "PUT", "/api/admin/settings/slot-profiles", root.token, fields{"plan": []string{"9a"},
		"slots": fields{"9a": "default", "9c": withNames["name"], "9d": "default", "9e": "none"}})
	type try struct {
		leads        string // the operation and its field; empty: it leads to nothing
		method, path string
		body         any
	}
	tries := []try{
		{"create-user password", "POST", "/api/admin/users", c.account("one", nil)},
		{"create-user role", "POST", "/api/admin/users", fields{"username": "x-two", "email": "x-two@example.org", "role": "global_admin"}},
		{"create-user is_admin", "POST", "/api/admin/users", fields{"username": "x-tw", "email": "x-tw@example.org", "is_admin": true}},
		{"create-user upn", "POST", "/api/admin/users", fields{"username": "x-n", "email": "x-n@example.org", "upn": "x-n@corp.example"}},
		{"create-user sid", "POST", "/api/admin/users", fields{"username": "x-s", "email": "x-s@example.org", "sid": "S-1-5-21-1-2-3-4"}},
		{"", "POST", "/api/admin/users", fields{"username": "x-three", "email": "x-three@example.org", "upn": nil, "sid": ""}},
		{"import-users invite", "POST", "/api/admin/users/import?invite=true", server.CSV("email\nx-four@example.org\n")},
		{"import-users role", "POST", "/api/admin/users/import", server.CSV("email,role\nx-five@example.org,global_admin\n")},
		{"import-users upn", "POST", "/api/admin/users/import", server.CSV("email,upn\nx-eight@example.org,x-eight@corp.example\n")},
		{"import-users sid", "POST", "/api/admin/users/import", server.CSV("email,sid\nx-nine@example.org,S-1-5-21-1-2-3-5\n")},
		{"", "POST", "/api/admin/users/import", server.CSV("email,upn,sid\nx-six@example.org,,\n")},
		{"update-user role", "PATCH", pathOfAccount, fields{"role": "org_manager"}},
		{"update-user email", "PATCH", pathOfAccount, fields{"email": "x-seven@example.org"}},
		{"update-user upn", "PATCH", pathOfAccount, fields{"upn": "x-seven@corp.example"}},
		{"update-user sid", "PATCH", pathOfAccount, fields{"sid": "S-1-5-21-1-2-3-6"}},
		{"update-user organization_id", "PATCH", pathOfAccount, fields{"organization_id": c.orgs["b"]}},
		{"", "PATCH", pathOfAccount, fields{"role": user.role, "email": name + "@example.org", "organization_id": c.orgs["a"],
			"is_active": true, "upn": nil, "sid": nil}},
		{"update-user name", "PATCH", pathOfAccount, fields{"name": "N"}},
		{"update-user is_active", "PATCH", "/api/admin/users/" + dismissed, fields{"is_active": true}},
		{"enable-users ids", "POST", "/api/admin/users/enable", fields{"ids": []int{atoi(t, asleep)}}},
		{"", "POST", "/api/admin/users/enable", fields{"ids": []int{other.id}}},
		{"update-organization is_active", "PATCH", closed, fields{"is_active": true}},
		{"update-organization email_domains", "PATCH", organization, fields{"email_domains": []string{"example.org", "example.net"}}},
		{"update-organization upn_suffixes", "PATCH", organization, fields{"upn_suffixes": []string{"corp.example"}}},
		{"update-organization kerberos_realm", "PATCH", organization, fields{"kerberos_realm": "CORP.EXAMPLE"}},
		{"create-organization upn_suffixes", "POST", "/api/admin/organizations", fields{"name": "U", "upn_suffixes": []string{"u.example"}}},
		{"create-organization kerberos_realm", "POST", "/api/admin/organizations", fields{"name": "K", "kerberos_realm": "K.EXAMPLE"}},
		{"", "PATCH", organization, fields{"email_domains": []string{}, "upn_suffixes": nil, "kerberos_realm": nil,
			"is_active": true}},
		{"update-organization name", "PATCH", organization, fields{"name": "Renamed"}},
		{"update-webhook url", "PATCH", hook, fields{"url": "https://thief.invalid/"}},
		{"update-webhook actions", "PATCH", hook, fields{"actions": []string{"hwkey.reset"}}},
		{"update-webhook rotate_secret", "PATCH", hook, fields{"rotate_secret": true}},
		{"", "PATCH", hook, fields{"description": "x"}},
		{"update-hwkey owner_id", "PATCH", "/api/hwkey/" + released, fields{"owner_id": other.id}},
		{"update-hwkey organization_id", "PATCH", "/api/hwkey/" + stock, fields{"organization_id": c.orgs["b"]}},
		{"update-hwkey organization_id", "PATCH", "/api/hwkey/" + moved, fields{"owner_id": nil, "organization_id": c.orgs["b"]}},
		{"", "PATCH", "/api/hwkey/" + kept, fields{"owner_id": other.id}},
		{"", "PATCH", "/api/hwkey/" + released, fields{"label": "x", "owner_id": user.id}},
		{"", "PATCH", pathOfAccount, fields{"is_active": false}},
	}
	c.allTried(t, func(id string) bool { return slices.ContainsFunc(tries, func(one try) bool { return one.leads == id }) })
	c.stale(t, chief)
	people := func(path string) bool { return path == hook } // no API key reaches its operations
	for _, one := range tries {
		what := cmp.Or(one.leads, fmt.Sprint(one.method, " ", one.path, " ", one.body))
		if one.leads == "" {
			if res := c.Call(t, one.method, one.path, chief.token, one.body); res.Status >= 300 {
				t.Errorf("%s: %d %s", what, res.Status, res.Raw)
			}
			continue
		}
		before := c.snapshot(t)
		if res := c.Call(t, one.method, one.path, chief.token, one.body); res.Status != 403 || res.Body["code"] != "reauthentication_required" {
			t.Errorf("%s: %d %s", what, res.Status, res.Raw)
		}
		if res := c.Call(t, one.method, one.path, key.token, one.body); res.Status != 403 && !strings.Contains(res.Raw, "no_role_by_key") &&
			!strings.Contains(res.Raw, "no_name_by_key") ||
			res.Body["code"] == "reauthentication_required" && !people(one.path) {
			t.Errorf("%s by an API key: %d %s", what, res.Status, res.Raw)
		}
		c.unchanged(t, what, before)
	}
	// The dismissed administrator's old password opens nothing.
	in := c.Call(t, "POST", "/api/auth/login", "", fields{"username": dismissedName, "password": password})
	if in.Body["code"] != "account_disabled" {
		t.Errorf("who was dismissed: %d %s", in.Status, in.Raw)
	}
	// Many at once: row by row.
	also := c.newToken(t, user)
	away := fields{"serials": []string{moved}, "owner_id": nil, "organization_id": c.orgs["b"]}
	gone := c.Must(t, "POST", "/api/hwkey/bulk", chief.token, away)["results"].([]any)
	if gone[0].(map[string]any)["code"] != "reauthentication_required" {
		t.Errorf("many to another organization: %v", gone)
	}
	if res := c.Call(t, "GET", "/api/backup/download/any", chief.token, nil); res.Body["code"] != "reauthentication_required" {
		t.Errorf("a link to a backup: %d %s", res.Status, res.Raw)
	}
	res := c.Must(t, "POST", "/api/hwkey/bulk", chief.token, fields{"serials": []string{also, moved}, "owner_id": other.id})
	rows := res["results"].([]any)
	if rows[0].(map[string]any)["result"] != "updated" || rows[1].(map[string]any)["code"] != "reauthentication_required" {
		t.Errorf("bulk: %v", rows)
	}
	c.Must(t, "POST", "/api/auth/reauthenticate", chief.token, fields{"password": password})
	for _, one := range tries {
		if res := c.Call(t, one.method, one.path, chief.token, one.body); one.leads != "" && res.Status >= 300 {
			t.Errorf("%s, with a fresh proof: %d %s", one.leads, res.Status, res.Raw)
		}
	}
}

func atoi(t *testing.T, id string) int {
	t.Helper()
	n, err := strconv.Atoi(id)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// elsewhere are fields that only sometimes lead to something, which other tests cover.
const elsewhere = "sign-csr register-agent bulk-hwkeys" // internal/app, and row by row above

// allTried requires a try of every field that leads to something according to package
// access.
func (c *fixture) allTried(t *testing.T, tried func(id string) bool) {
	t.Helper()
	for op, rule := range access.Table() {
		if rule.Public || rule.Recent || slices.Contains(strings.Fields(elsewhere), string(op)) {
			continue
		}
		for _, field := range access.Effective(op) {
			if id := string(op) + " " + field; !tried(id) {
				t.Errorf("%s is not tried", id)
			}
		}
	}
}
