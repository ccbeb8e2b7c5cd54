package roles

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestKeyRevokedWhileUnderWay is TestDismissedWhileUnderWay with an API key that is
// revoked.
func TestKeyRevokedWhileUnderWay(t *testing.T) {
	t.Parallel()
	c := newFixture(t)
	id, token := c.newKey(t, &person{name: "qk-leaver", role: globalAdmin})
	req := c.request(t, "POST", "/api/admin/users", token, fields{"username": "x-made", "email": "x-made@example.org"})
	status, raw, before := c.heldOpen(t, req, dismissal{"DELETE", "/api/admin/api-keys/" + id, nil})
	if status != http.StatusUnauthorized || !strings.Contains(raw, "token_invalid") {
		t.Errorf("%d %s, want 401 token_invalid", status, raw)
	}
	c.unchanged(t, "the revoked key", before)
}

// TestLessenedWhileUnderWay is the same with managers who stay, but may no longer do
// this, or not here, or not in this session. Only the last check stops their requests:
// it uses only the database, in the scope with which they were admitted.
func TestLessenedWhileUnderWay(t *testing.T) {
	t.Parallel()
	c := newFixture(t)
	for _, try := range []struct {
		name string
		by   func(id, session int) dismissal
		want string
	}{
		{"left alone", func(int, int) dismissal { return dismissal{"GET", "/api/auth/me", nil} }, `200 "label":"by x-left-alone"`},
		{"demoted", func(id, _ int) dismissal {
			return dismissal{"PATCH", fmt.Sprint("/api/admin/users/", id), fields{"role": user}}
		}, `401 "session_not_found"`},
		{"moved", func(id, _ int) dismissal {
			return dismissal{"PATCH", fmt.Sprint("/api/admin/users/", id), fields{"organization_id": c.orgs["b"]}}
		}, `401 "session_not_found"`},
		{"signed out", func(_, session int) dismissal {
			return dismissal{"DELETE", fmt.Sprint("/api/auth/sessions/", session), nil}
		}, `401 "session_not_found"`},
	} {
		name := "x-" + strings.ReplaceAll(try.name, " ", "-")
		id := number(c.Must(t, "POST", "/api/admin/users", c.root().token, fields{"username": name, "email": name + "@example.org",
			"password": password, "role": orgManager, "organization_id": c.orgs["a"]})["id"])
		token, session := c.SignIn(t, name, password)
		req := c.request(t, "PATCH", "/api/hwkey/"+c.person("qz-a-user").serial, token, fields{"label": "by " + name})
		status, raw, before := c.heldOpen(t, req, try.by(id, session))
		code, text, _ := strings.Cut(try.want, " ")
		if fmt.Sprint(status) != code || !strings.Contains(raw, text) {
			t.Errorf("%s: %d %s, want %s", try.name, status, raw, try.want)
		}
		if status >= 300 {
			c.unchanged(t, try.name, before)
		}
	}
}
