package app_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/httpapi/apitest"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// saved is the state of an installation when its server was stopped.
type saved struct {
	dir  string // its files; for a remote vault, identical mounts that have revoked nothing
	kept string // its database, if that is not a file
}

// save is halt, and restarts the server.
func (w *fixture) save(t *testing.T) saved {
	t.Helper()
	s := w.halt(t)
	w.server = start(t, w.cfg)
	return s
}

// halt stops a fixture's server and copies its state.
func (w *fixture) halt(t *testing.T) saved {
	t.Helper()
	must.OK(t, w.stop())
	s := saved{t.TempDir(), ""}
	copyFiles(t, w.data, s.dir, "keyward.db", "vault.db", "seal.key")
	if vaultserver.Wanted(t) {
		vaultserver.Copy(t, w.data, s.dir)
	}
	if engine.OnPostgres() {
		s.kept = postgrestest.Keep(t, w.cfg.DatabaseURL.Reveal())
	}
	return s
}

func copyFiles(t *testing.T, from, to string, names ...string) {
	t.Helper()
	for _, name := range names {
		raw, err := os.ReadFile(filepath.Join(from, name))
		if os.IsNotExist(err) {
			continue
		}
		must.OK(t, err)
		must.OK(t, os.WriteFile(filepath.Join(to, name), raw, 0o600))
	}
}

// putBack restores the vault or the database, or both, from the saved state, and
// returns the settings to start with.
func (w *fixture) putBack(t *testing.T, s saved, vault, database bool) config.Config {
	t.Helper()
	must.OK(t, w.stop())
	cfg := w.cfg
	if vault {
		copyFiles(t, s.dir, w.data, "vault.db")
		if vaultserver.Wanted(t) {
			mounts := t.TempDir() // the saved ones stay as they are
			vaultserver.Copy(t, s.dir, mounts)
			cfg = onVault(cfg, vaultserver.ForData(t, mounts))
			cfg.SiteURL = vaultserver.PublicBase
			vaultserver.Site(t, mounts, cfg.SiteURL)
		}
	}
	if database {
		copyFiles(t, s.dir, w.data, "keyward.db")
		for _, rest := range []string{"keyward.db-wal", "keyward.db-shm"} {
			if err := os.Remove(filepath.Join(w.data, rest)); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		if s.kept != "" {
			cfg.DatabaseURL = secret.New(postgrestest.Copy(t, s.kept))
		}
	}
	return cfg
}

// standing waits until health reports this of database and vault.
func (w *fixture) standing(t *testing.T, database, vault string) {
	t.Helper()
	await.That(t, "database "+database+", vault "+vault, func() bool {
		out := w.must(200, "GET", "/api/health", "", nil)
		return out["database"] == database && out["vault"] == vault
	})
}

// metered checks the metric about an older vault.
func (w *fixture) metered(t *testing.T, older int) {
	t.Helper()
	res := must.Get(apitest.Client(t).Get(w.meter))(t)
	defer func() { _ = res.Body.Close() }()
	text := string(must.Get(io.ReadAll(res.Body))(t))
	for reason, value := range map[string]int{"vault_older": older, "database_older": 0, "database_altered": 0} {
		if line := fmt.Sprintf("keyward_recovery_required{reason=%q} %d\n", reason, value); !strings.Contains(text, line) {
			t.Errorf("the metrics do not say %s", line)
		}
	}
}

// onList reports whether the CRL names a certificate.
func (s *server) onList(serial string) bool {
	for _, e := range s.revocationList().RevokedCertificateEntries {
		if strings.TrimLeft(e.SerialNumber.Text(16), "0") == strings.TrimLeft(serial, "0") {
			return true
		}
	}
	return false
}

func (w *fixture) held(t *testing.T, reason string) {
	t.Helper()
	for path, body := range map[string]any{
		"/api/hwkey/10000/rotations": map[string]any{"fields": []string{"pin"}},
		"/api/hwkey/10000/sign-csr":  map[string]any{"csr": another(t, "a-user", "held"), "slot": "9c"},
	} {
		if out := w.must(503, "POST", path, w.tokens["a-user"], body); out["code"] != "recovery_required" {
			t.Errorf("%s: %v", path, out)
		}
	}
	out := w.must(503, "GET", "/api/hwkey/10000/secrets", w.tokens["a-user"], nil)
	if params, _ := out["params"].(map[string]any); out["code"] != "recovery_required" || params["reason"] != reason {
		t.Errorf("a release: %v", out)
	}
}

// TestOlderVault: a vault restored beside the current database gets the later
// revocations on its CRL again, with a higher number; it reports this, and no secrets
// or signatures leave until it is accepted.
func TestOlderVault(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	before := w.save(t)
	w.must(200, "POST", "/api/certificates/"+w.serial+"/revoke", w.tokens["admin"], map[string]any{"reason": "superseded"})
	last := w.revocationList().Number
	if !w.onList(w.serial) {
		t.Fatal("it is not on the CRL to begin with")
	}

	cfg := w.putBack(t, before, true, false)
	w.server = start(t, cfg)
	w.standing(t, "connected", "older")
	w.metered(t, 1)
	if list := w.revocationList(); !w.onList(w.serial) || list.Number.Cmp(last) <= 0 {
		t.Errorf("the CRL has number %d after %d, and names it: %v", list.Number, last, w.onList(w.serial))
	}
	w.held(t, "vault_older")
	w.signIn("admin", adminPassword)
	report := must.Get(w.client(t, "admin", adminPassword).Recovery(t.Context()))(t)
	if report.Vault == nil || len(report.Altered) > 0 || !strings.Contains(fmt.Sprint(report.Vault.Lacks), w.serial) {
		t.Errorf("what is missing: %+v", report)
	}
	if _, text := w.text("/api/admin/system/health", w.tokens["admin"]); !strings.Contains(text, "The vault is older") {
		t.Errorf("administrators are told %s", text)
	}
	// It stays so across a restart.
	must.OK(t, w.stop())
	w.server = start(t, cfg)
	w.standing(t, "connected", "older")
	w.held(t, "vault_older")

	w.must(403, "POST", "/api/admin/system/recover", w.tokens["a-org_manager"], map[string]any{"accept_older": "vault"})
	if report, err := w.client(t, "admin", adminPassword).AcceptOlderVault(t.Context()); err != nil || report.Vault != nil {
		t.Errorf("accepted: %+v, %v", report, err)
	}
	w.must(409, "POST", "/api/admin/system/recover", w.tokens["admin"], map[string]any{"accept_older": "vault"})
	w.standing(t, "connected", "connected")
	w.metered(t, 0)
	w.must(200, "GET", "/api/hwkey/10000/secrets", w.tokens["a-user"], nil)
	w.must(200, "POST", "/api/hwkey/10000/sign-csr", w.tokens["a-user"], map[string]any{"csr": another(t, "a-user", "on"), "slot": "9c"})
	entries := w.must(200, "GET", "/api/admin/audit?action=system.recovered", w.tokens["admin"], nil)["items"].([]any)
	if len(entries) != 1 || !strings.Contains(entries[0].(map[string]any)["details"].(string), w.serial) {
		t.Errorf("the audit log has %v", entries)
	}
	must.OK(t, w.stop())
	w.server = start(t, cfg)
	w.standing(t, "connected", "connected")
	if !w.onList(w.serial) {
		t.Error("it has left the CRL")
	}
}

// TestOlderDatabase: with a database restored beside the current vault nobody signs in,
// and no session or key is valid, until somebody on the machine accepts it.
func TestOlderDatabase(t *testing.T) {
	t.Parallel()
	for _, accounts := range []string{"keep", "disable"} {
		t.Run(accounts, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t)
			boss := w.must(201, "POST", "/api/admin/users", w.tokens["admin"], map[string]any{
				"username": "boss", "email": "boss@example.org", "password": usual, "role": "global_admin",
			})
			key := w.must(201, "POST", "/api/admin/api-keys", w.tokens["admin"], map[string]any{"name": "k", "role": "global_admin"})["key"].(string)
			before := w.save(t)
			w.must(200, "PATCH", "/api/admin/users/"+fmt.Sprint(boss["id"]), w.tokens["admin"], map[string]any{"is_active": false})
			w.must(200, "POST", "/api/certificates/"+w.serial+"/revoke", w.tokens["admin"], map[string]any{"reason": "superseded"})
			w.must(200, "GET", "/api/hwkey/10000/secrets", w.tokens["a-user"], nil)

			cfg := w.putBack(t, before, false, true)
			w.server = start(t, cfg)
			w.standing(t, "older", "connected")
			barred := func(what string, status int, out map[string]any) {
				t.Helper()
				params, _ := out["params"].(map[string]any)
				if status != 503 || out["code"] != "recovery_required" || params["reason"] != "database_older" {
					t.Errorf("%s: %d %v", what, status, out)
				}
			}
			sign := func(name, password string) (int, map[string]any) {
				return w.call("POST", "/api/auth/login", "", map[string]any{"username": name, "password": password})
			}
			for _, name := range []string{"boss", "a-user"} {
				status, out := sign(name, usual)
				barred(name+" signs in", status, out)
			}
			for what, token := range map[string]string{"a session": w.tokens["admin"], "an API key": key} {
				status, out := w.call("GET", "/api/admin/users", token, nil)
				barred(what, status, out)
			}
			w.must(200, "GET", "/api/auth/config", "", nil)
			for _, path := range []string{"start", "callback"} { // a browser's own steps end at the sign-in page
				res := w.navigate("/api/auth/oidc/" + path)
				if to := res.Header.Get("Location"); !strings.Contains(to, "/login#error=recovery_required") {
					t.Errorf("single sign-on, %s: %s to %q", path, res.Status, to)
				}
			}
			if !w.onList(w.serial) {
				t.Error("the CRL does not name it")
			}
			must.OK(t, w.stop())

			want := app.RecoverRequest{Via: "a test"}
			found := must.Get(app.Recover(t.Context(), cfg, want))(t)
			if found.Vault != nil || found.Database == nil {
				t.Fatalf("found %+v", found)
			}
			lines := strings.Join(found.Database.Lines(), "\n")
			if !strings.Contains(lines, "audit entries") || !strings.Contains(lines, "release") {
				t.Errorf("it lacks %s", lines)
			}
			want.Accept = "database"
			if want.Disable = accounts == "disable"; want.Disable {
				want.Administrator = "nobody"
				if _, err := app.Recover(t.Context(), cfg, want); err == nil {
					t.Error("nobody is spared")
				}
				want.Administrator = "admin"
			}
			must.Get(app.Recover(t.Context(), cfg, want))(t)
			w.server = start(t, cfg)
			w.standing(t, "connected", "connected")
			if status, _ := w.call("GET", "/api/auth/me", w.tokens["admin"], nil); status != http.StatusUnauthorized {
				t.Errorf("a session of before: %d", status)
			}
			if status, _ := w.call("GET", "/api/admin/users", key, nil); status != http.StatusUnauthorized {
				t.Errorf("an API key of before: %d", status)
			}
			wants := 200 // kept, as announced at the acceptance
			if want.Disable {
				wants = 403
			}
			if status, out := sign("boss", usual); status != wants {
				t.Errorf("the dismissed one: %d %v", status, out)
			}
			w.signIn("admin", adminPassword)
			w.afterOlderDatabase(t, want.Disable)
			if out := w.must(200, "GET", "/api/certificates/"+w.serial, w.tokens["admin"], nil); out["status"] != "revoked" || !w.onList(w.serial) {
				t.Errorf("the record: %v", out)
			}
			must.OK(t, w.stop())
			must.Get(app.VerifyAudit(t.Context(), cfg, nil))(t)
		})
	}
}
