package app_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// TestAlteredDatabase: with a trigger that swallows audit entries, no PIN is released
// and nothing is signed, and health reports it; everything resumes when the trigger is
// gone.
func TestAlteredDatabase(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	release := func() (int, map[string]any) {
		return w.call("GET", "/api/hwkey/10000/secrets", w.tokens["a-user"], nil)
	}
	w.must(200, "GET", "/api/hwkey/10000/secrets", w.tokens["a-user"], nil)

	undo := []string{"DROP TRIGGER quiet"}
	if engine.OnPostgres() {
		engine.Execute(t, w.cfg.Data, "CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
		engine.Execute(t, w.cfg.Data, "CREATE TRIGGER quiet BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION swallow()")
		undo = []string{"DROP TRIGGER quiet ON audit_entries", "DROP FUNCTION swallow"}
	} else {
		engine.Execute(t, w.cfg.Data, "CREATE TRIGGER quiet BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(IGNORE); END")
	}
	await.That(t, "health tells", func() bool {
		return w.must(200, "GET", "/api/health", "", nil)["database"] == "altered"
	})
	status, out := release()
	if status != 503 || out["code"] != "recovery_required" || strings.Contains(out["detail"].(string), "quiet") {
		t.Errorf("a release: %d %v", status, out)
	}
	out = w.must(503, "POST", "/api/hwkey/10000/sign-csr", w.tokens["a-user"],
		map[string]any{"csr": another(t, "a-user", "altered"), "slot": "9c"})
	if out["code"] != "recovery_required" {
		t.Errorf("a signature: %v", out)
	}
	w.must(503, "POST", "/api/hwkey/10000/rotations", w.tokens["a-user"], map[string]any{"fields": []string{"pin"}})
	admin, _ := w.login("admin", adminPassword)
	if _, text := w.text("/api/admin/system/health", admin); !strings.Contains(text, "trigger quiet on audit_entries") {
		t.Errorf("administrators are told %s", text)
	}
	report := must.Get(w.client(t, "admin", adminPassword).Recovery(t.Context()))(t)
	if report.Vault != nil || !slices.Equal(report.Altered, []string{"trigger quiet on audit_entries"}) {
		t.Errorf("the system page is told %+v", report)
	}

	for _, statement := range undo {
		engine.Execute(t, w.cfg.Data, statement)
	}
	await.That(t, "releases go on", func() bool { status, _ := release(); return status == 200 })
}
