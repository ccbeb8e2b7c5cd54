package app_test

import (
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/move"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// small is an installation of one machine that is to be moved, and what was
// known of it.
type small struct {
	people

	cfg     config.Config
	pin     string // of token 10000
	version float64
	revoked string // a certificate's serial number
	newest  float64
	number  uint64 // of the CRL
	key     string // of the API
}

// newSmall makes one, whose server has ended.
func newSmall(t *testing.T) small {
	t.Helper()
	cfg := testConfig(t, t.TempDir())
	cfg.SiteURL = vaultserver.PublicBase
	w := &town{startAs(t, cfg, app.Run), people{tokens: map[string]string{}, sessions: map[string]int{}, ids: map[string]any{}}}
	w.settle(t)
	s := small{people: w.people, cfg: cfg, pin: "135790"}
	w.must(201, "POST", "/api/hwkey/10000/rotations", w.tokens["a-user"], map[string]any{"fields": []string{"pin"}, "pin": s.pin})
	w.must(200, "POST", "/api/hwkey/10000/rotations/1/commit", w.tokens["a-user"], nil)
	secrets := w.must(200, "GET", "/api/hwkey/10000/secrets", w.tokens["a-user"], nil)
	s.version = secrets["version"].(float64)
	_, other := w.sign("a-user", "10000", "9d", nil)
	s.revoked = other["serial_number"].(string)
	w.revoke(200, "a-user", s.revoked, "superseded")
	s.key, _ = w.apiKey("a-org_manager", map[string]any{"name": "inventory", "role": "org_manager"})
	w.hook("admin", map[string]any{"url": "https://hooks.example.org/x", "actions": []string{"user."}})
	w.call("POST", "/api/auth/login", "", map[string]any{"username": "a-user", "password": "wrong"})
	s.number = w.revocationList().Number.Uint64()
	s.newest = w.must(200, "GET", "/api/admin/audit?limit=1", w.tokens["admin"], nil)["items"].([]any)[0].(map[string]any)["id"].(float64)
	must.OK(t, w.stop())
	return s
}

// target are the settings of where it goes: a database, and mounts of their
// own that nobody has prepared.
func (s small) target(t *testing.T, database string) config.Config {
	t.Helper()
	v := vaultserver.Shared(t)
	o := v.Operator()
	cfg := testConfig(t, t.TempDir())
	cfg.SiteURL, cfg.DatabaseURL = s.cfg.SiteURL, secret.New(database)
	cfg.VaultAddr, cfg.VaultToken, cfg.VaultCACert = v.Address, secret.New(v.Root), filepath.Join(t.TempDir(), "ca.pem")
	cfg.VaultKVMount, cfg.VaultPKIMount, cfg.VaultAppRoleMount, cfg.VaultRole = o.Mounts.KV, o.Mounts.PKI, "approle", o.Mounts.Role
	must.OK(t, os.WriteFile(cfg.VaultCACert, v.CACert, 0o600))
	return cfg
}

// files is what a directory holds, by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, f := range must.Get(os.ReadDir(dir))(t) {
		if !strings.HasSuffix(f.Name(), "-shm") { // which SQLite makes anew
			out[f.Name()] = string(must.Get(os.ReadFile(filepath.Join(dir, f.Name())))(t))
		}
	}
	return out
}

// sameFiles compares two of these. Whoever closes a database may fold its log
// (-wal) into it: its rows are compared elsewhere.
func sameFiles(before, after map[string]string) bool {
	mine := func(all map[string]string) map[string]string {
		all = maps.Clone(all)
		maps.DeleteFunc(all, func(name, _ string) bool { return strings.HasPrefix(name, "keyward.db") })
		return all
	}
	return maps.Equal(mine(before), mine(after))
}

// start runs a server on what was moved, which logs in by the AppRole.
func (s small) start(t *testing.T, to config.Config, credentials string) *town {
	t.Helper()
	to.VaultToken = secret.String{}
	to.VaultRoleID = must.Get(config.ReadSecret(filepath.Join(credentials, "role_id")))(t)
	to.VaultSecretID = must.Get(config.ReadSecret(filepath.Join(credentials, "secret_id")))(t)
	return &town{startAs(t, to, app.Run), s.people}
}

// serves holds a server on what was moved to what was known before.
func (s small) serves(t *testing.T, to config.Config, credentials string) {
	t.Helper()
	w := s.start(t, to, credentials)
	w.must(200, "GET", "/api/auth/me", s.tokens["a-user"], nil) // who was signed in, still is
	secrets := w.must(200, "GET", "/api/hwkey/10000/secrets", s.tokens["a-user"], nil)
	if pin := open(t, "10000", "pin", secrets["pin"].(string)); pin != s.pin || secrets["version"] != s.version {
		t.Errorf("the PIN is another, or its version %v, which was %v", secrets["version"], s.version)
	}
	token, _ := w.login("a-user", usual)
	if got := w.must(200, "GET", "/api/certificates/"+w.serial, token, nil)["status"]; got != "issued" {
		t.Errorf("the certificate is %v", got)
	}
	if reason, _ := w.crlEntry(s.revoked); reason < 0 {
		t.Error("what was revoked is not on the CRL")
	}
	list := w.revocationList()
	if n := list.Number.Uint64(); n <= s.number || len(list.RevokedCertificateEntries) != 1 {
		t.Errorf("the CRL has the number %d, before %d, and %d entries", n, s.number, len(list.RevokedCertificateEntries))
	}
	w.must(200, "GET", "/api/hwkey", s.key, nil)
	admin, _ := w.login("admin", adminPassword)
	if hooks := w.must(200, "GET", "/api/admin/webhooks", admin, nil)["items"].([]any); len(hooks) != 1 {
		t.Errorf("%d webhooks", len(hooks))
	}
	entries := w.must(200, "GET", "/api/admin/audit?limit=2", admin, nil)["items"].([]any)
	if id := entries[0].(map[string]any)["id"].(float64); id <= s.newest {
		t.Errorf("a new audit entry has the id %v, and there was %v", id, s.newest)
	}
	w.must(201, "POST", "/api/admin/users", admin, map[string]any{
		"username": "new", "email": "new@example.org", "password": usual, "role": "user", "organization_id": s.ids["a"],
	})
	w.revoke(200, "admin", w.serial, "superseded")
	if reason, _ := w.crlEntry(w.serial); reason < 0 {
		t.Error("what is revoked now is not on the CRL")
	}
	must.OK(t, w.stop())
	report, err := app.VerifyAudit(t.Context(), to, nil)
	if err != nil || report.Unsealed != 0 || float64(report.Head.LastID) <= s.newest {
		t.Errorf("the audit log: %+v, %v", report, err)
	}
}

func TestMove(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	to, credentials := s.target(t, postgrestest.Empty(t)), filepath.Join(t.TempDir(), "credentials")
	before := files(t, s.cfg.Data)
	want := app.MoveRequest{From: s.cfg, To: to, DryRun: true, Credentials: credentials}
	dry := must.Get(app.Move(t.Context(), want, io.Discard))(t)
	if len(dry.Obstacles) > 0 || dry.Documents < 4 || dry.Revocations != 1 || dry.Audit.Entries == 0 || dry.CRLNumber != s.number {
		t.Errorf("the dry run: %+v", dry)
	}
	users := move.Count{Table: "users", Rows: 5}
	if !slices.Contains(dry.Tables, users) {
		t.Errorf("the dry run's tables: %v", dry.Tables)
	}
	if !sameFiles(before, files(t, s.cfg.Data)) {
		t.Error("the dry run changed the old directory")
	}
	if tables := must.Get(store.PostgresTables(t.Context(), store.Server{URL: to.DatabaseURL}))(t); len(tables) > 0 {
		t.Errorf("the dry run made tables: %v", tables)
	}
	again := must.Get(app.Move(t.Context(), want, io.Discard))(t)
	if lacks(again) != lacks(dry) {
		t.Errorf("the dry run changed the vault: %s, before %s", lacks(again), lacks(dry))
	}

	want.DryRun = false
	report := must.Get(app.Move(t.Context(), want, io.Discard))(t)
	if !slices.Equal(report.Tables, dry.Tables) || report.Documents != dry.Documents || report.Audit != dry.Audit {
		t.Errorf("moved: %+v, the dry run said %+v", report, dry)
	}
	after := files(t, s.cfg.Data)
	delete(after, move.MarkFile)
	if !sameFiles(before, after) {
		t.Error("the old directory is not as it was")
	}
	old := must.Get(store.OpenSQLiteReader(t.Context(), filepath.Join(s.cfg.Data, "keyward.db")))(t)
	if users.Rows = must.Get(old.CountRows(t.Context(), "users"))(t); !slices.Contains(dry.Tables, users) {
		t.Errorf("the old directory has %d users", users.Rows)
	}
	must.OK(t, old.Close())
	err := app.Run(t.Context(), "test", s.cfg, slog.New(slog.DiscardHandler), io.Discard, nil)
	if err == nil || !strings.Contains(err.Error(), "was moved to") || !strings.Contains(err.Error(), "docs/moving.md") {
		t.Errorf("a server on the old directory: %v", err)
	}
	s.serves(t, to, credentials)
	if done := must.Get(app.Move(t.Context(), want, io.Discard))(t); done.Before.IsZero() {
		t.Errorf("moved once more: %+v", done)
	}
}

// lacks names what a vault is said to lack.
func lacks(r move.Report) string {
	var names []string
	for _, item := range r.Setup {
		names = append(names, item.Name+strings.Join(item.Lacks, ";"))
	}
	return strings.Join(names, "\n")
}
