package app_test

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/move"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// small is an installation of one machine to be moved, and what is known of it.
type small struct {
	people

	cfg     config.Config
	pin     string // of token 10000
	version float64
	held    map[string][]string // every value that 10000 may hold, by field, in order
	revoked string              // a certificate's serial number
	newest  float64
	number  uint64 // of the CRL
	key     string // of the API
	refresh string // token of b-user
	ear     *ear   // the webhook's receiver
	secret  string // of the webhook
}

// newSmall returns one whose server has ended.
func newSmall(t *testing.T) small {
	t.Helper()
	cfg := testConfig(t, t.TempDir())
	cfg.SiteURL = vaultserver.PublicBase
	s := small{ear: startEar(t, &cfg), cfg: cfg, pin: "135790"}
	w := &fixture{startAs(t, cfg, app.Run), newPeople()}
	w.settle(t)
	s.people = w.people
	w.must(201, "POST", "/api/hwkey/10000/rotations", w.tokens["a-user"], map[string]any{"fields": []string{"pin"}, "pin": s.pin})
	w.must(200, "POST", "/api/hwkey/10000/rotations/1/commit", w.tokens["a-user"], nil)
	w.must(201, "POST", "/api/hwkey/10000/rotations", w.tokens["a-user"], map[string]any{"fields": []string{"puk"}}) // stays open
	s.held, s.version = w.holds(s.tokens["a-user"])
	_, other := w.sign("a-user", "10000", "9d", nil)
	s.revoked = other["serial_number"].(string)
	w.revoke(200, "a-user", s.revoked, "superseded")
	s.key, _ = w.apiKey("a-org_manager", map[string]any{"name": "inventory", "role": "org_manager"})
	_, s.secret = w.hook("admin", map[string]any{"url": s.ear.URL, "actions": []string{"user."}})
	s.refresh = w.must(200, "POST", "/api/auth/login", "", map[string]any{"username": "b-user", "password": usual})["refresh_token"].(string)
	w.call("POST", "/api/auth/login", "", map[string]any{"username": "a-user", "password": "wrong"})
	s.number = w.revocationList().Number.Uint64()
	s.newest = w.must(200, "GET", "/api/admin/audit?limit=1", w.tokens["admin"], nil)["items"].([]any)[0].(map[string]any)["id"].(float64)
	must.OK(t, w.stop())
	return s
}

// holds returns every value that token 10000 may hold, by field, in the order of
// trying, and the version of its secrets.
func (w *fixture) holds(token string) (held map[string][]string, version float64) {
	w.t.Helper()
	out := w.must(http.StatusOK, "GET", "/api/hwkey/10000/secrets?fields=pin,puk,management_key&candidates=true", token, nil)
	held = map[string][]string{}
	for field, list := range out["candidates"].(map[string]any) {
		for _, one := range list.([]any) {
			c := one.(map[string]any)
			held[field] = append(held[field], c["kind"].(string)+" "+open(w.t, "10000", field, c["value"].(string)))
		}
	}
	return held, out["version"].(float64)
}

// target returns the settings of the target: a database, and unprepared mounts of its
// own.
func (s small) target(t *testing.T, database string) config.Config {
	t.Helper()
	return s.targetOn(t, vaultserver.Shared(t), database)
}

func (s small) targetOn(t *testing.T, v *vaultserver.Server, database string) config.Config {
	t.Helper()
	o := v.Operator()
	cfg := s.cfg
	cfg.Data, cfg.DatabaseURL = t.TempDir(), secret.New(database)
	cfg.VaultAddr, cfg.VaultToken, cfg.VaultCACert = v.Address, secret.New(v.Root), filepath.Join(t.TempDir(), "ca.pem")
	cfg.VaultKVMount, cfg.VaultPKIMount, cfg.VaultAppRoleMount, cfg.VaultRole = o.Mounts.KV, o.Mounts.PKI, "approle", o.Mounts.Role
	must.OK(t, os.WriteFile(cfg.VaultCACert, v.CACert, 0o600))
	return cfg
}

// files returns a directory's content, by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, f := range must.Get(os.ReadDir(dir))(t) {
		out[f.Name()] = string(must.Get(os.ReadFile(filepath.Join(dir, f.Name())))(t))
	}
	return out
}

// copied copies an installation into a directory of its own.
func (s small) copied(t *testing.T, from map[string]string) small {
	t.Helper()
	s.cfg.Data = t.TempDir()
	for name, text := range from {
		must.OK(t, os.WriteFile(filepath.Join(s.cfg.Data, name), []byte(text), 0o600))
	}
	return s
}

// untouched compares a directory with its earlier content: each file bit for bit,
// except SQLite's index of its log, which is scratch, and the mark.
func (s small) untouched(t *testing.T, before map[string]string, mark bool) {
	t.Helper()
	after := files(t, s.cfg.Data)
	if _, ok := after[move.MarkFile]; ok != mark {
		t.Errorf("marked: %v", ok)
	}
	scratch := func(name, _ string) bool { return name == move.MarkFile || name == "keyward.db-shm" }
	before = maps.Clone(before)
	maps.DeleteFunc(before, scratch)
	maps.DeleteFunc(after, scratch)
	if !slices.Equal(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after))) {
		t.Errorf("the old directory has other files: %q, had %q", slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)))
	}
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s was changed", name)
		}
	}
}
