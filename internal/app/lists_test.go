package app_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestListsOfCertificates: order, filter and owner of what each may see, page
// after page.
func TestListsOfCertificates(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.signIn("b-user", usual)
	w.registerAgent(w.tokens["b-user"], w.sessions["b-user"])
	other := w.must(200, "POST", "/api/hwkey/10001/sign-csr", w.tokens["b-user"],
		map[string]any{"csr": request(t, "b-user", nil)})["serial_number"].(string)
	w.must(200, "POST", "/api/certificates/"+w.serial+"/installed", w.tokens["a-user"], nil)
	for _, c := range []struct {
		who, query string
		want       []string
	}{
		{"admin", "", []string{other, w.serial}},
		{"admin", "sort=-issued", []string{other, w.serial}},
		{"admin", "sort=not_after", []string{w.serial, other}},
		{"admin", "sort=-not_after&status=issued", []string{other, w.serial}},
		{"admin", "sort=not_after&status=revoked", nil},
		{"admin", "installed=true", []string{w.serial}},
		{"admin", "installed=false&sort=not_after", []string{other}},
		{"b-org_manager", "sort=not_after", []string{other}},
		{"a-org_manager", "installed=false", nil},
		{"a-user", "sort=-not_after", []string{w.serial}},
		{"b-user", "installed=false&sort=-not_after", []string{other}},
	} {
		var got []string
		for cursor := ""; ; {
			out := w.must(200, "GET", "/api/certificates?limit=1&"+c.query+cursor, w.tokens[c.who], nil)
			for _, item := range out["items"].([]any) {
				m := item.(map[string]any)
				got = append(got, m["serial_number"].(string))
				owner := m["owner"].(map[string]any)
				if name := m["common_name"].(string); owner["username"] != name || owner["id"] != w.ids[name] {
					t.Errorf("the owner of the certificate of %s: %v", name, owner)
				}
			}
			if out["next_cursor"] == nil {
				break
			}
			cursor = fmt.Sprint("&cursor=", out["next_cursor"])
		}
		if strings.Join(got, " ") != strings.Join(c.want, " ") {
			t.Errorf("%s ?%s: %v, want %v", c.who, c.query, got, c.want)
		}
	}
}

// TestListOfLocked: whoever failed too often is on the list, of those who
// look after that person alone, until somebody unlocks.
func TestListOfLocked(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	locked := func(who string) string {
		t.Helper()
		var names []string
		for _, u := range w.must(200, "GET", "/api/admin/users?locked=true", w.tokens[who], nil)["items"].([]any) {
			names = append(names, u.(map[string]any)["username"].(string))
		}
		return strings.Join(names, " ")
	}
	if got := locked("admin"); got != "" {
		t.Errorf("locked at first: %s", got)
	}
	for range 6 {
		_, _ = w.call("POST", "/api/auth/login", "", map[string]any{"username": "a-user", "password": "wrong"})
	}
	for who, want := range map[string]string{"admin": "a-user", "a-org_manager": "a-user", "b-org_manager": ""} {
		if got := locked(who); got != want {
			t.Errorf("locked, for %s: %q, want %q", who, got, want)
		}
	}
	w.must(200, "POST", fmt.Sprint("/api/admin/users/", w.ids["a-user"], "/unlock"), w.tokens["a-org_manager"], nil)
	if got := locked("a-org_manager"); got != "" {
		t.Errorf("locked after unlocking: %s", got)
	}
}
