package httpapi

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/keyward/keyward/internal/access"
)

// TestOrderOfChecks: the earliest failing check decides the response. Each row fails
// every later check as well: the body of all but the last is not JSON, too long, and of
// the wrong type.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	_, url := setup(t)
	for _, tc := range []struct {
		name, bearer, body, media string
		status                    int
		code                      string
	}{
		{"no token", "", "{", "text/plain", 401, "token_missing"},
		{"bad signature", "Bearer token_invalid", "{", "text/plain", 401, "token_invalid"},
		{"expired", "Bearer token_expired", "{", "text/plain", 401, "token_expired"},
		{"another scheme", "Basic dXNlcjpwYXNz", "{", "text/plain", 401, "token_invalid"},
		{"no session", "Bearer session_not_found", "{", "text/plain", 401, "session_not_found"},
		{"disabled", "Bearer account_disabled", "{", "text/plain", 403, "account_disabled"},
		{"user", "Bearer user", "{", "text/plain", 403, "permission_denied"},
		{"manager", "Bearer org_manager", "{", "text/plain", 403, "permission_denied"},
		{"wrong media type", "Bearer global_admin", "{", "text/plain", 415, "unsupported_media_type"},
		{"bad body", "Bearer global_admin", "{", "application/json", 400, "invalid_request"},
		{"all is well", "bearer global_admin", `{"name":"x"}`, "application/json", 200, ""},
	} {
		headers := []string{"Content-Type", tc.media}
		if tc.bearer != "" {
			headers = append(headers, "Authorization", tc.bearer)
		}
		res := do(t, "POST", url+"/api/test/admin", tc.body, headers...)
		if res.StatusCode != tc.status {
			t.Errorf("%s: %d %s", tc.name, res.StatusCode, res.Text)
			continue
		}
		if tc.code != "" && res.Document(t).Code != tc.code {
			t.Errorf("%s: %s", tc.name, res.Text)
		}
		if got := res.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control %q", tc.name, got)
		}
		if challenge := res.Header.Get("WWW-Authenticate"); (challenge != "") != (tc.status == 401) {
			t.Errorf("%s: WWW-Authenticate %q", tc.name, challenge)
		}
	}
}

// TestLargeBodyWithoutToken: the 401 needs not a byte of it.
func TestLargeBodyWithoutToken(t *testing.T) {
	t.Parallel()
	_, url := setup(t)
	res := do(t, "POST", url+"/api/test/admin", string(make([]byte, 2<<20)), asJSON...)
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("%d %s", res.StatusCode, res.Text)
	}
}

func TestTwoAuthorizationHeaders(t *testing.T) {
	t.Parallel()
	_, url := setup(t)
	res := do(t, "GET", url+"/api/test/who/x", "", "Authorization", "Bearer user", "Authorization", "Bearer global_admin")
	if res.StatusCode != http.StatusUnauthorized || res.Document(t).Code != "token_invalid" {
		t.Errorf("%d %s", res.StatusCode, res.Text)
	}
}

func TestDenialIsHeard(t *testing.T) {
	t.Parallel()
	var heard atomic.Pointer[access.Actor]
	_, url := setup(t, func(o *Options) {
		o.OnDenied = func(_ context.Context, a access.Actor, d Denial) {
			if d.Operation != "create-organization" {
				t.Errorf("operation %s", d.Operation)
			}
			heard.Store(&a)
		}
	})
	do(t, "POST", url+"/api/test/admin", "", as(access.GlobalAdmin, asJSON...)...)
	do(t, "POST", url+"/api/test/admin", "", asJSON...)
	if heard.Load() != nil {
		t.Error("heard of something that is no denial")
	}
	do(t, "POST", url+"/api/test/admin", "{}", as(access.User, "Content-Type", "application/json", "X-Request-Id", "request-0001")...)
	if a := heard.Load(); a == nil || a.UserID != 2 || a.RequestID != "request-0001" || a.IPAddress != "127.0.0.1" {
		t.Errorf("heard %+v", a)
	}
}

// TestActorAndScope: the handler sees the actor and what they may reach.
func TestActorAndScope(t *testing.T) {
	t.Parallel()
	_, url := setup(t)
	for role, want := range map[access.Role]string{
		access.GlobalAdmin: `{"agent":"tester","https":false,"ip":"127.0.0.1","organization":0,"reach":3,"request_id":"request-0001","user":1}`,
		access.OrgManager:  `{"agent":"tester","https":false,"ip":"127.0.0.1","organization":7,"reach":2,"request_id":"request-0001","user":2}`,
		access.User:        `{"agent":"tester","https":false,"ip":"127.0.0.1","organization":0,"reach":1,"request_id":"request-0001","user":2}`,
	} {
		res := do(t, "GET", url+"/api/test/who/x", "", as(role, "X-Request-Id", "request-0001", "User-Agent", "tester")...)
		if res.Text != want+"\n" {
			t.Errorf("%s: %s", role, res.Text)
		}
	}
	if got := ActorFrom(context.Background()); got.Known() || ScopeFrom(context.Background()) != (access.Scope{}) {
		t.Error("a context without a request has an actor")
	}
}
