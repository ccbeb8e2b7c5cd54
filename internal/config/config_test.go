package config_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/config"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	c, err := config.Load(nil, env())
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != ":8080" || c.SiteURL != "http://localhost:8080" || c.Data != "data" || c.MetricsListen != "127.0.0.1:9464" {
		t.Errorf("server: %s", c)
	}
	if c.AccessTokenMinutes != 30 || c.SessionLifetime != time.Hour || c.RefreshTokenLifetime != 7*24*time.Hour || c.PasswordMinLength != 8 {
		t.Errorf("signing in: %s", c)
	}
	if (c.SessionRate != config.Rate{PerMinute: 600, Burst: 100}) || (c.AnonymousRate != config.Rate{PerMinute: 120, Burst: 40}) ||
		c.LoginRate.PerMinute != 300 || c.OpenRate.PerMinute != 6000 {
		t.Errorf("rates: %s", c)
	}
	if fmt.Sprint(c.TrustedProxies) != "[127.0.0.0/8 ::1/128]" || len(c.AllowedOrigins) != 0 || fmt.Sprint(c.KeyTypes) != "[rsa-2048]" {
		t.Errorf("lists: %s", c)
	}
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	file := write(t, "# ours\nLISTEN = :1001\nDATA=\"/from file\"\nLOG_LEVEL=debug\n\n")
	c, err := config.Load([]string{"--config", file, "--listen", ":1003"}, env("LISTEN", ":1002", "LOG_LEVEL", "warn"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != ":1003" || c.LogLevel.String() != "WARN" || c.Data != "/from file" || c.SiteURL != "http://localhost:1003" {
		t.Errorf("got %s", c)
	}
	c, err = config.Load(nil, env("KEYWARD_CONFIG", file))
	if err != nil || c.Listen != ":1001" {
		t.Errorf("KEYWARD_CONFIG: %s, %v", c, err)
	}
}

func TestSecretsFromFiles(t *testing.T) {
	t.Parallel()
	passphrase := write(t, "correct horse battery\r\n")
	c, err := config.Load(nil, env("VAULT_SEAL_PASSPHRASE_FILE", passphrase, "KEYWARD_ADMIN_PASSWORD", "open sesame 42"))
	if err != nil {
		t.Fatal(err)
	}
	if c.SealPassphrase.Reveal() != "correct horse battery" || c.AdminPassword.Reveal() != "open sesame 42" {
		t.Error("a secret is not what its source holds")
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if shown := fmt.Sprintf(verb, c); strings.Contains(shown, "horse") || strings.Contains(shown, "sesame") {
			t.Errorf("%s shows a secret", verb)
		}
	}
	if !strings.Contains(c.String(), "KEYWARD_ADMIN_PASSWORD=[redacted]") || !strings.Contains(c.String(), "VAULT_SEAL_KEY= ") {
		t.Errorf("String: %s", c)
	}
	// The stronger source's form counts.
	file := write(t, "VAULT_SEAL_PASSPHRASE=another one, from the file")
	c, err = config.Load([]string{"--config", file}, env("VAULT_SEAL_PASSPHRASE_FILE", passphrase))
	if err != nil || c.SealPassphrase.Reveal() != "correct horse battery" {
		t.Errorf("the environment's _FILE does not beat the file: %v", err)
	}
}

// TestMistakes: one at a time, the setting that is named.
func TestMistakes(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing")
	for _, tc := range []struct{ name, value, setting string }{
		{"LISTEN", "8080", "LISTEN"},
		{"LISTEN", ":99999", "LISTEN"},
		{"LISTEN", ":+80", "LISTEN"},
		{"SITE_URL", "keyward.example.com/path", "SITE_URL"},
		{"SITE_URL", "keyward example com", "SITE_URL"},
		{"SITE_URL", "//keyward.example.com", "SITE_URL"},
		{"SITE_URL", "https://keyward.example.com/path", "SITE_URL"},
		{"SITE_URL", "https://user@keyward.example.com", "SITE_URL"},
		{"SITE_URL", "ftp://keyward.example.com", "SITE_URL"},
		{"TLS_CERT_FILE", "/cert.pem", "TLS_CERT_FILE"},
		{"TLS_KEY_FILE", "/key.pem", "TLS_CERT_FILE"},
		{"DRAIN_DELAY", "-1s", "DRAIN_DELAY"},
		{"DRAIN_DELAY", "11m", "DRAIN_DELAY"},
		{"ALLOWED_ORIGINS", "*", "ALLOWED_ORIGINS"},
		{"ALLOWED_ORIGINS", "https://*.example.com", "ALLOWED_ORIGINS"},
		{"ALLOWED_ORIGINS", "https://a.example,https://b.example/", "ALLOWED_ORIGINS"},
		{"ALLOWED_ORIGINS", "https://A.example", "ALLOWED_ORIGINS"},
		{"ALLOWED_ORIGINS", "null", "ALLOWED_ORIGINS"},
		{"TRUSTED_PROXIES", "10.0.0.0/33", "TRUSTED_PROXIES"},
		{"TRUSTED_PROXIES", "everyone", "TRUSTED_PROXIES"},
		{"WEBHOOK_ALLOWED_NETWORKS", "10.0.0.0/33", "WEBHOOK_ALLOWED_NETWORKS"},
		{"WEBHOOK_ALLOWED_NETWORKS", "10.0.0.1", "WEBHOOK_ALLOWED_NETWORKS"},
		{"AGENT_URL", "http://127.0.0.2:56123", "AGENT_URL"},
		{"AGENT_URL", "localhost:56123", "AGENT_URL"},
		{"AGENT_URL", "http://127.0.0.1:0", "AGENT_URL"},
		{"AGENT_URL", "https://127.0.0.1:56123", "AGENT_URL"},
		{"AGENT_URL", "http://192.168.1.1:56123", "AGENT_URL"},
		{"AGENT_URL", "http://localhost:56123/", "AGENT_URL"},
		{"AGENT_URL", "http://localhost.example.com:56123", "AGENT_URL"},
		{"AGENT_URL", "http://LOCALHOST:56123", "AGENT_URL"},
		{"METRICS_LISTEN", "yes", "METRICS_LISTEN"},
		{"SHUTDOWN_TIMEOUT", "30", "SHUTDOWN_TIMEOUT"},
		{"SHUTDOWN_TIMEOUT", "0s", "SHUTDOWN_TIMEOUT"},
		{"LOG_LEVEL", "loud", "LOG_LEVEL"},
		{"LOG_FORMAT", "xml", "LOG_FORMAT"},
		{"ACCESS_LOG", "maybe", "ACCESS_LOG"},
		{"DATABASE_URL", "mysql://u:geheimnis@h/d", "DATABASE_URL"},
		{"DATABASE_MAX_CONNECTIONS", "3", "DATABASE_MAX_CONNECTIONS"},
		{"DATABASE_CONNECT_TIMEOUT", "0s", "DATABASE_CONNECT_TIMEOUT"},
		{"DATABASE_STATEMENT_TIMEOUT", "11m", "DATABASE_STATEMENT_TIMEOUT"},
		{"DATABASE_LOCK_TIMEOUT", "1ms", "DATABASE_LOCK_TIMEOUT"},
		{"DATABASE_IDLE_TRANSACTION_TIMEOUT", "1h", "DATABASE_IDLE_TRANSACTION_TIMEOUT"},
		{"ACCESS_TOKEN_EXPIRE_MINUTES", "0", "ACCESS_TOKEN_EXPIRE_MINUTES"},
		{"ACCESS_TOKEN_EXPIRE_MINUTES", "1e3", "ACCESS_TOKEN_EXPIRE_MINUTES"},
		{"SESSION_LIFETIME", "-1h", "SESSION_LIFETIME"},
		{"REFRESH_TOKEN_LIFETIME", "59m", "REFRESH_TOKEN_LIFETIME"},
		{"DEVICE_BINDING", "loose", "DEVICE_BINDING"},
		{"AGENT_TRUST", "yes", "AGENT_TRUST"},
		{"PASSWORD_MIN_LENGTH", "7", "PASSWORD_MIN_LENGTH"},
		{"ARGON2_CONCURRENCY", "0", "ARGON2_CONCURRENCY"},
		{"RATE_LIMIT_SESSION", "600", "RATE_LIMIT_SESSION"},
		{"RATE_LIMIT_LOGIN", "0/0", "RATE_LIMIT_LOGIN"},
		{"RATE_LIMIT_OPEN", "-1/5", "RATE_LIMIT_OPEN"},
		{"PKI_CA_KEY_TYPE", "rsa-1024", "PKI_CA_KEY_TYPE"},
		{"PKI_CA_KEY_TYPE", "ed25519", "PKI_CA_KEY_TYPE"},
		{"PKI_KEY_TYPES", "rsa-2048,dsa", "PKI_KEY_TYPES"},
		{"PKI_SUBJECT_POLICY", "all", "PKI_SUBJECT_POLICY"},
		{"VAULT_SEAL_KEY", "c2hvcnQ=", "VAULT_SEAL_KEY"},
		{"VAULT_SEAL_PASSPHRASE", "too-short-1", "VAULT_SEAL_PASSPHRASE"},
		{"VAULT_SEAL_KEY_FILE", missing, "VAULT_SEAL_KEY_FILE"},
		{"SMTP_HELO_NAME", "https://keyward.example.org", "SMTP_HELO_NAME"},
		{"SMTP_HELO_NAME", "keyward example.org", "SMTP_HELO_NAME"},
		{"SMTP_OAUTH_TOKEN_FILE", "/token", "SMTP_OAUTH_TOKEN_FILE"},
		{"SMTP_OAUTH_HOST", "smtp.example.org", "SMTP_OAUTH_TOKEN_FILE"},
		{"KEYWARD_CONFIG", missing, "--config"},
	} {
		_, err := config.Load(nil, env(tc.name, tc.value))
		var mistakes config.Mistakes
		if !errors.As(err, &mistakes) || len(mistakes) != 1 || mistakes[0].Setting != tc.setting {
			t.Errorf("%s=%s: got %v", tc.name, tc.value, err)
			continue
		}
		if len(tc.value) > 6 && strings.Contains(err.Error(), tc.value) {
			t.Errorf("%s: the message echoes the value: %v", tc.name, err)
		}
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("A", 43) + "="
	file := write(t, "LISTEN\nNO_SUCH=1\nDATA=a\nDATA=b\nLOG_FORMAT=\"open\n")
	empty := write(t, "\n")
	_, err := config.Load([]string{"--config", file}, env(
		"SESSION_LIFETIME", "soon", "DEVICE_BINDING", "x", "VAULT_SEAL_KEY", key, "VAULT_SEAL_PASSPHRASE", "twelve chars and more",
		"KEYWARD_ADMIN_PASSWORD", "p", "KEYWARD_ADMIN_PASSWORD_FILE", empty))
	var mistakes config.Mistakes
	if !errors.As(err, &mistakes) {
		t.Fatalf("got %v", err)
	}
	var got []string
	for _, m := range mistakes {
		got = append(got, m.Setting)
	}
	want := []string{"--config line 1", "--config line 2", "--config line 4", "--config line 5",
		"DEVICE_BINDING", "KEYWARD_ADMIN_PASSWORD", "SESSION_LIFETIME", "VAULT_SEAL_PASSPHRASE"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	if _, err := config.Load([]string{"--help"}, env()); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("--help: %v", err)
	}
	for _, args := range [][]string{{"--no-such"}, {"stray"}, {"--listen"}} {
		_, err := config.Load(args, env())
		var mistakes config.Mistakes
		if !errors.As(err, &mistakes) || mistakes[0].Setting != "command line" {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestSiteURL(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ listen, site, want string }{
		{"127.0.0.1:0", "", ""}, // known when the server listens
		{"127.0.0.1:9000", "", "http://localhost:9000"},
		{":9000", "https://keyward.example.com/", "https://keyward.example.com"},
		{":9000", "keyward.example.com", "https://keyward.example.com"},
		{":9000", "keyward.example.com:8443", "https://keyward.example.com:8443"},
	} {
		c, err := config.Load([]string{"--listen", tc.listen}, env("SITE_URL", tc.site))
		if err != nil || c.SiteURL != tc.want {
			t.Errorf("%+v: %s, %v", tc, c.SiteURL, err)
		}
	}
}

// TestManualIsCurrent: docs/configuration.md is what the struct says. Write it
// anew with make generate.
func TestManualIsCurrent(t *testing.T) {
	t.Parallel()
	committed, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	var made bytes.Buffer
	config.Markdown(&made)
	if diff := cmp.Diff(string(committed), made.String()); diff != "" {
		t.Errorf("docs/configuration.md is not current (-committed +made)\n%s", diff)
	}
}

func TestHelpNamesEverySetting(t *testing.T) {
	t.Parallel()
	var usage bytes.Buffer
	for _, part := range []config.Part{config.Serve, config.Frontend, config.License} {
		usage.WriteString(config.Describe(part))
	}
	c, err := config.Load(nil, env())
	if err != nil {
		t.Fatal(err)
	}
	for pair := range strings.FieldsSeq(c.String()) {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.Contains(usage.String(), "\n  "+name) {
			t.Errorf("%s is not in the help", name)
		}
	}
	for line := range strings.SplitSeq(usage.String(), "\n") {
		if len(line) > 80 {
			t.Errorf("wider than a terminal: %s", line)
		}
	}
}

func FuzzParseFile(f *testing.F) {
	f.Add("LISTEN=:1\n# x\n DATA = \"a b\"\r\n")
	f.Add("=\n\"\"=\nVAULT_SEAL_KEY=secretsecret\nVAULT_SEAL_KEY=secretsecret")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content string) {
		path := filepath.Join(dir, "f")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load([]string{"--config", path}, env())
		var mistakes config.Mistakes
		switch {
		case err == nil && c.Listen == "":
			t.Error("accepted without an address")
		case err != nil && !errors.As(err, &mistakes):
			t.Errorf("not Mistakes: %v", err)
		}
	})
}

func TestAuditSyslog(t *testing.T) {
	t.Parallel()
	for target, right := range map[string]bool{
		"udp://siem.example:514": true, "tcp://[::1]:601": true, "tls://siem:6514": true, "unix:///dev/log": true,
		"siem:514": false, "udp://siem": false, "udp://:514": false, "udp://siem:0": false, "http://siem:80": false, "unix://dev/log": false,
		"udp://siem:514/x": false,
	} {
		_, err := config.Load(nil, env("AUDIT_SYSLOG", target))
		if (err == nil) != right {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// TestTLS: whoever speaks https says so in the addresses that are handed out.
func TestTLS(t *testing.T) {
	t.Parallel()
	pair := []string{"TLS_CERT_FILE", "/cert.pem", "TLS_KEY_FILE", "/key.pem"}
	c, err := config.Load(nil, env(append(pair, "LISTEN", ":8443")...))
	if err != nil || c.SiteURL != "https://localhost:8443" || c.Scheme() != "https" {
		t.Errorf("%v, %s", err, c)
	}
	if _, err := config.Load(nil, env(append(pair, "SITE_URL", "http://keyward.example.com")...)); err == nil ||
		!strings.Contains(err.Error(), "SITE_URL must be https://") {
		t.Errorf("a site of plain http: %v", err)
	}
	c, err = config.Load(nil, env(append(pair, "SITE_URL", "keyward.example.com")...))
	if err != nil || c.SiteURL != "https://keyward.example.com" {
		t.Errorf("a domain: %v, %s", err, c)
	}
}

// TestOpenTelemetry: the file may have OpenTelemetry's variables, whose values nothing prints.
func TestOpenTelemetry(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load([]string{"--config", write(t, "OTEL_EXPORTER_OTLP_HEADERS=authorization=hush\nLOG_FORMAT=text\n")}, env())
	if err != nil {
		t.Fatal(err)
	}
	if got := cfg.OpenTelemetry["OTEL_EXPORTER_OTLP_HEADERS"].Reveal(); got != "authorization=hush" || len(cfg.OpenTelemetry) != 1 {
		t.Errorf("%q, %d variables", got, len(cfg.OpenTelemetry))
	}
	if text := fmt.Sprintf("%v %+v", cfg, cfg.OpenTelemetry); strings.Contains(text, "hush") {
		t.Error("printed: " + text)
	}
	if _, err := config.Load([]string{"--config", write(t, "OTEL_A=1\nOTEL_A=2\n")}, env()); err == nil {
		t.Error("one that is there twice is accepted")
	}
}
