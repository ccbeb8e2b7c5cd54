package app_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

func TestMain(m *testing.M) { os.Exit(s3server.Main(m.Run)) }

// TestBucketKeyRenewed: a new secret key of the bucket is in use as soon as it is saved.
func TestBucketKeyRenewed(t *testing.T) {
	t.Parallel()
	s := start(t, testConfig(t, t.TempDir()))
	admin, _ := s.login("admin", adminPassword)
	store := s3server.Shared(t)
	settings := fields{
		"store": "s3", "s3_endpoint": store.Plain, "region": "eu-test-1", "bucket": store.Bucket(t), "use_path_style": true,
		"access_key_id": s3server.AccessKeyID, "secret_access_key": "the-former-key", "encryption_password": "correct horse battery",
	}
	s.must(200, "PUT", "/api/backup/settings", admin, settings)
	const try = "/api/backup/test-connection"
	if status, out := s.call("GET", try, admin, nil); !strings.Contains(fmt.Sprint(status, out), "s3_secret_key") {
		t.Errorf("with a key that the bucket doesn't know: %d %v", status, out)
	}
	settings["secret_access_key"] = s3server.SecretKey
	s.must(200, "PUT", "/api/backup/settings", admin, settings)
	if out := s.must(200, "GET", try, admin, nil); out["success"] != true {
		t.Errorf("with the new key: %v", out)
	}
	must.OK(t, s.stop())
	if list, total, err := app.Backups(t.Context(), s.cfg, nil, 10); err != nil || total != 0 {
		t.Errorf("a command with the installation's own bucket finds %v (%d): %v", list, total, err)
	}
}

// TestRenewAccessTokens: with a new secret, access tokens are void on a running server, also after its
// next start; refresh tokens stay, and get new ones.
func TestRenewAccessTokens(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	out := w.must(200, "POST", "/api/auth/login", "", fields{"username": "admin", "password": adminPassword})
	former := out["access_token"].(string)
	w.must(200, "GET", "/api/auth/me", former, nil)
	must.OK(t, app.RenewAccessTokens(t.Context(), w.cfg, "a test"))
	await.That(t, "the access token is void", func() bool {
		status, _ := w.call("GET", "/api/auth/me", former, nil)
		return status == http.StatusUnauthorized
	})
	w.refused(401, "token_invalid", "GET", "/api/auth/me", former, nil)
	renewed := w.must(200, "POST", "/api/auth/refresh", "", fields{"refresh_token": out["refresh_token"]})["access_token"].(string)
	w.must(200, "GET", "/api/auth/me", renewed, nil)
	w.stop()
	w.server = start(t, w.cfg)
	w.refused(401, "token_invalid", "GET", "/api/auth/me", former, nil)
	w.must(200, "GET", "/api/auth/me", renewed, nil)
}

// TestLicenseTokenRenewed: backends and license service get a new common token one after the other,
// without a restart, and at no moment is one refused.
func TestLicenseTokenRenewed(t *testing.T) {
	t.Parallel()
	const former, next = "a-token-of-many-characters", "another-of-many-characters"
	dir := t.TempDir()
	holds := func(name string, lines string) (secret.String, map[string]string) {
		t.Helper()
		path := filepath.Join(dir, name)
		must.OK(t, os.WriteFile(path, []byte(lines), 0o600))
		return secret.New(former), map[string]string{"LICENSE_SERVICE_TOKEN": path}
	}
	started := func() string {
		t.Helper()
		settings := map[string]string{"LICENSE_SERVICE_TOKEN_FILE": filepath.Join(dir, "service"), "PKI_CA_KEY_TYPE": "ec-p256"}
		cfg := must.Get(config.LoadFor(config.License, []string{"--listen", "127.0.0.1:0", "--data", t.TempDir()},
			func(name string) string { return settings[name] }))(t)
		return "http://" + serveLicense(t, cfg)
	}
	holds("service", former)
	backend := config.Config{LicenseServiceURL: started()}
	backend.LicenseServiceToken, backend.Files = holds("backend", former)
	for _, step := range [][2]string{{"service", former + "\n" + next + "\n"}, {"backend", next}, {"service", next}} {
		holds(step[0], step[1])
		again := backend // the service is started anew at any step
		again.LicenseServiceURL = started()
		for _, at := range []config.Config{backend, again} {
			if is := statusBy(t, at); is.Status != license.Trial {
				t.Errorf("after a change of the %s's file: %+v", step[0], is)
			}
		}
	}
	holds("backend", former)
	if is, err := must.Get(app.RemoteLicense(backend, slog.New(slog.DiscardHandler)))(t).Status(t.Context()); err == nil {
		t.Errorf("the former token still works: %+v", is)
	}
}
