package roles

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStaleSessionOutlivesNothing is what a stolen access token is worth more
// than ten minutes after the sign-in: every changing operation of the contract
// is tried with it. Those that section 2 lists are refused and change nothing;
// the others are not.
func TestStaleSessionOutlivesNothing(t *testing.T) {
	t.Parallel()
	c := newCity(t)
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

func (c *city) unchanged(t *testing.T, what string, before map[string][]string) {
	t.Helper()
	if diff := cmp.Diff(before, c.snapshot(t)); diff != "" {
		t.Errorf("%s: a refused request changed something (-before +after):\n%s", what, diff)
	}
}

// stale signs somebody in and lets the proof of that be an hour old.
func (c *city) stale(t *testing.T, p *person) {
	t.Helper()
	c.awake(t, p)
	c.execute(t, "UPDATE sessions SET authenticated_at = authenticated_at - 3600000000 WHERE id = ?", p.session)
}

// TestPartsThatNeedRecentAuthentication: where only some of what an operation
// changes demands a fresh proof of identity, that part does and the rest does
// not.
func TestPartsThatNeedRecentAuthentication(t *testing.T) {
	t.Parallel()
	c := newCity(t)
	chief, user := c.person("qz-chief"), c.person("qz-a-user")
	other := c.person("qz-a-other")
	hook := fmt.Sprint("/api/admin/webhooks/", chief.hook.id)
	account, _ := c.newAccount(t, user)
	fresh1, released, wanted := c.newToken(t, user), c.newToken(t, user), c.newToken(t, user)
	for _, serial := range []string{released, wanted} {
		c.Must(t, "GET", "/api/hwkey/"+serial+"/secrets?reason=stage", c.root().token, nil)
	}
	c.stale(t, chief)
	for _, try := range []struct {
		name, method, path string
		body               fields
		refused            bool
	}{
		{"an account with a password", "POST", "/api/admin/users", c.account("one", nil), true},
		{"an account with a role", "POST", "/api/admin/users",
			fields{"username": "x-two", "email": "x-two@example.org", "role": "global_admin"}, true},
		{"an account that waits", "POST", "/api/admin/users", fields{"username": "x-three", "email": "x-three@example.org"}, false},
		{"a role", "PATCH", "/api/admin/users/" + account, fields{"role": "org_manager"}, true},
		{"an email", "PATCH", "/api/admin/users/" + account, fields{"email": "x-four@example.org"}, false},
		{"a webhook's address", "PATCH", hook, fields{"url": "https://thief.invalid/"}, true},
		{"a webhook's actions", "PATCH", hook, fields{"actions": []string{"hwkey.reset"}}, true},
		{"a webhook's secret", "PATCH", hook, fields{"rotate_secret": true}, true},
		{"a webhook's description", "PATCH", hook, fields{"description": "x"}, false},
		{"a token whose secrets were never released", "PATCH", "/api/hwkey/" + fresh1, fields{"owner_id": other.id}, false},
		{"a token whose secrets were released", "PATCH", "/api/hwkey/" + released, fields{"owner_id": other.id}, true},
		{"such a token's owner removed", "PATCH", "/api/hwkey/" + released, fields{"owner_id": nil}, false},
		{"such a token from the stock", "PATCH", "/api/hwkey/" + released, fields{"owner_id": other.id}, true},
		{"such a token's label", "PATCH", "/api/hwkey/" + released, fields{"label": "x"}, false},
	} {
		before := c.snapshot(t)
		res := c.Call(t, try.method, try.path, chief.token, try.body)
		refused := res.Status == 403 && res.Body["code"] == "reauthentication_required"
		if refused != try.refused || !refused && res.Status >= 300 {
			t.Errorf("%s: %d %s", try.name, res.Status, res.Raw)
		}
		if try.refused {
			c.unchanged(t, try.name, before)
		}
	}
	// Many at once: row by row.
	also := c.newToken(t, user)
	res := c.Must(t, "POST", "/api/hwkey/bulk", chief.token, fields{"serials": []string{also, wanted}, "owner_id": other.id})
	rows := res["results"].([]any)
	if rows[0].(map[string]any)["result"] != "updated" || rows[1].(map[string]any)["code"] != "reauthentication_required" {
		t.Errorf("bulk: %v", rows)
	}
	// An API key never does, however fresh.
	key := c.person("qk-chief")
	for serial, want := range map[string]int{wanted: 403, c.newToken(t, user): 200} {
		if res := c.Call(t, "PATCH", "/api/hwkey/"+serial, key.token, fields{"owner_id": other.id}); res.Status != want {
			t.Errorf("an API key assigns %s: %d %s, want %d", serial, res.Status, res.Raw, want)
		}
	}
	c.Must(t, "POST", "/api/auth/reauthenticate", chief.token, fields{"password": password})
	c.Must(t, "PATCH", "/api/hwkey/"+wanted, chief.token, fields{"owner_id": other.id})
}
