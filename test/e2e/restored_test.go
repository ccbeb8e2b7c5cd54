package e2e_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
)

const backupPassword = "a password for backups, 3rd"

// restored loses the machine, and restores its backup onto a bare one at the same
// address. The restored server releases the PIN that the card has, also to the agent,
// which changes it.
func (j *job) restored(t *testing.T) {
	t.Helper()
	j.watch.secret("the password of the backups", backupPassword)
	before := j.admin.release(j.watch, j.serial)
	j.admin.must(http.StatusOK, http.MethodPut, "/api/backup/settings", m{"encryption_password": backupPassword, "schedule": ""})
	made := j.admin.must(http.StatusAccepted, http.MethodPost, "/api/backup/trigger", m{"type": "full"})
	await.That(t, "the backup has ended", func() bool {
		made = j.admin.must(http.StatusOK, http.MethodGet, "/api/backup/jobs/"+number(made["job_id"]), nil)
		return made["finished_at"] != nil
	})
	if made["status"] != "Completed" || made["outcome"] != "ok" {
		t.Fatalf("the backup: %v", made)
	}
	j.server.Kill()
	j.clients = append(j.clients, j.running)
	j.lost, j.data = j.data, filepath.Join(t.TempDir(), "data")
	restore := launch(t, serverEnv(j.home), backupPassword+"\n", "keyward", "restore", filepath.Join(j.lost, "backups", made["key"].(string)),
		"--data", j.data, "--json")
	j.clients = append(j.clients, restore)
	if out := restore.done(t); out["outcome"] != "ok" || out["over"] != "bare" {
		t.Errorf("the restore: %v", out)
	}
	j.server = j.server.again(t)
	j.admin = login(t, j.watch, j.base, "admin", adminPassword)
	j.admin.registerTestKey()

	if j.tokens.opens(t, j.serial, "pin", strings.Repeat("7", len(before["pin"]))) {
		t.Error("the card takes a wrong PIN")
	}
	after := j.holds(t)
	for _, f := range fields {
		if after[f] != before[f] {
			t.Errorf("the restored vault holds another %s than before", f)
		}
	}
	j.changePIN(t, after)
}
