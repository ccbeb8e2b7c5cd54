package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/smtpserver"
)

// TestMailByToken: at an SMTP server that only takes access tokens, a server signs in
// with its file's current token, under the configured name.
func TestMailByToken(t *testing.T) {
	t.Parallel()
	post, file := smtpserver.Start(t), filepath.Join(t.TempDir(), "token")
	const first, second = "the first access token", "the second access token"
	takes := func(token string) {
		post.Be(t, smtpserver.Behaviour{User: "keyward", Password: token, Ways: &[]string{"XOAUTH2"}, RequireTLS: true})
	}
	cfg := testConfig(t, t.TempDir())
	cfg.SMTPHeloName, cfg.SMTPOAuthTokenFile, cfg.SMTPOAuthHost = "keyward.example.org", file, smtpserver.Host
	s := start(t, cfg)
	admin, _ := s.login("admin", adminPassword)
	settings := fields{
		"enabled": true, "host": smtpserver.Host, "port": post.Port, "security": "starttls", "username": "keyward",
		"from": "keyward@example.org", "ca_pem": post.CAPEM,
	}
	s.must(200, "PUT", "/api/admin/settings/mail", admin, settings)
	try := func(status int) map[string]any {
		t.Helper()
		return s.must(status, "POST", "/api/admin/settings/mail/test", admin, fields{"to": "a@example.org"})
	}
	takes(first)
	if out := try(422); out["params"].(map[string]any)["reason"] != "oauth_token_missing" ||
		!strings.Contains(out["detail"].(string), "SMTP_OAUTH_TOKEN_FILE") {
		t.Errorf("without the file: %v", out)
	}
	must.OK(t, os.WriteFile(file, []byte(first+"\n"), 0o600))
	try(200)
	takes(second)
	if out := try(422); out["params"].(map[string]any)["reason"] != "oauth_token_refused" {
		t.Errorf("with yesterday's token: %v", out)
	}
	must.OK(t, os.WriteFile(file, []byte(second), 0o600))
	try(200)
	await.That(t, "two messages", func() bool { return len(post.Received(t)) == 2 })
	if got := post.Received(t)[1].Helo; got != "keyward.example.org" {
		t.Errorf("the server heard %q", got)
	}
	settings["host"] = "localhost" // which gets no token, and so requires a password
	if out := s.must(400, "PUT", "/api/admin/settings/mail", admin, settings); !names(out, "password") {
		t.Errorf("another server: %v", out["errors"])
	}
	s.noSecretLeft(first, second)
}
