package app_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestDisabledOrganization: its members are signed out at once and stay out, nobody
// else is, and what relying parties need continues.
func TestDisabledOrganization(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	admin := w.tokens["admin"]
	refresh := w.must(200, "POST", "/api/auth/login", "", credentials("a-user", usual))["refresh_token"]
	if o := w.must(200, "PATCH", w.organizationPath("a"), admin, fields{"is_active": false}); o["is_active"] != false {
		t.Errorf("disabled: %v", o)
	}
	for _, name := range []string{"a-user", "a-org_manager"} {
		w.refused(401, "session_not_found", "GET", "/api/auth/me", w.tokens[name], nil)
		out := w.refused(403, "account_disabled", "POST", "/api/auth/login", "", credentials(name, usual))
		if !strings.Contains(fmt.Sprint(out["detail"]), "organization") {
			t.Errorf("the detail does not tell why: %v", out["detail"])
		}
		out = w.refused(401, "invalid_credentials", "POST", "/api/auth/login", "", credentials(name, "a wrong password"))
		if strings.Contains(fmt.Sprint(out), "organization") {
			t.Errorf("a wrong password tells: %v", out)
		}
	}
	w.refused(401, "token_invalid", "POST", "/api/auth/refresh", "", fields{"refresh_token": refresh})
	w.refused(403, "account_disabled", "POST", "/api/auth/password", "",
		fields{"username": "a-user", "current_password": usual, "new_password": "another password"})
	w.must(200, "GET", "/api/auth/me", w.tokens["b-user"], nil)
	w.must(200, "POST", "/api/auth/login", "", credentials("b-user", usual))
	w.must(200, "GET", "/api/hwkey/10000", admin, nil)
	if status, _ := w.call("GET", "/api/pki/crl", "", nil); status != 200 {
		t.Errorf("the CRL: %d", status)
	}
	w.refused(400, "invalid_request", "POST", "/api/admin/users", admin,
		fields{"username": "n", "email": "n@example.org", "password": usual, "organization_id": w.ids["a"]})
	if got := w.audited("admin", "session.ended"); len(got) != 3 || !strings.HasPrefix(got[0], "admin: ") {
		t.Errorf("session.ended: %q", got)
	}

	w.must(200, "PATCH", w.organizationPath("a"), admin, fields{"is_active": true})
	w.refused(401, "session_not_found", "GET", "/api/auth/me", w.tokens["a-user"], nil)
	w.signIn("a-user", usual)
	w.signIn("a-org_manager", usual)
	for action, want := range map[string]int{"organization.disabled": 1, "organization.enabled": 1} {
		if got := w.audited("a-org_manager", action); len(got) != want {
			t.Errorf("%s: %q", action, got)
		}
	}
}

// TestCheckThreeKnowsTheOrganization: a session that is still live, as a restore or
// another writer of the database may leave it, does not help.
func TestCheckThreeKnowsTheOrganization(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	login := w.must(200, "POST", "/api/auth/login", "", credentials("a-user", usual))
	w.execute("UPDATE organizations SET is_active = FALSE WHERE id = ?", w.ids["a"])
	w.refused(403, "account_disabled", "GET", "/api/auth/me", w.tokens["a-user"], nil)
	w.refused(403, "account_disabled", "GET", "/api/admin/users", w.tokens["a-user"], nil) // before permission
	w.must(200, "GET", "/api/auth/me", w.tokens["b-user"], nil)
	w.execute("UPDATE organizations SET is_active = TRUE WHERE id = ?", w.ids["a"])
	w.must(200, "GET", "/api/auth/me", w.tokens["a-user"], nil)

	w.execute("UPDATE organizations SET is_active = FALSE WHERE id = ?", w.ids["a"])
	w.refused(403, "account_disabled", "POST", "/api/auth/refresh", "", fields{"refresh_token": login["refresh_token"]})
	w.execute("UPDATE organizations SET is_active = TRUE WHERE id = ?", w.ids["a"])
	w.refused(401, "session_not_found", "GET", "/api/auth/me", login["access_token"].(string), nil) // that refresh ended it
}

// TestChangedOrganization: name and email domains.
func TestChangedOrganization(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	admin := w.tokens["admin"]
	o := w.must(200, "PATCH", w.organizationPath("a"), admin,
		fields{"name": "Ácme", "email_domains": []string{" Example.ORG ", "example.com", "example.org"}})
	if o["name"] != "Ácme" || fmt.Sprint(o["email_domains"]) != "[example.org example.com]" || o["is_active"] != true {
		t.Errorf("changed: %v", o)
	}
	w.must(200, "PATCH", w.userPath("a-user"), w.tokens["a-org_manager"],
		fields{"email": "a-user@example.com", "revoke_certificates": false})
	out := w.refused(409, "conflict", "PATCH", w.organizationPath("a"), admin, fields{"email_domains": []string{"example.org"}})
	if !reflect.DeepEqual(out["params"], map[string]any{"reason": "emails_outside", "count": 1.0}) {
		t.Errorf("it does not tell how many: %v", out["params"])
	}
	before := o["updated_at"]
	o = w.must(200, "PATCH", w.organizationPath("a"), admin, fields{"name": "Ácme"}) // unchanged: no write
	if o["updated_at"] != before || len(w.audited("admin", "organization.updated")) != 2 {
		t.Errorf("nothing changed, and it is written: %v, %q", o, w.audited("admin", "organization.updated"))
	}
	w.must(200, "PATCH", w.organizationPath("b"), admin, fields{"is_active": false})
	for query, want := range map[string]int{"is_active=false": 1, "is_active=true": 1, "q=%C3%A1CM": 1,
		"q=org": 1, "q=org&is_active=true": 0} {
		if got := len(w.must(200, "GET", "/api/admin/organizations?"+query, admin, nil)["items"].([]any)); got != want {
			t.Errorf("%s: %d organizations, want %d", query, got, want)
		}
	}
	o = w.must(200, "PATCH", w.organizationPath("a"), admin, fields{"email_domains": nil})
	if fmt.Sprint(o["email_domains"]) != "[]" {
		t.Errorf("cleared: %v", o["email_domains"])
	}
}
