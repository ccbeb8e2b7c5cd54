package containers

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// project is what an engine makes of a compose file.
type project struct {
	Services map[string]service
	Secrets  map[string]struct{ File string }
	Networks map[string]struct{ Internal bool }
}

type service struct {
	Environment map[string]string
	Secrets     []struct{ Source, Target string }
	Networks    map[string]any
	User        string
	ReadOnly    bool     `json:"read_only"`
	CapDrop     []string `json:"cap_drop"`
	SecurityOpt []string `json:"security_opt"`
	MemLimit    string   `json:"mem_limit"`
	StopGrace   string   `json:"stop_grace_period"`
	Healthcheck struct{ Test []string }
	DependsOn   map[string]struct{ Condition string } `json:"depends_on"`
	Ports       []struct {
		HostIP string `json:"host_ip"`
		Target int
	}
}

// prepared returns a copy of deploy/compose with what its script makes.
func prepared(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, name := range []string{"compose.yaml", "openbao.hcl"} {
		must.OK(t, os.WriteFile(filepath.Join(folder, name), must.Get(os.ReadFile(top+"deploy/compose/"+name))(t), 0o600))
	}
	must.Get(run(exec.CommandContext(t.Context(), top+"deploy/compose/prepare", "https://keyward.example.org", folder)))(t)
	return folder
}

// composed loads the compose file of such a copy.
func composed(t *testing.T, folder string) (p project) {
	t.Helper()
	must.OK(t, json.Unmarshal([]byte(must.Get(run(tool(t, "containers", "compose", filepath.Join(folder, "compose.yaml"))))(t)), &p))
	return p
}

// TestCompose: an engine takes the file, and the server its settings. Keyward has no
// privilege, and no secret in its environment.
func TestCompose(t *testing.T) {
	t.Parallel()
	folder := prepared(t)
	p := composed(t, folder)
	put(t, folder, map[string]string{"/var/lib/keyward/vault/role_id": "role", "/var/lib/keyward/vault/secret_id": "secret"})
	for name, s := range p.Services {
		for _, secret := range s.Secrets {
			content := must.Get(os.ReadFile(p.Secrets[secret.Source].File))(t)
			if name == "keyward" {
				put(t, folder, map[string]string{secret.Target: string(content)})
			}
		}
		if _, out := s.Networks["outside"]; out != (name == "keyward") || !p.Networks["inside"].Internal {
			t.Errorf("%s is in the networks %v", name, s.Networks)
		}
		if len(s.Healthcheck.Test) == 0 || s.MemLimit == "" || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s has no health check, no limit, or may gain privileges", name)
		}
	}
	s := p.Services["keyward"]
	cfg := must.Get(starts(t, folder, s.Environment))(t)
	if cfg.SiteURL != "https://keyward.example.org" || cfg.VaultAddr != "https://openbao:8200" {
		t.Errorf("the server is %s with the vault %s", cfg.SiteURL, cfg.VaultAddr)
	}
	u := must.Get(url.Parse(cfg.DatabaseURL.Reveal()))(t)
	password, _ := u.User.Password()
	want := strings.TrimSpace(string(must.Get(os.ReadFile(p.Secrets["postgres-password"].File))(t)))
	if u.Hostname() != "postgres" || password != want || len(want) < 32 {
		t.Errorf("the database's address is %s", u.Redacted())
	}
	if s.User != "65532:65532" || !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || s.MemLimit != "536870912" {
		t.Errorf("keyward runs as %s, read-only %v, without %v, within %s", s.User, s.ReadOnly, s.CapDrop, s.MemLimit)
	}
	if !slices.Equal(s.Healthcheck.Test, []string{"CMD", "/usr/bin/keyward", "healthcheck"}) ||
		len(s.Ports) != 1 || s.Ports[0].HostIP != "127.0.0.1" {
		t.Errorf("it is asked by %v, and listens on %v", s.Healthcheck.Test, s.Ports)
	}
	for _, name := range []string{"postgres", "openbao"} {
		if got := s.DependsOn[name].Condition; got != "service_healthy" {
			t.Errorf("it waits until %s is %q", name, got)
		}
	}
}

// TestComposeSecrets: the script makes a certificate for OpenBao and its CA, whose key is
// gone. It never replaces what the database and OpenBao know.
func TestComposeSecrets(t *testing.T) {
	t.Parallel()
	folder := prepared(t)
	read := func(name string) []byte { return must.Get(os.ReadFile(filepath.Join(folder, "secrets", name)))(t) }
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(read("openbao-ca.pem"))
	block, _ := pem.Decode(read("openbao-cert.pem"))
	for _, name := range []string{"openbao", "127.0.0.1"} {
		must.Get(must.Get(x509.ParseCertificate(block.Bytes))(t).Verify(x509.VerifyOptions{Roots: roots, DNSName: name}))(t)
	}
	entries := must.Get(os.ReadDir(filepath.Join(folder, "secrets")))(t)
	if len(entries) != 6 {
		t.Errorf("it made %v", entries)
	}
	if info := must.Get(os.Stat(filepath.Join(folder, "secrets")))(t); info.Mode().Perm() != 0o700 {
		t.Errorf("others reach the secrets: %s", info.Mode())
	}
	before := read("database-url")
	if _, err := run(exec.CommandContext(t.Context(), top+"deploy/compose/prepare", "https://keyward.example.com", folder)); err == nil {
		t.Error("it runs a second time")
	}
	if string(read("database-url")) != string(before) || !strings.Contains(string(must.Get(os.ReadFile(folder+"/.env"))(t)), "example.org") {
		t.Error("it made secrets anew")
	}
}
