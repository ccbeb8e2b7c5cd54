package oidc_test

import (
	"testing"
)

// TestMapping: role and organization follow the claims at every sign-in, whether in the
// ID token or in the user info.
func TestMapping(t *testing.T) {
	t.Parallel()
	for name, inToken := range map[string]bool{"user info": false, "ID token": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mapping(t, inToken)
		})
	}
}

func mapping(t *testing.T, inToken bool) {
	w := newWorld(t, nil, m{"claims_in_id_token": inToken})
	w.change(m{
		"role_claim": "roles", "role_mapping": m{"admins": "global_admin", "heads": "org_manager", "staff": "user"}, "default_role": nil,
		"organization_claim": "department", "organization_mapping": m{"sales": w.orgs["a"], "lab": w.orgs["b"]}, "default_organization_id": nil,
	})
	var id any
	for i, c := range []struct {
		claims     m
		role       string
		org        any
		refused    string
		stillThere bool
	}{
		{m{"roles": []string{"staff"}, "department": "sales"}, "user", w.orgs["a"], "", false},
		{m{"roles": []string{"staff", "heads"}, "department": "sales"}, "org_manager", w.orgs["a"], "", false},
		{m{"roles": "heads", "department": []string{"nowhere", "lab"}}, "org_manager", w.orgs["b"], "", false},
		{m{"roles": []string{"heads", "admins"}, "department": "lab"}, "global_admin", nil, "", false},
		{m{"roles": []string{"staff"}, "department": "lab"}, "user", w.orgs["b"], "", false},
		{m{"roles": []string{}, "department": "lab"}, "user", w.orgs["b"], "oidc_not_permitted", true},
		{m{"roles": []string{"Staff"}, "department": "lab"}, "user", w.orgs["b"], "oidc_not_permitted", true},
		{m{"roles": m{"staff": true}, "department": "lab"}, "user", w.orgs["b"], "oidc_not_permitted", true},
		{m{"roles": []string{"staff"}, "department": "cellar"}, "user", w.orgs["b"], "oidc_not_permitted", true},
		{m{"roles": []string{"staff"}, "department": "sales"}, "user", w.orgs["a"], "", false},
	} {
		w.account("nina", c.claims)
		b := newBrowser(t, w.site, "nina")
		v := b.round("")
		if v.Get("error") != c.refused {
			t.Fatalf("%d: the round ended with %v, want %q", i, v, c.refused)
		}
		if c.refused == "" {
			id = b.exchange(v)["user"].(m)["id"]
		}
		got := w.desk.must(200, "GET", "/api/admin/users/"+text(id), w.admin, nil)
		if got["role"] != c.role || got["organization_id"] != c.org {
			t.Errorf("%d: %v of %v, want %s of %v", i, got["role"], got["organization_id"], c.role, c.org)
		}
	}
	if got := w.audited("user.role_changed"); len(got) != 3 || got[2] != "success from user to org_manager" {
		t.Errorf("audited changes of the role: %q", got)
	}
	// A person whose claims map to nothing at the first sign-in gets no account.
	w.account("guest", m{"roles": []string{"guests"}})
	if v := newBrowser(t, w.site, "guest").round(""); v.Get("error") != "oidc_not_permitted" {
		t.Errorf("a guest: %v", v)
	}
	if list := w.desk.must(200, "GET", "/api/admin/users?q=guest", w.admin, nil)["items"].([]any); len(list) != 0 {
		t.Errorf("the guest has an account: %v", list)
	}
}

// TestLastAdminStays: claims never demote the last active global admin.
func TestLastAdminStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, m{"role_claim": "roles", "role_mapping": m{"admins": "global_admin"}}, nil)
	w.account("root", m{"roles": []string{"admins"}})
	b := newBrowser(t, w.site, "root")
	token := b.signIn()["access_token"].(string)
	local := w.desk.must(200, "GET", "/api/auth/me", w.admin, nil)["id"]
	b.must(200, "PATCH", "/api/admin/users/"+text(local), token, m{"is_active": false})
	w.account("root", m{"roles": []string{"staff"}})
	u := newBrowser(t, w.site, "root").signIn()["user"].(m)
	if u["role"] != "global_admin" {
		t.Errorf("the last global admin is now %v", u["role"])
	}
	b.must(200, "PATCH", "/api/admin/users/"+text(local), token, m{"is_active": true})
	if u := newBrowser(t, w.site, "root").signIn()["user"].(m); u["role"] != "user" {
		t.Errorf("one of two global admins stays %v", u["role"])
	}
}

// TestRefusedPeople: who must not get in, and which error they see.
func TestRefusedPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	w.desk.must(201, "POST", "/api/admin/users", w.admin,
		m{"username": "olaf", "email": "olaf@example.org", "password": "olaf's own password"})
	w.desk.must(200, "PATCH", "/api/admin/organizations/"+text(w.orgs["b"]), w.admin, m{"email_domains": []string{"lab.example.org"}})
	round := func(login string) string {
		t.Helper()
		return newBrowser(t, w.site, login).round("").Get("error")
	}
	want := func(what, got, code string) {
		t.Helper()
		if got != code {
			t.Errorf("%s: error %q, want %q", what, got, code)
		}
	}
	w.account("thief", m{"email": "Olaf@Example.org", "preferred_username": "olaf"})
	want("the email of a local account", round("thief"), "oidc_account_conflict")
	w.account("vague", m{"email_verified": false})
	want("an email that is not verified", round("vague"), "oidc_email_unverified")
	w.account("mute", m{"email": nil})
	want("no email", round("mute"), "oidc_email_missing")
	w.account("odd", m{"email": "odd <odd@example.org>"})
	want("an unusable email", round("odd"), "oidc_email_missing")

	// A taken username gets a number; the existing account of that name is unchanged.
	w.account("second", m{"preferred_username": "olaf"})
	u := newBrowser(t, w.site, "second").signIn()["user"].(m)
	if u["username"] != "olaf-2" {
		t.Errorf("the second olaf is called %v", u["username"])
	}
	w.desk.must(200, "PATCH", "/api/admin/users/"+text(u["id"]), w.admin, m{"is_active": false})
	want("a disabled account", round("second"), "account_disabled")

	w.change(m{"default_organization_id": w.orgs["b"]})
	w.account("outsider", nil)
	want("an email outside the organization's domains", round("outsider"), "oidc_email_refused")
	w.account("insider", m{"email": "insider@lab.example.org"})
	newBrowser(t, w.site, "insider").signIn()
	w.desk.must(200, "PATCH", "/api/admin/organizations/"+text(w.orgs["b"]), w.admin, m{"is_active": false})
	want("a disabled organization", round("insider"), "oidc_organization_disabled")

	w.change(m{"default_organization_id": w.orgs["a"]})
	w.account("early", nil)
	newBrowser(t, w.site, "early").signIn()
	w.endTrial()
	w.account("late", nil)
	want("a new account when the trial is over", round("late"), "license_restricted")
	if got := w.audited("auth.login")[0]; got != "failure method oidc: no account, and none is added: the license restricts the installation" {
		t.Errorf("audited: %q", got)
	}
	newBrowser(t, w.site, "early").signIn()

	w.change(m{"create_users": false})
	w.account("stranger", nil)
	want("no account, and none is made", round("stranger"), "oidc_no_account")
	w.change(m{"enabled": false})
	want("switched off", newBrowser(t, w.site, "insider").round("").Get("error"), "oidc_disabled")
	for _, line := range w.audited("auth.login") {
		if len(line) > 8 && line[:8] == "failure " {
			return
		}
	}
	t.Error("no refusal is in the audit log")
}

// TestLocalLoginOff: passwords are then only for global administrators.
func TestLocalLoginOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	w.desk.must(201, "POST", "/api/admin/users", w.admin,
		m{"username": "olaf", "email": "olaf@example.org", "password": "olaf's own password"})
	login := func(name, password string) (int, any) {
		status, out := w.desk.call("POST", "/api/auth/login", "", m{"username": name, "password": password})
		return status, out["code"]
	}
	if status, _ := login("olaf", "olaf's own password"); status != 200 {
		t.Fatalf("before: %d", status)
	}
	w.change(m{"local_login": false})
	if got := w.desk.must(200, "GET", "/api/auth/config", "", nil); got["local_login"] != false {
		t.Errorf("config: %v", got)
	}
	if status, code := login("olaf", "olaf's own password"); status != 403 || code != "permission_denied" {
		t.Errorf("a good password: %d %v", status, code)
	}
	if status, code := login("olaf", "a wrong password"); status != 401 || code != "invalid_credentials" {
		t.Errorf("a bad password tells: %d %v", status, code)
	}
	if status, _ := login("admin", adminPassword); status != 200 {
		t.Errorf("a global admin: %d", status)
	}
	w.account("nina", nil)
	newBrowser(t, w.site, "nina").signIn()
	if status, code := login("nina", ""); status == 200 {
		t.Errorf("an account without a password: %d %v", status, code)
	}
	w.change(m{"enabled": false, "local_login": true})
	if status, _ := login("olaf", "olaf's own password"); status != 200 {
		t.Errorf("after: %d", status)
	}
}

// TestDirectoryClaims: UPN and SID follow the claims, wherever these stand; another's name
// keeps nobody out.
func TestDirectoryClaims(t *testing.T) {
	t.Parallel()
	for name, inToken := range map[string]bool{"user info": false, "ID token": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, m{"upn_claim": "upn", "sid_claim": "sid"}, m{"claims_in_id_token": inToken})
			const sid = "S-1-5-21-1-2-3-1104"
			w.account("olaf", m{"upn": "olaf@corp.example"})
			newBrowser(t, w.site, "olaf").signIn()
			for _, c := range []struct {
				claims m
				want   string
			}{
				{m{"upn": "nina@corp.example", "sid": sid}, "nina@corp.example " + sid},
				{m{"upn": "Olaf@Corp.example", "sid": "S-1-5-18"}, "nina@corp.example " + sid},
				{nil, "nina@corp.example " + sid},
				{m{"upn": "nina.b@corp.example", "sid": sid}, "nina.b@corp.example " + sid},
			} {
				w.account("nina", c.claims)
				u := newBrowser(t, w.site, "nina").signIn()["user"].(m)
				if got := text(u["upn"]) + " " + text(u["sid"]); got != c.want {
					t.Errorf("with %v: %s, want %s", c.claims, got, c.want)
				}
			}
			if got := w.audited("user.updated"); len(got) < 2 || got[0] != "success UPN from nina@corp.example to nina.b@corp.example" {
				t.Errorf("audited: %q", got)
			}
		})
	}
}
