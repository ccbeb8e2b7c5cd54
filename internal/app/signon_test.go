package app_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/httpapi/apitest"
)

// navigate requests an address as a browser does, without following redirects.
func (s *server) navigate(path string, cookies ...*http.Cookie) *http.Response {
	s.t.Helper()
	req, err := http.NewRequest(http.MethodGet, s.base+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, c := range cookies {
		req.AddCookie(c)
	}
	client := apitest.Client(s.t)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = res.Body.Close()
	return res
}

// TestSignOnOff: a new server has only passwords.
func TestSignOnOff(t *testing.T) {
	t.Parallel()
	s := start(t, testConfig(t, t.TempDir()))
	config := s.must(200, "GET", "/api/auth/config", "", nil)
	if config["local_login"] != true || config["oidc"].(map[string]any)["enabled"] != false ||
		config["password_policy"].(map[string]any)["min_length"] != 8.0 {
		t.Errorf("config: %v", config)
	}
	for path, more := range map[string]string{
		"/api/auth/oidc/start":                                              "",
		"/api/auth/oidc/start?return_to=//evil.test":                        "",
		"/api/auth/oidc/start?return_to=https://evil.test":                  "",
		"/api/auth/oidc/start?return_to=/signed-in":                         "&return_to=%2Fsigned-in",
		"/api/auth/oidc/start?return_to=/signed-in%23code&reauthenticate=1": "&return_to=%2Fsigned-in%23code",
		"/api/auth/oidc/callback?state=x&code=y":                            "",
		"/api/auth/oidc/callback?error=access_denied":                       "",
		"/api/auth/oidc/callback?state=%00%ff&code=%0":                      "",
	} {
		res := s.navigate(path)
		_, fragment, _ := strings.Cut(res.Header.Get("Location"), "/login#")
		want := "error=oidc_disabled"
		if strings.Contains(path, "reauthenticate") {
			want += "&reauthenticate=true"
		}
		want += "&request_id=" + res.Header.Get("X-Request-Id") + more
		if (res.StatusCode != http.StatusFound && res.StatusCode != http.StatusSeeOther) || fragment != want {
			t.Errorf("%s: %d %q, want %s", path, res.StatusCode, res.Header.Get("Location"), want)
		}
		if res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: headers %v", path, res.Header)
		}
	}
	if out := s.must(401, "POST", "/api/auth/oidc/exchange", "", map[string]any{"code": "x"}); out["code"] != "token_missing" {
		t.Errorf("exchange without a cookie: %v", out)
	}
}

// TestSignOnSettings: settings that cannot work are refused by field, and change
// nothing.
func TestSignOnSettings(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	const path = "/api/admin/settings/oidc"
	admin := w.tokens["admin"]
	before := w.must(200, "GET", path, admin, nil)
	if before["client_secret_set"] != false || before["local_login"] != true ||
		!strings.HasSuffix(before["redirect_uri"].(string), "/api/auth/oidc/callback") {
		t.Errorf("at first: %v", before)
	}
	on := func(more map[string]any) map[string]any {
		body := map[string]any{"enabled": true, "issuer": "http://127.0.0.1:1", "client_id": "keyward",
			"client_secret": "a secret", "default_role": "user"}
		for k, v := range more {
			body[k] = v
		}
		return body
	}
	for _, c := range []struct {
		field string
		body  map[string]any
	}{
		{"issuer", on(nil)}, // nothing answers there
		{"issuer", on(map[string]any{"issuer": ""})},
		{"issuer", on(map[string]any{"issuer": "http://id.example.org"})},
		{"issuer", on(map[string]any{"issuer": "https://id.example.org/?a=b"})},
		{"issuer", on(map[string]any{"issuer": "https://id.example.org/#"})},
		{"issuer", on(map[string]any{"issuer": "https://user:pw@id.example.org"})},
		{"issuer", on(map[string]any{"issuer": "ftp://id.example.org"})},
		{"client_id", on(map[string]any{"client_id": ""})},
		{"name", on(map[string]any{"name": ""})},
		{"scopes", on(map[string]any{"scopes": []string{"email"}})},
		{"scopes", on(map[string]any{"scopes": []string{"openid", "two words"}})},
		{"default_role", on(map[string]any{"default_role": "chief"})},
		{"role_mapping", on(map[string]any{"role_claim": "roles"})},
		{"role_mapping", on(map[string]any{"role_mapping": map[string]any{"a": "user"}})},
		{"role_mapping", on(map[string]any{"role_claim": "roles", "role_mapping": map[string]any{"a": "chief"}})},
		{"organization_mapping", on(map[string]any{"organization_claim": "org", "organization_mapping": map[string]any{"a": 9999}})},
		{"default_organization_id", on(map[string]any{"default_organization_id": 9999})},
		{"username_claim", on(map[string]any{"username_claim": ""})},
		{"local_login", map[string]any{"enabled": false, "local_login": false}},
	} {
		if out := w.must(400, "PUT", path, admin, c.body); !names(out, c.field) {
			t.Errorf("%v: %v, want field %s", c.body, out["errors"], c.field)
		}
	}
	w.must(403, "GET", path, w.tokens["a-org_manager"], nil)
	w.must(403, "PUT", path, w.tokens["a-user"], map[string]any{"enabled": false})
	if after := w.must(200, "GET", path, admin, nil); after["enabled"] != false || after["client_secret_set"] != false {
		t.Errorf("a refused change is stored: %v", after)
	}
	// While it is off, settings are stored if they pass the checks that need no
	// provider.
	body := on(map[string]any{"enabled": false})
	if out := w.must(200, "PUT", path, admin, body); out["client_secret_set"] != true || out["default_role"] != "user" {
		t.Errorf("stored: %v", out)
	}
	delete(body, "client_secret")
	if out := w.must(200, "PUT", path, admin, body); out["client_secret_set"] != true {
		t.Errorf("an absent secret was not kept: %v", out)
	}
	body["issuer"] = "https://elsewhere.example.org"
	if out := w.must(400, "PUT", path, admin, body); !names(out, "client_secret") {
		t.Errorf("the secret would go to another issuer: %v", out)
	}
	body["client_secret"] = ""
	if out := w.must(200, "PUT", path, admin, body); out["client_secret_set"] != false {
		t.Errorf("an empty secret did not remove it: %v", out)
	}
	var seen []string
	for _, e := range w.must(200, "GET", "/api/admin/audit?action=settings.changed", admin, nil)["items"].([]any) {
		seen = append(seen, e.(map[string]any)["details"].(string))
	}
	want := "changed: client_secret, issuer|changed: nothing|changed: client_id, client_secret, default_role, issuer"
	if got := strings.Join(seen, "|"); got != want {
		t.Errorf("audited %s, want %s", got, want)
	}
	w.noSecretLeft("a secret")
}

// issuer is a provider that only serves its metadata.
func issuer(t *testing.T) string {
	t.Helper()
	var base string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issuer": base, "authorization_endpoint": base + "/auth", "token_endpoint": base + "/token", "jwks_uri": base + "/keys",
		})
	}))
	t.Cleanup(srv.Close)
	base = srv.URL
	return base
}

// TestRoundCookie: at an https site no other host can set the cookie that binds a round
// to a browser, and one that it sets has no effect.
func TestRoundCookie(t *testing.T) {
	t.Parallel()
	provider, tossed := issuer(t), strings.Repeat("A", 43)
	for site, c := range map[string]struct {
		name, other, path string
		secure            bool
	}{
		"https://keyward.example.org": {"__Host-keyward_oidc", "keyward_oidc", "/", true},
		"https://127.0.0.1":           {"__Host-keyward_oidc", "keyward_oidc", "/", true},
		"http://keyward.example.org":  {"__Host-keyward_oidc", "keyward_oidc", "/", true},
		"http://localhost:8080":       {"keyward_oidc", "__Host-keyward_oidc", "/api/auth", false},
		"http://127.0.0.1:8080":       {"keyward_oidc", "__Host-keyward_oidc", "/api/auth", false},
	} {
		t.Run(site, func(t *testing.T) {
			t.Parallel()
			cfg := testConfig(t, t.TempDir())
			cfg.SiteURL = site
			s := start(t, cfg)
			admin := s.must(200, "POST", "/api/auth/login", "",
				map[string]any{"username": "admin", "password": adminPassword})["access_token"].(string)
			s.must(200, "PUT", "/api/admin/settings/oidc", admin,
				map[string]any{"enabled": true, "issuer": provider, "client_id": "keyward", "default_role": "user"})
			begin := func(cookies ...*http.Cookie) *http.Cookie {
				t.Helper()
				res := s.navigate("/api/auth/oidc/start", cookies...)
				set := res.Cookies()
				if !strings.HasPrefix(res.Header.Get("Location"), provider) || len(set) != 1 {
					t.Fatalf("%v", res.Header)
				}
				return set[0]
			}
			first := begin()
			if first.Name != c.name || first.Path != c.path || first.Secure != c.secure || first.Domain != "" ||
				!first.HttpOnly || first.SameSite != http.SameSiteLaxMode {
				t.Errorf("the cookie: %s", first.Raw)
			}
			if again := begin(&http.Cookie{Name: c.other, Value: tossed},
				&http.Cookie{Name: c.name, Value: first.Value}); again.Value != first.Value {
				t.Error("another tab has another secret")
			}
			if got := begin(&http.Cookie{Name: c.other, Value: tossed}); got.Value == tossed {
				t.Error("the cookie of the other name counts")
			}
			if out := s.must(401, "POST", "/api/auth/oidc/exchange", "", map[string]any{"code": "x"}); out["code"] != "token_missing" {
				t.Errorf("exchange: %v", out)
			}
		})
	}
}
