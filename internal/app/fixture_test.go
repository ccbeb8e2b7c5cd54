package app_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/httpapi/apitest"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// fixture is a server with two organizations: in each a manager, a user, and a
// token of the user; and one token in stock.
type fixture struct {
	*server
	people
}

// people is what a test knows of a fixture.
type people struct {
	tokens   map[string]string // access token by username
	sessions map[string]int
	ids      map[string]any // user and organization ids by name
	serial   string         // a certificate of a's token
}

// atRest is a fixture without a server: servers start on copies of it.
type atRest struct {
	people
	data  string            // the data directory
	files map[string][]byte // in it, by name
	kept  string            // its database, if that is not a file
}

// built is rebuilt when its sign-ins are about to be no longer recent.
var built struct {
	sync.Mutex
	atRest
	at time.Time
}

const usual = "a usual password"

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixtureWith(t, func(*config.Config) {})
}

// newFixtureWith is newFixture with other settings.
func newFixtureWith(t *testing.T, change func(*config.Config)) *fixture {
	t.Helper()
	cfg := testConfig(t, t.TempDir())
	known := copyFixture(t, cfg.Data)
	change(&cfg)
	return &fixture{start(t, cfg), known}
}

// copyFixture fills the data directory of a server that is not running yet.
func copyFixture(t *testing.T, dir string) people {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if time.Since(built.at) > access.RecentFor/2 {
		buildFixture(t)
	}
	return built.copyTo(t, dir)
}

// copyTo is copyFixture for any fixture.
func (a atRest) copyTo(t *testing.T, dir string) people {
	t.Helper()
	for name, raw := range a.files {
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if vaultserver.Wanted(t) {
		vaultserver.Copy(t, a.data, dir)
	}
	engine.Restore(t, dir, a.kept)
	out := a.people
	out.tokens, out.sessions, out.ids = maps.Clone(out.tokens), maps.Clone(out.sessions), maps.Clone(out.ids)
	return out
}

func buildFixture(t *testing.T) {
	t.Helper()
	at := time.Now()
	w := &fixture{start(t, testConfig(t, t.TempDir())), people{tokens: map[string]string{}, sessions: map[string]int{}, ids: map[string]any{}}}
	w.settle(t)
	built.atRest, built.at = w.rest(t), at
}

// rest stops the server and keeps its files.
func (w *fixture) rest(t *testing.T) atRest {
	t.Helper()
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(w.data)
	if err != nil {
		t.Fatal(err)
	}
	a := atRest{people: w.people, data: w.data, files: map[string][]byte{}}
	for _, f := range files {
		if a.files[f.Name()], err = os.ReadFile(filepath.Join(w.data, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
	a.kept = engine.Keep(t, w.data)
	return a
}

func (w *fixture) settle(t *testing.T) {
	t.Helper()
	w.signIn("admin", adminPassword)
	for i, org := range []string{"a", "b"} {
		w.ids[org] = w.must(201, "POST", "/api/admin/organizations", w.tokens["admin"], map[string]any{"name": "org " + org})["id"]
		for _, role := range []string{"org_manager", "user"} {
			name := org + "-" + role
			w.ids[name] = w.must(201, "POST", "/api/admin/users", w.tokens["admin"], map[string]any{
				"username": name, "email": name + "@example.org", "password": usual, "role": role, "organization_id": w.ids[org],
			})["id"]
			w.signIn(name, usual)
		}
		w.must(201, "POST", "/api/hwkey", w.tokens[org+"-org_manager"], map[string]any{
			"serial": fmt.Sprintf("1000%d", i), "owner_id": w.ids[org+"-user"],
		})
	}
	w.must(201, "POST", "/api/hwkey", w.tokens["admin"], map[string]any{"serial": "10009", "organization_id": w.ids["a"]})
	w.registerAgent(w.tokens["a-user"], w.sessions["a-user"])
	w.registerAgent(w.tokens["a-org_manager"], w.sessions["a-org_manager"])
	w.registerAgent(w.tokens["b-org_manager"], w.sessions["b-org_manager"])
	signed := w.must(200, "POST", "/api/hwkey/10000/sign-csr", w.tokens["a-user"], map[string]any{"csr": request(t, "a-user", nil)})
	w.serial = signed["serial_number"].(string)
}

func (w *fixture) signIn(name, password string) {
	w.tokens[name], w.sessions[name] = w.login(name, password)
}

// client is somebody signed in with our programs' client.
func (w *fixture) client(t *testing.T, name, password string) *client.Backend {
	t.Helper()
	b := must.Get(client.NewBackend(w.base, client.BackendOptions{Attempts: 1}))(t)
	b.SetTransport(apitest.Client(t).Transport)
	must.Get(b.Login(t.Context(), name, secret.New(password)))(t)
	return b
}
