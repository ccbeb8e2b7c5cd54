package roles

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/engine"
)

// TestKeyMakesNoSignIn: nobody can sign in to accounts created by an API key until a
// person with recent authentication invites their owner. A password chosen by the key
// would outlive the key.
func TestKeyMakesNoSignIn(t *testing.T) {
	t.Parallel()
	c := newFixture(t)
	for _, name := range []string{"qk-chief", "qk-a-manager"} {
		key := c.person(name)
		body := c.inOwn(key, fields{"username": "x-" + name, "email": "x-" + name + "@example.org", "password": password})
		if res := c.Call(t, "POST", "/api/admin/users", key.token, body); res.Status != 403 || res.Body["code"] != "permission_denied" {
			t.Errorf("%s makes an account with a password: %d %s", name, res.Status, res.Raw)
		}
		delete(body, "password")
		made := c.Must(t, "POST", "/api/admin/users", key.token, body)
		if made["waiting"] != true || made["role"] != "user" || made["must_change_password"] != false {
			t.Errorf("%s made %v", name, made)
		}
		for _, guess := range []string{"", " ", password} {
			if res := c.Call(t, "POST", "/api/auth/login", "", fields{"username": body["username"], "password": guess}); res.Status == 200 {
				t.Errorf("the account opens with %q", guess)
			}
		}
		path := fmt.Sprint("/api/admin/users/", made["id"], "/invite")
		if res := c.Call(t, "POST", path, key.token, nil); res.Status != 403 || res.Body["code"] != "permission_denied" {
			t.Errorf("%s invites: %d %s", name, res.Status, res.Raw)
		}
		c.stale(t, c.person("qz-chief"))
		if res := c.Call(t, "POST", path, c.person("qz-chief").token, nil); res.Body["code"] != "reauthentication_required" {
			t.Errorf("a stale session invites: %d %s", res.Status, res.Raw)
		}
	}
}

// TestInvitation: the link works once, within 24 hours, for an account without a
// password, and only the newest is valid.
func TestInvitation(t *testing.T) {
	t.Parallel()
	c := newFixture(t)
	manager := c.person("qz-a-manager")
	made := c.Must(t, "POST", "/api/admin/users", manager.token, fields{"username": "x-new", "email": "x-new@example.org"})
	id := fmt.Sprint(number(made["id"]))
	invite := func() (token string) {
		out := c.Must(t, "POST", "/api/admin/users/"+id+"/invite", manager.token, nil)
		link, err := url.Parse(out["url"].(string))
		if err != nil || link.Path != "/invitation" || link.RawQuery != "" || !strings.HasPrefix(link.Fragment, "token=") {
			t.Fatalf("the link %v: %v", out["url"], err)
		}
		return strings.TrimPrefix(link.Fragment, "token=")
	}
	take := func(token, pass string) string {
		res := c.Call(t, "POST", "/api/auth/invitation", "", fields{"token": token, "password": pass})
		if res.Status == 200 {
			return "ok"
		}
		return res.Body["code"].(string)
	}
	expect := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	former, token := invite(), invite()
	if whose := c.Must(t, "POST", "/api/auth/invitation/account", "", fields{"token": token}); whose["username"] != "x-new" {
		t.Errorf("whose the invitation is: %v", whose)
	}
	if res := c.Call(t, "POST", "/api/auth/invitation/account", "", fields{"token": former}); res.Body["code"] != "token_invalid" {
		t.Errorf("whose a former one was: %d %s", res.Status, res.Raw)
	}
	expect("a guess", take("guess", password), "token_invalid")
	expect("a former one", take(former, password), "token_invalid")
	expect("a weak password", take(token, "x"), "password_policy")
	c.Must(t, "PATCH", "/api/admin/users/"+id, manager.token, fields{"is_active": false})
	expect("a disabled account", take(token, password), "token_invalid")
	c.Must(t, "PATCH", "/api/admin/users/"+id, manager.token, fields{"is_active": true})
	expect("an enabled one", take(token, password), "token_invalid")
	token = invite()
	c.execute(t, "UPDATE invitations SET expires_at = expires_at - 86400000000")
	expect("the next day", take(token, password), "token_expired")
	token = invite()
	expect("the newest", take(token, password), "ok")
	expect("again", take(token, "another "+password), "token_invalid")
	c.Must(t, "POST", "/api/auth/login", "", fields{"username": "x-new", "password": password})
	if res := c.Call(t, "POST", "/api/admin/users/"+id+"/invite", manager.token, nil); res.Status != 409 {
		t.Errorf("an account with a password is invited: %d %s", res.Status, res.Raw)
	}
	if res := c.Call(t, "GET", "/api/admin/audit?action=user.invited&target="+id, manager.token, nil); len(res.Body["items"].([]any)) != 4 {
		t.Errorf("user.invited: %s", res.Raw)
	}
	if raw := c.Call(t, "GET", "/api/admin/audit?limit=500", c.root().token, nil).Raw; strings.Contains(raw, token) {
		t.Error("the audit log holds the token")
	}
	// A password set by a manager also ends the invitation.
	second := c.Must(t, "POST", "/api/admin/users", manager.token, fields{"username": "x-second", "email": "x-second@example.org"})
	id = fmt.Sprint(number(second["id"]))
	token = invite()
	c.Must(t, "POST", "/api/admin/users/"+id+"/reset-password", manager.token, fields{})
	expect("after a reset", take(token, password), "token_invalid")
}

// TestPromotion: the manager who created an account cannot access it after its
// promotion. Its invitation and its sessions end with its role, and the other global
// administrators are notified.
func TestPromotion(t *testing.T) {
	t.Parallel()
	c := newFixture(t)
	manager, chief := c.person("qz-a-manager"), c.person("qz-chief")
	made := c.Must(t, "POST", "/api/admin/users", manager.token, fields{"username": "x-rising", "email": "x-rising@example.org"})
	id := fmt.Sprint(number(made["id"]))
	token := c.invited(t, id)
	rising, name := c.newAccount(t, c.person("qz-a-user"))
	session, _ := c.SignIn(t, name, password)
	for _, one := range []string{id, rising} {
		c.Must(t, "PATCH", "/api/admin/users/"+one, chief.token, fields{"role": "global_admin", "organization_id": nil})
	}
	res := c.Call(t, "POST", "/api/auth/invitation", "", fields{"token": token, "password": password})
	if res.Body["code"] != "token_invalid" {
		t.Errorf("the invitation made before: %d %s", res.Status, res.Raw)
	}
	if res := c.Call(t, "GET", "/api/auth/me", session, nil); res.Body["code"] != "session_not_found" {
		t.Errorf("the session from before: %d %s", res.Status, res.Raw)
	}
	rose, _ := c.SignIn(t, name, password)
	// Nor does a password that the manager set and therefore knows.
	set := c.Must(t, "POST", "/api/admin/users", manager.token,
		fields{"username": "x-set", "email": "x-set@example.org", "password": password, "must_change_password": true})
	c.Must(t, "PATCH", "/api/admin/users/"+fmt.Sprint(number(set["id"])), chief.token, fields{"role": "org_manager"})
	res = c.Call(t, "POST", "/api/auth/password", "",
		fields{"username": "x-set", "current_password": password, "new_password": password + "2"})
	if res.Body["code"] != "invalid_credentials" {
		t.Errorf("the password that a manager set: %d %s", res.Status, res.Raw)
	}
	// The first one was also notified of qz-chief.
	for who, want := range map[string]int{c.root().token: 3, chief.token: 2, rose: 0, manager.token: 0} {
		if n := strings.Count(c.Call(t, "GET", "/api/notices?limit=500", who, nil).Raw, `"kind":"admin_added"`); n != want {
			t.Errorf("told %d times of new global administrators, want %d", n, want)
		}
	}
}

// execute changes the database from outside.
func (c *fixture) execute(t *testing.T, statement string, args ...any) {
	t.Helper()
	engine.Execute(t, c.data, statement, args...)
}
