package app_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/engine"
)

// TestWritesBeginAgain: PostgreSQL may let every change begin again from its
// beginning. What people do then has the same answers, and stands in the audit log
// as often, as where each change is made at once.
func TestWritesBeginAgain(t *testing.T) {
	t.Parallel()
	url, undone := postgrestest.Again(t, engine.Postgres(t))
	cfg := testConfig(t, t.TempDir())
	cfg.DatabaseURL = secret.New(url)
	got, want := everyday(t, cfg), everyday(t, testConfig(t, t.TempDir()))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries by action (-at once +again):\n%s", diff)
	}
	entries := 0
	for _, n := range want {
		entries += n
	}
	if n := undone(); n < entries/3 {
		t.Errorf("%d changes began again, for %d entries", n, entries)
	}
}

// everyday does on a new server what people do, and counts the entries of the audit
// log by their actions.
func everyday(t *testing.T, cfg config.Config) map[string]int {
	t.Helper()
	w := &town{start(t, cfg), people{tokens: map[string]string{}, sessions: map[string]int{}, ids: map[string]any{}}}
	w.settle(t)
	admin, manager, user := w.tokens["admin"], w.tokens["a-org_manager"], w.tokens["a-user"]
	w.label("a-org_manager", "10000", "in the drawer")
	w.must(200, "GET", "/api/hwkey/10000/secrets", user, nil)
	w.must(201, "POST", "/api/hwkey/10000/rotations", user, fields{"fields": []string{"pin"}})
	w.must(200, "POST", "/api/hwkey/10000/rotations/1/commit", user, nil)
	w.must(200, "POST", "/api/hwkey/10000/enrolled", user, nil)
	w.must(200, "PATCH", "/api/hwkey/10001", admin, fields{"status": "suspended"})
	w.must(200, "POST", "/api/certificates/"+w.serial+"/revoke", user, nil)
	signedIn := w.must(200, "POST", "/api/auth/login", "", credentials("a-user", usual))
	signedIn = w.must(200, "POST", "/api/auth/refresh", "", fields{"refresh_token": signedIn["refresh_token"]})
	w.must(200, "POST", "/api/auth/logout", signedIn["access_token"].(string), nil)
	w.refused(401, "invalid_credentials", "POST", "/api/auth/login", "", credentials("a-user", "a wrong password"))
	w.must(200, "POST", w.userPath("a-user")+"/reset-password", manager, nil)
	w.must(200, "PATCH", w.userPath("b-user"), admin, fields{"role": "org_manager"})
	w.must(200, "PATCH", w.userPath("b-user"), admin, fields{"is_active": false})
	w.must(200, "PATCH", w.organizationPath("b"), admin, fields{"name": "Bolt"})
	counts := map[string]int{}
	for _, e := range w.listed("", admin) {
		counts[e.(map[string]any)["action"].(string)]++
	}
	return counts
}
