package httpapi

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/problem"
	"github.com/keyward/keyward/internal/vault"
)

// TestEveryCodeHasItsStatus: the handler's fault becomes a document with the contract's
// status, the extension members and Retry-After.
func TestEveryCodeHasItsStatus(t *testing.T) {
	t.Parallel()
	_, url := setup(t)
	for code, status := range map[fault.Code]int{
		fault.InvalidRequest: 400, fault.TokenExpired: 401, fault.PermissionDenied: 403, fault.AccountDisabled: 403,
		fault.PasswordExpired: 403, fault.LicenseRestricted: 403, fault.NotFound: 404, fault.Conflict: 409, fault.AgentNotRegistered: 409,
		fault.RotationPending: 409, fault.CSRRejected: 422, fault.CertificateRejected: 422,
		fault.AttestationFailed: 422, fault.PasswordPolicy: 422,
		fault.RateLimited: 429, fault.AccountLocked: 429, fault.VaultUnavailable: 503, fault.StorageUnavailable: 503,
		fault.DatabaseUnavailable: 503,
	} {
		res := do(t, "GET", url+"/api/test/fail/"+string(code), "", as(access.User)...)
		doc := res.Document(t)
		if res.StatusCode != status || doc.Code != string(code) || doc.RetriesLeft != 2 {
			t.Errorf("%s: %d %s", code, res.StatusCode, res.Text)
		}
		if retry := res.Header.Get("Retry-After"); (retry != "") != (status == 429 || status == 503) {
			t.Errorf("%s: Retry-After %q", code, retry)
		}
		if problem.Status(code) != status {
			t.Errorf("%s: Status is %d", code, problem.Status(code))
		}
	}
}

// TestCauseStaysInTheLog: a 500 shows only its request id, and the log has the rest
// under the same id.
func TestCauseStaysInTheLog(t *testing.T) {
	t.Parallel()
	for name, cause := range map[string]string{"plain": "closed pipe", "panic": "the secret of the panic", "no_such_code": "no_such_code"} {
		var log bytes.Buffer
		s := newServerWithTestRoutes(Options{Auth: tokens{}, Log: slog.New(slog.NewJSONHandler(&log, nil))})
		res := call(s, "GET", "/api/test/fail/"+name, as(access.User, "X-Request-Id", "request-0001")...)
		if res.Code != 500 || !strings.Contains(res.Body.String(), `"code":"internal"`) || strings.Contains(res.Body.String(), cause) {
			t.Errorf("%s: %d %s", name, res.Code, res.Body)
		}
		if !strings.Contains(log.String(), cause) || !strings.Contains(log.String(), "request-0001") || !strings.Contains(log.String(), `"level":"ERROR"`) {
			t.Errorf("%s: the log has not the cause: %s", name, log.String())
		}
	}
}

func TestAccessLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := newServerWithTestRoutes(Options{Auth: tokens{}, AccessLog: true, Log: slog.New(slog.NewJSONHandler(&log, nil))})
	call(s, "GET", "/api/test/who/x?token=hunter2&password=hunter2", as(access.User, "X-Request-Id", "request-0001", "Cookie", "a=hunter2")...)
	line := log.String()
	for _, part := range []string{
		`"request_id":"request-0001"`, `"method":"GET"`, `"operation":"get-session"`, `"path":"/api/test/who/x"`, `"status":200`,
		`"ip_address":"192.0.2.1"`, `"user_id":2`, `"session_id":12`,
	} {
		if !strings.Contains(line, part) {
			t.Errorf("%s is missing in %s", part, line)
		}
	}
	log.Reset()
	call(s, "GET", "/hunter2")
	call(s, "POST", "/api/hunter2")
	line += log.String()
	if strings.Contains(line, "hunter2") || strings.Contains(line, "Bearer") {
		t.Errorf("the log shows what may be a secret: %s", line)
	}
}

// TestAccessLogLeavesOut what load balancers and relying parties request all day,
// unless it fails.
func TestAccessLogLeavesOut(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	o := Options{Health: standing{vault: vault.Connected}, AccessLog: true, Log: slog.New(slog.NewJSONHandler(&log, nil))}
	call(New(o), "GET", "/health")
	call(New(o), "GET", "/api/health")
	if log.Len() > 0 {
		t.Errorf("logged: %s", log.String())
	}
	o.Health = standing{db: errors.New("down"), vault: vault.Connected}
	call(New(o), "GET", "/health")
	if !strings.Contains(log.String(), `"status":503`) {
		t.Errorf("a failing health check is not logged: %s", log.String())
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	_, url := setup(t)
	for _, tc := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/health", 200, ""},
		{"GET", "/api/health", 200, ""},
		{"GET", "/API/health", 200, ""},
		{"GET", "/Api/health", 200, ""},
		{"GET", "/%61pi/health", 200, ""},
		{"HEAD", "/api/health", 200, ""},
		{"GET", "/api/Health", 404, ""},
		{"GET", "/Health", 404, ""},
		{"GET", "/api", 404, ""},
		{"GET", "/api/", 404, ""},
		{"GET", "/api/health/", 404, ""},
		{"GET", "/api//health", 404, ""},
		{"GET", "//api/health", 404, ""},
		{"POST", "//api/test/public", 404, ""},
		{"GET", "/api/./health", 404, ""},
		{"GET", "/api/x/../health", 404, ""},
		{"GET", "/api/..", 404, ""},
		{"GET", "/api/%2e%2e/health", 404, ""},
		{"GET", "/api%2fhealth", 404, ""},
		{"GET", "/api/health%00", 404, ""},
		{"GET", "/apiary", 404, ""},
		{"GET", "/", 404, ""}, // without a web handler
		{"POST", "/api/health", 405, "GET, HEAD, OPTIONS"},
		{"DELETE", "/health", 405, "GET, HEAD, OPTIONS"},
		{"GET", "/api/test/public", 405, "POST, OPTIONS"},
		{"DELETE", "/api/test/who/x", 405, "GET, HEAD, OPTIONS"},
		{"BREW", "/api/health", 405, "GET, HEAD, OPTIONS"},
		{"OPTIONS", "/api/test/public", 204, "POST, OPTIONS"},
		{"OPTIONS", "/api/nothing", 404, ""},
	} {
		res := do(t, tc.method, url+tc.path, "")
		if res.StatusCode != tc.status || res.Header.Get("Allow") != tc.allow {
			t.Errorf("%s %s: %d, Allow %q\n%s", tc.method, tc.path, res.StatusCode, res.Header.Get("Allow"), res.Text)
			continue
		}
		if tc.status >= 400 {
			if code := res.Document(t).Code; code != map[int]string{404: "not_found", 405: "method_not_allowed"}[tc.status] {
				t.Errorf("%s %s: %s", tc.method, tc.path, code)
			}
		}
		if tc.method == "HEAD" && (res.Text != "" || res.ContentLength <= 0) {
			t.Errorf("HEAD %s: length %d, body %q", tc.path, res.ContentLength, res.Text)
		}
	}
}

// TestWebNeverAnswersForTheAPI, nor the API for the web.
func TestWebNeverAnswersForTheAPI(t *testing.T) {
	t.Parallel()
	s := New(Options{Web: webPage})
	for path, web := range map[string]bool{
		"/": true, "/login": true, "/apiary": true, "/api-docs": true, "/healthy": true,
		"/api": false, "/API": false, "/api/nothing": false, "/Api/Nothing": false, "/api/": false, "//": false, "/a//b": false,
	} {
		res := call(s, "GET", path)
		if got := res.Body.String() == "page"; got != web {
			t.Errorf("%s: %d %s", path, res.Code, res.Body)
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	_, url := setup(t)
	for _, path := range []string{"/api/test/public", "/api/nothing", "/api/test/who/x", "/nothing", "/api//"} {
		h := do(t, "GET", url+path, "").Header
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
			"Strict-Transport-Security": "max-age=31536000",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
	}
	plain := call(New(Options{SiteURL: "http://localhost:8080"}), "GET", "/api/nothing")
	if plain.Header().Get("Strict-Transport-Security") != "" {
		t.Error("a plain http site tells browsers to use https only")
	}
}
