package app_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // to hold the database from outside, as a backup program would

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/test/engine"
)

// atOnce does the same n times concurrently and counts the statuses.
func atOnce(n int, do func(i int) int) map[int]int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	counts := map[int]int{}
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			status := do(i)
			mu.Lock()
			counts[status]++
			mu.Unlock()
		})
	}
	close(start)
	wg.Wait()
	return counts
}

// TestNothingUnaudited: while the database accepts no writes, nothing is released,
// signed, opened or revoked; afterwards everything resumes.
func TestNothingUnaudited(t *testing.T) {
	t.Parallel()
	w := newFixtureWith(t, func(c *config.Config) { c.DatabaseLockTimeout = time.Second })
	user := w.tokens["a-user"]
	before := w.state()
	release := hold(t, w.data)
	requests := []struct{ method, path string }{
		{"GET", "/api/hwkey/10000/secrets"}, {"POST", "/api/hwkey/10000/sign-csr"}, {"POST", "/api/certificates/" + w.serial + "/revoke"},
	}
	csr := request(t, "a-user", nil)
	atOnce(len(requests), func(i int) int {
		r := requests[i]
		var body any
		if r.path == "/api/hwkey/10000/sign-csr" {
			body = map[string]any{"csr": csr, "slot": "9e"}
		}
		status, out := w.call(r.method, r.path, user, body)
		if status != 503 || out["code"] != "database_unavailable" {
			t.Errorf("%s %s: %d %v, want 503 database_unavailable", r.method, r.path, status, out["code"])
		}
		if out["pin"] != nil || out["certificate"] != nil {
			t.Errorf("%s %s: something left unaudited", r.method, r.path)
		}
		return status
	})
	release()
	if diff := cmp.Diff(before, w.state()); diff != "" {
		t.Errorf("a refused request changed something (-before +after):\n%s", diff)
	}
	w.must(200, "GET", "/api/hwkey/10000/secrets", user, nil)
	w.must(200, "POST", "/api/certificates/"+w.serial+"/revoke", user, nil)
}

// hold takes the database's write lock on another connection, as a stuck backup program
// would.
func hold(t *testing.T, data string) (release func()) {
	t.Helper()
	return engine.Hold(t, data)
}

// TestSealed: without its seal key the server starts, reports it, and refuses what
// needs a secret; with the key everything is there again.
func TestSealed(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t, t.TempDir())
	ownVault.Store(cfg.Data, true)
	s := start(t, cfg)
	token, _ := s.login("admin", adminPassword)
	s.must(201, "POST", "/api/hwkey", token, map[string]any{"serial": "88001"})
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(cfg.Data, "seal.key")
	if err := os.Rename(key, key+".away"); err != nil {
		t.Fatal(err)
	}
	s = start(t, cfg)
	if out := s.must(200, "GET", "/api/health", "", nil); out["status"] != "degraded" || out["vault"] != "sealed" ||
		out["database"] != "connected" {
		t.Errorf("health: %v", out)
	}
	if out := s.must(503, "POST", "/api/auth/login", "",
		map[string]any{"username": "admin", "password": adminPassword}); out["code"] != "vault_unavailable" {
		t.Errorf("login: %v", out)
	}
	s.must(503, "GET", "/api/auth/me", token, nil)
	s.must(503, "GET", "/api/pki/crl", "", nil)
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(key); err == nil {
		t.Fatal("a new seal key was made over an existing vault")
	}
	if err := os.Rename(key+".away", key); err != nil {
		t.Fatal(err)
	}
	s = start(t, cfg)
	s.must(200, "GET", "/api/hwkey/88001", token, nil) // the session and the JWT secret are still there
	s.must(200, "GET", "/api/health", "", nil)
}
