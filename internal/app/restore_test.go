package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

const backupPassword = "a password for backups"

// makesBackup creates a backup and returns its key.
func (w *fixture) makesBackup(t *testing.T) string {
	t.Helper()
	w.signIn("admin", adminPassword)
	w.must(200, "PUT", "/api/backup/settings", w.tokens["admin"], map[string]any{"encryption_password": backupPassword, "schedule": ""})
	job := w.must(202, "POST", "/api/backup/trigger", w.tokens["admin"], map[string]any{"type": "full"})
	return w.ended(t, job, "Completed")["key"].(string)
}

// ended waits for the end of a job.
func (w *fixture) ended(t *testing.T, job map[string]any, status string) map[string]any {
	t.Helper()
	path := fmt.Sprintf("/api/backup/jobs/%v", job["job_id"])
	await.That(t, "the job has ended", func() bool {
		job = w.must(200, "GET", path, w.tokens["admin"], nil)
		return job["finished_at"] != nil
	})
	if job["status"] != status {
		t.Fatalf("the job has ended so: %v", job)
	}
	return job
}

// pins returns the vault's values for a token: the PIN and what the card may hold
// instead.
func (w *fixture) pins(t *testing.T, name, serial string) map[string]any {
	t.Helper()
	w.signIn(name, usual)
	w.registerAgent(w.tokens[name], w.sessions[name])
	out := w.must(200, "GET", "/api/hwkey/"+serial+"/secrets?candidates=true", w.tokens[name], nil)
	var values []string
	for _, c := range out["candidates"].(map[string]any)["pin"].([]any) {
		candidate := c.(map[string]any)
		if value, ok := candidate["value"].(string); ok {
			values = append(values, fmt.Sprint(candidate["kind"], " ", open(t, serial, "pin", value)))
		}
	}
	return map[string]any{"pin": open(t, serial, "pin", out["pin"].(string)), "candidates": values}
}

// healthy requires that nothing was found and nothing is held back.
func (w *fixture) healthy(t *testing.T) {
	t.Helper()
	if out := w.must(200, "GET", "/api/health", "", nil); out["status"] != "ok" {
		t.Errorf("health: %v", out)
	}
}

// newSingleMachine is a fixture with an embedded vault, even if other tests use
// another.
func newSingleMachine(t *testing.T) *fixture {
	t.Helper()
	if !vaultserver.Wanted(t) {
		return newFixture(t)
	}
	cfg := testConfig(t, t.TempDir())
	ownVault.Store(cfg.Data, true)
	w := &fixture{start(t, cfg), people{tokens: map[string]string{}, sessions: map[string]int{}, ids: map[string]any{}}}
	w.settle(t)
	return w
}

// onBareMachine returns the settings of an empty machine.
func (w *fixture) onBareMachine(t *testing.T) config.Config {
	t.Helper()
	cfg := w.cfg
	cfg.Data = t.TempDir()
	ownVault.Store(cfg.Data, true)
	if engine.OnPostgres() {
		cfg.DatabaseURL = secret.New(engine.Database(t, cfg.Data))
	}
	return cfg
}

// TestRestoreOntoBareMachine: the file alone restores everything.
func TestRestoreOntoBareMachine(t *testing.T) {
	t.Parallel()
	w := newSingleMachine(t)
	w.must(200, "POST", "/api/certificates/"+w.serial+"/revoke", w.tokens["admin"], map[string]any{"reason": "keyCompromise"})
	before := w.pins(t, "a-user", "10000")
	key := w.makesBackup(t)
	number := w.revocationList().Number
	must.OK(t, w.stop())

	cfg := w.onBareMachine(t)
	request := app.RestoreRequest{File: filepath.Join(w.data, "backups", key), Password: secret.New("not it"), Via: "keyward restore"}
	if _, err := app.Restore(t.Context(), cfg, request); err == nil || !strings.Contains(err.Error(), "password") {
		t.Errorf("a wrong password: %v", err)
	}
	if left := must.Get(os.ReadDir(cfg.Data))(t); len(left) != 0 && !engine.OnPostgres() {
		t.Errorf("a wrong password leaves %v", left)
	}
	request.Password = secret.New(backupPassword)
	request.DryRun = true
	looked := must.Get(app.Restore(t.Context(), cfg, request))(t)
	if left := must.Get(os.ReadDir(cfg.Data))(t); looked.Plan.Database != restore.Empty || len(left) != 0 && !engine.OnPostgres() {
		t.Errorf("a dry run leaves %v: %+v", left, looked)
	}
	request.DryRun = false
	out := must.Get(app.Restore(t.Context(), cfg, request))(t)
	if out.Job.Status != backup.Completed || out.Job.Outcome != backup.OK {
		t.Errorf("the restore: %+v", out.Job)
	}

	again := &fixture{start(t, cfg), w.people}
	again.healthy(t)
	if after := again.pins(t, "a-user", "10000"); !cmp.Equal(before, after) {
		t.Errorf("the PIN (-before +after):\n%s", cmp.Diff(before, after))
	}
	if list := again.revocationList(); list.Number.Cmp(number) <= 0 || !again.onList(w.serial) {
		t.Errorf("the CRL has the number %v, before %v; the revocation is on it: %v", list.Number, number, again.onList(w.serial))
	}
	if status, _ := again.call("GET", "/api/auth/me", w.tokens["admin"], nil); status != 401 {
		t.Errorf("a session of before answers %d", status)
	}
	must.OK(t, again.stop())
	report, err := app.VerifyAudit(t.Context(), cfg, nil)
	if err != nil || report.Entries == 0 {
		t.Errorf("the audit log: %+v, %v", report, err)
	}
}

// TestRestoreInUse: what happened since the backup stays, what the backup holds is
// restored, and everybody is signed out.
func TestRestoreInUse(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	key := w.makesBackup(t)
	former := w.pins(t, "a-user", "10000")["pin"]
	admin := w.tokens["admin"]

	w.must(200, "POST", "/api/certificates/"+w.serial+"/revoke", admin, map[string]any{"reason": "keyCompromise"})
	w.must(200, "PATCH", fmt.Sprintf("/api/admin/users/%v", w.ids["b-user"]), admin, map[string]any{"is_active": false})
	w.must(201, "POST", "/api/hwkey", admin, map[string]any{"serial": "10010", "organization_id": w.ids["a"]})
	rotation := w.must(201, "POST", "/api/hwkey/10000/rotations", w.tokens["a-user"], map[string]any{"fields": []string{"pin"}})
	w.must(200, "POST", fmt.Sprintf("/api/hwkey/10000/rotations/%v/commit", rotation["id"]), w.tokens["a-user"], nil)
	number := w.revocationList().Number

	restore := map[string]any{"key": key, "password": "not the password"}
	tried := w.must(200, "POST", "/api/backup/restore/validate-password", admin, restore)
	if header := tried["header"].(map[string]any); tried["valid"] != false || header["backup_type"] != "full" {
		t.Errorf("a wrong password: %v", tried)
	}
	failed := w.ended(t, w.must(202, "POST", "/api/backup/restore", admin, restore), "Failed")
	if !strings.Contains(fmt.Sprint(failed["error_message"]), "password") {
		t.Errorf("a restore with a wrong password: %v", failed)
	}
	w.must(409, "POST", fmt.Sprintf("/api/backup/jobs/%v/retry", failed["job_id"]), admin, map[string]any{"password": backupPassword})
	w.must(404, "POST", "/api/backup/restore", admin, map[string]any{"key": "no-backup", "password": backupPassword})
	restore["password"] = backupPassword
	if out := w.must(200, "POST", "/api/backup/restore/validate-password", admin, restore); out["valid"] != true {
		t.Errorf("the password: %v", out)
	}
	w.must(202, "POST", "/api/backup/restore", admin, restore)
	var status map[string]any
	await.That(t, "the restore has ended", func() bool {
		status = w.must(200, "GET", "/api/backup/restore/status", admin, nil)
		return status["running"] == false
	})
	job := status["job"].(map[string]any)
	if job["status"] != "Completed" || job["outcome"] != "warnings" ||
		!strings.Contains(fmt.Sprint(job["warnings"]), "Kept as today: 1 accounts") {
		t.Errorf("the restore: %v", job)
	}

	if out := w.must(401, "GET", "/api/auth/me", admin, nil); out["code"] != "session_not_found" && out["code"] != "token_invalid" {
		t.Errorf("a session of before: %v", out)
	}
	w.must(401, "GET", "/api/backup/restore/status", w.tokens["a-user"], nil)
	w.healthy(t)
	w.signIn("admin", adminPassword)
	if status, out := w.call("POST", "/api/auth/login", "", map[string]any{"username": "b-user", "password": usual}); status != 403 {
		t.Errorf("who was dismissed since the backup signs in: %d %v", status, out)
	}
	w.must(200, "GET", "/api/hwkey/10010", w.tokens["admin"], nil)
	if list := w.revocationList(); list.Number.Cmp(number) <= 0 || !w.onList(w.serial) {
		t.Errorf("the CRL has the number %v, before %v; the revocation is on it: %v", list.Number, number, w.onList(w.serial))
	}
	w.restoresVault(t)
	if pins := w.pins(t, "a-user", "10000"); pins["pin"] == former || !strings.Contains(fmt.Sprint(pins["candidates"]), fmt.Sprint(former)) {
		t.Errorf("the PIN before the restore was a newer one than the backup's %v; now: %v", former, pins)
	}
	must.OK(t, w.stop())
	if report, err := app.VerifyAudit(t.Context(), w.cfg, nil); err != nil || report.Entries == 0 {
		t.Errorf("the audit log: %+v, %v", report, err)
	}
}

// restoresVault: a restore of the vault alone ends all sessions, too.
func (w *fixture) restoresVault(t *testing.T) {
	t.Helper()
	admin := w.tokens["admin"]
	job := w.ended(t, w.must(202, "POST", "/api/backup/trigger", admin, map[string]any{"type": "vault"}), "Completed")
	w.must(202, "POST", "/api/backup/restore", admin, map[string]any{"key": job["key"], "password": backupPassword})
	var status map[string]any
	await.That(t, "the restore of the vault has ended", func() bool {
		status = w.must(200, "GET", "/api/backup/restore/status", admin, nil)
		return status["running"] == false
	})
	if job := status["job"].(map[string]any); job["status"] != "Completed" || status["unfinished"] != nil {
		t.Errorf("the restore of the vault: %v", status)
	}
	if out := w.must(401, "GET", "/api/auth/me", admin, nil); out["code"] != "session_not_found" && out["code"] != "token_invalid" {
		t.Errorf("a session of before the vault's restore: %v", out)
	}
	w.signIn("admin", adminPassword)
	for _, s := range w.must(200, "GET", "/api/auth/sessions", w.tokens["admin"], nil)["items"].([]any) {
		if s := s.(map[string]any); s["active"] != s["current"] {
			t.Errorf("a session after the vault's restore: %v", s)
		}
	}
}

// TestDrill: a drill proves that a backup restores and leaves nothing behind; it fails
// on a damaged backup.
func TestDrill(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	key := w.makesBackup(t)
	job := w.ended(t, w.must(202, "POST", "/api/backup/drill", w.tokens["admin"], map[string]any{}), "Completed")
	details := fmt.Sprint(job["details"])
	if job["key"] != key || !strings.Contains(details, " records and ") || !strings.Contains(details, "audit entries verified: ") {
		t.Errorf("the drill: %v", job)
	}
	path := filepath.Join(w.data, "backups", key)
	raw := must.Get(os.ReadFile(path))(t)
	raw[len(raw)/2] ^= 1
	must.OK(t, os.WriteFile(path, raw, 0o600))
	failed := w.ended(t, w.must(202, "POST", "/api/backup/drill", w.tokens["admin"], map[string]any{"key": key}), "Failed")
	if !strings.Contains(fmt.Sprint(failed["error_message"]), "damaged") {
		t.Errorf("the drill of a damaged backup: %v", failed)
	}
	if _, err := os.Stat(filepath.Join(w.data, "restoring")); !os.IsNotExist(err) {
		t.Errorf("a drill leaves something: %v", err)
	}
}
