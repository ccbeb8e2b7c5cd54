package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/config"
)

// TestFrontendTakesItsOwn: a frontend shares files and environment with a
// backend, reads none of its secrets, and stumbles over none of its mistakes.
func TestFrontendTakesItsOwn(t *testing.T) {
	t.Parallel()
	file := write(t, "LISTEN=:1001\nDATA=/srv/keyward\nVAULT_SEAL_KEY=short\nBACKEND_URL=https://backend.example:8443\n")
	c, err := config.LoadFor(config.Frontend, []string{"--config", file},
		env("KEYWARD_ADMIN_PASSWORD_FILE", "/gone", "PASSWORD_MIN_LENGTH", "1"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != ":1001" || c.SiteURL != "http://localhost:1001" || c.BackendURL != "https://backend.example:8443" {
		t.Errorf("its own: %s", c)
	}
	if c.Data != "data" || !c.SealKey.Empty() || c.PasswordMinLength != 8 {
		t.Errorf("not its own: %s", c)
	}
}

func TestPartsDiffer(t *testing.T) {
	t.Parallel()
	if _, err := config.LoadFor(config.Frontend, []string{"--data", "x"}, env()); err == nil ||
		!strings.Contains(err.Error(), "command line") {
		t.Errorf("frontend --data: %v", err)
	}
	if _, err := config.Load([]string{"--backend", "http://x"}, env()); err == nil || !strings.Contains(err.Error(), "command line") {
		t.Errorf("serve --backend: %v", err)
	}
	for _, wrong := range []string{"backend:8080", "http://backend/api", "ftp://backend", "http://", "http://user@backend"} {
		if _, err := config.LoadFor(config.Frontend, []string{"--backend", wrong}, env()); err == nil ||
			!strings.Contains(err.Error(), "BACKEND_URL must") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	c, err := config.LoadFor(config.Backend, []string{"--data", "x"}, env("AGENT_URL", "not read", "DOWNLOADS_DIR", "/x", "DRAIN_DELAY", "5s"))
	if err != nil || c.Data != "x" || c.AgentURL != "http://127.0.0.1:56123" || c.DownloadsDir != "" || c.DrainDelay != 5*time.Second {
		t.Errorf("backend: %v, %s", err, c)
	}
	help := config.Describe(config.Frontend)
	for _, f := range config.Flags(config.Frontend) {
		help += "--" + f.Name + " " + f.Placeholder + "\n"
	}
	for _, want := range []string{"--backend VALUE", "\nServer:\n", "\n  AGENT_URL (default"} {
		if !strings.Contains(help, want) {
			t.Errorf("the help lacks %q", want)
		}
	}
	for _, foreign := range []string{"VAULT_SEAL_KEY", "--data"} {
		if strings.Contains(help, foreign) {
			t.Errorf("the help has %s", foreign)
		}
	}
}
