package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/config"
)

// browser is what a page of some origin can make a browser send: cookies are sent
// automatically.
type browser struct {
	*server
	cookie string
}

// post sends a body as the given type; header are names and values.
func (b *browser) post(path, contentType, body string, header ...string) *http.Response {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.base+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if b.cookie != "" {
		req.Header.Set("Cookie", b.cookie)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// origin is what the address bar shows.
func (s *server) origin() string { return strings.Replace(s.base, "127.0.0.1", "localhost", 1) }

func signInAsPage(t *testing.T, change ...func(*config.Config)) *browser {
	t.Helper()
	cfg := testConfig(t, t.TempDir())
	for _, c := range change {
		c(&cfg)
	}
	b := &browser{server: start(t, cfg)}
	res := b.post("/api/auth/login", "application/json", `{"username":"admin","password":"`+adminPassword+`"}`, "X-Keyward-Client", "web", "Origin", b.origin())
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%d %s %v", res.StatusCode, raw, err)
	}
	cookies := res.Cookies()
	if len(cookies) != 2 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode ||
		cookies[0].Path != "/api/auth" || cookies[0].Domain != "" {
		t.Fatalf("cookies %v", cookies)
	}
	// The part that scripts may read names the session, but gives no access.
	var grant struct {
		SessionID int64 `json:"session_id"`
	}
	if err := json.Unmarshal(raw, &grant); err != nil || grant.SessionID == 0 {
		t.Fatalf("%s %v", raw, err)
	}
	ends := cookies[0].Expires.Format(http.TimeFormat)
	want := fmt.Sprintf("keyward_session=%d; Path=/; Expires=%s; SameSite=Strict", grant.SessionID, ends)
	if hint := cookies[1]; hint.String() != want {
		t.Errorf("the hint is %s", hint)
	}
	if strings.Contains(string(raw), "refresh_token") || strings.Contains(string(raw), cookies[0].Value) {
		t.Error("a script can read the refresh token")
	}
	b.cookie = cookies[0].Name + "=" + cookies[0].Value
	return b
}

// TestCookieAloneDoesNothing: another site's page may get the cookie sent along (an old
// browser, a sister site), but gains nothing by it, nor uses up or ends the person's
// session.
func TestCookieAloneDoesNothing(t *testing.T) {
	t.Parallel()
	b := signInAsPage(t)
	web := []string{"X-Keyward-Client", "web"}
	for name, tc := range map[string]struct {
		path, contentType, body string
		header                  []string
		status                  int
	}{
		"refresh, foreign origin": {"/api/auth/refresh", "", "", append(web, "Origin", "https://evil.example"), 403},
		"refresh, another port":   {"/api/auth/refresh", "", "", append(web, "Origin", b.origin()+"0"), 403},
		"refresh, https of the same": {"/api/auth/refresh", "", "",
			append(web, "Origin", strings.Replace(b.origin(), "http:", "https:", 1)), 403},
		"refresh, null origin":    {"/api/auth/refresh", "", "", append(web, "Origin", "null"), 403},
		"refresh, no origin":      {"/api/auth/refresh", "", "", web, 403},
		"refresh, no header":      {"/api/auth/refresh", "", "", []string{"Origin", b.origin()}, 400},
		"refresh, another header": {"/api/auth/refresh", "", "", []string{"Origin", b.origin(), "X-Keyward-Client", "Web"}, 400},
		"refresh, a form": {"/api/auth/refresh", "application/x-www-form-urlencoded", "refresh_token=x", []string{"Origin",
			"https://evil.example"}, 415},
		"logout":                  {"/api/auth/logout", "", "", []string{"Origin", "https://evil.example"}, 401},
		"logout, with the header": {"/api/auth/logout", "", "", append(web, "Origin", b.origin()), 401},
		"sign-in by a form":       {"/api/auth/login", "text/plain", `{"username":"admin","password":"` + adminPassword + `"}`, []string{"Origin", "https://evil.example"}, 415},
		"an administrator's deed": {"/api/admin/users", "text/plain", `{"username":"x"}`, []string{"Origin", "https://evil.example"}, 401},
	} {
		res := b.post(tc.path, tc.contentType, tc.body, tc.header...)
		if res.StatusCode != tc.status {
			raw, _ := io.ReadAll(res.Body)
			t.Errorf("%s: %d %s, want %d", name, res.StatusCode, raw, tc.status)
		}
		if reader := res.Header.Get("Access-Control-Allow-Origin"); len(res.Cookies()) > 0 || reader != "" && reader != b.origin() {
			t.Errorf("%s: %v", name, res.Header)
		}
	}
	// None of it has used the cookie up.
	if res := b.post("/api/auth/refresh", "", "", append(web, "Origin", b.origin())...); res.StatusCode != http.StatusOK ||
		len(res.Cookies()) != 2 {
		t.Errorf("the page itself: %d", res.StatusCode)
	}
}

// refresh asks for new tokens as a page of ours does, with these cookies.
func (b *browser) refresh(cookie string, header ...string) *http.Response {
	b.t.Helper()
	b.cookie = cookie
	return b.post("/api/auth/refresh", "", "", append([]string{"X-Keyward-Client", "web", "Origin", b.origin()}, header...)...)
}

// TestPlantedCookie: anyone who can set a cookie for the site, from another host of the
// domain or another port of the machine, cannot sign the person in as somebody else.
// Over https the prefix __Host- keeps such a cookie from being set at all, and no other
// name counts; where it could be set, two are refused.
func TestPlantedCookie(t *testing.T) {
	t.Parallel()
	b := signInAsPage(t, func(c *config.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	own := b.cookie
	name, _, _ := strings.Cut(own, "=")
	if name != "keyward_refresh" {
		t.Fatalf("on loopback the cookie is %s", name)
	}
	planted := b.post("/api/auth/login", "application/json", `{"username":"admin","password":"`+adminPassword+`"}`,
		"X-Keyward-Client", "web").Cookies()[0].Value
	for _, cookies := range []string{own + "; keyward_refresh=" + planted, "keyward_refresh=" + planted + "; " + own, own + "; " + own} {
		if res := b.refresh(cookies); res.StatusCode != http.StatusBadRequest {
			t.Errorf("two cookies: %d", res.StatusCode)
		}
	}
	https := []string{"X-Forwarded-Proto", "https"} // from the proxy on this machine
	if res := b.refresh(own, https...); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("the name without a prefix counts over https: %d", res.StatusCode)
	}
	if res := b.refresh("__Host-" + own); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("the name with the prefix counts on loopback: %d", res.StatusCode)
	}
	res := b.refresh("__Host-"+own+"; keyward_refresh="+planted, https...)
	if got := res.Cookies(); res.StatusCode != http.StatusOK || len(got) != 2 || got[0].Name != "__Host-keyward_refresh" ||
		got[0].Path != "/" || got[1].Name != "__Host-keyward_session" || !got[1].Secure || got[1].Domain != "" ||
		!got[0].Secure || !got[0].HttpOnly || got[0].SameSite != http.SameSiteStrictMode || got[0].Domain != "" {
		t.Errorf("over https: %d %v", res.StatusCode, got)
	}
}
