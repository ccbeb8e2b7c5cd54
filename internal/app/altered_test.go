package app_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/releaselog"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// TestAlteredDatabase: with a trigger that swallows audit entries no PIN leaves
// and nothing is signed, health says so, and all goes on when it is gone.
func TestAlteredDatabase(t *testing.T) {
	t.Parallel()
	w := newTown(t)
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

// TestVerifyReleases: audit verify names what was done to the entries of
// releases, by token and entry, and lists what only the database has.
func TestVerifyReleases(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	const path = "/api/hwkey/10000"
	w.must(200, "GET", path+"/secrets", w.tokens["a-user"], nil)
	w.must(201, "POST", path+"/rotations", w.tokens["a-user"], map[string]any{"fields": []string{"pin"}})
	w.must(200, "GET", path+"/rotations/1", w.tokens["a-user"], nil)
	var ids []int64
	for _, e := range w.listed("&target=10000", w.tokens["a-user"]) {
		if e := e.(map[string]any); e["action"] == "hwkey.secrets_released" || e["action"] == "hwkey.rotation_started" {
			ids = append(ids, int64(e["id"].(float64)))
		}
	}
	for who, want := range map[string]int{"a-user": 200, "a-org_manager": 200, "admin": 200, "b-org_manager": 404, "b-user": 404} {
		status, out := w.call("GET", path+"/releases", w.tokens[who], nil)
		if status != want || status == 200 && (out["count"] != 3.0 || out["on_record"] != true) {
			t.Errorf("%s is told %d %v", who, status, out)
		}
	}
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	v, err := app.VerifyAudit(t.Context(), w.cfg, nil)
	if err != nil || v.Releases == nil || v.Releases.Releases != 3 || len(ids) != 3 || v.Releases.Unknown != 0 {
		t.Fatalf("before: %+v, %v; %v", v.Releases, err, ids)
	}
	w.server = start(t, w.cfg)
	user := w.client(t, "a-user", usual)
	await.That(t, "what it compares at the start is over for an hour", func() bool {
		return slices.ContainsFunc(w.must(200, "GET", "/api/admin/system/jobs", w.tokens["admin"], nil)["items"].([]any), func(item any) bool {
			task := item.(map[string]any)
			return task["name"] == "compare database and vault" && task["last_outcome"] == "success" && task["running"] == false
		})
	})
	engine.Execute(t, w.cfg.Data, "DELETE FROM audit_entries WHERE id = ?", ids[0])
	engine.Execute(t, w.cfg.Data, "UPDATE audit_entries SET details = 'fields puk' WHERE id = ?", ids[1])
	got := must.Get(user.Releases(t.Context(), "10000"))(t)
	want := client.OnRecord{Count: 3, Missing: ids[:1], Changed: ids[1:2]}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the token's page is told (-want +got):\n%s", d)
	}
	must.OK(t, w.stop())
	v, err = app.VerifyAudit(t.Context(), w.cfg, nil)
	bad, isBad := errors.AsType[*releaselog.Bad](err)
	_, sealed := errors.AsType[*chain.Bad](err)
	if !isBad || !sealed || len(bad.Tokens) != 1 || v.Releases.Releases != 3 {
		t.Fatalf("after: %v", err)
	}
	if s := bad.Tokens[0]; s.Serial != "10000" || !slices.Equal(s.Missing, ids[:1]) || !slices.Equal(s.Changed, ids[1:2]) {
		t.Errorf("after: %+v", s)
	}
	// Nor is anybody let in: an older database would look the same.
	again := start(t, w.cfg)
	if status, out := again.call("GET", path+"/releases", w.tokens["a-user"], nil); status != 503 || out["code"] != "recovery_required" {
		t.Errorf("a start with what is left: %d %v", status, out)
	}
}
