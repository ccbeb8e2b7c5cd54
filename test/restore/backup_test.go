//go:build exhaustive

package restore_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/s3server"
	"github.com/keyward/keyward/test/server"
)

// backupKills are the steps of a backup, in order.
var backupKills = []killed{
	{name: "the store is asked for the name", at: atS3(s3server.Fault{Hold: true}, request(http.MethodHead, "site/backup-"))},
	{name: "the upload waits", at: atS3(s3server.Fault{Hold: true}, request(http.MethodPut, "site/backup-"))},
	{name: "the upload's answer is late", at: uploaded},
	{name: "it is read back", at: atS3(s3server.Fault{Hold: true}, request(http.MethodGet, "site/backup-"))},
	{name: "the head beside it waits", at: atS3(s3server.Fault{Hold: true}, request(http.MethodPut, "site/audit-head-"))},
	{name: "its end cannot be noted", at: beforeEnd},
	{name: "it has ended", at: afterEnd, done: true},
}

// TestBackupKilled kills the server (SIGKILL) at one step of a backup after another.
func TestBackupKilled(t *testing.T) {
	t.Parallel()
	w := oneMachine(t)
	keys := []string{w.settle(t)}
	for _, c := range backupKills {
		t.Run(c.name, func(t *testing.T) { keys = w.killBackup(t, c, keys) })
	}
	w.healthy(t)
	last := w.ended(t, w.Must(t, "POST", "/api/backup/trigger", w.token, fields{"type": "full"}), "Completed")
	w.nothingLeft(t, append(keys, last["key"].(string))...)
}

// killBackup kills the server during a backup, restarts it, and checks the result. keys
// are the earlier backups.
func (w *world) killBackup(t *testing.T, c killed, keys []string) []string {
	t.Helper()
	id := c.at(t, w, func() int {
		return server.Number(w.Must(t, "POST", "/api/backup/trigger", w.token, fields{"type": "full"})["job_id"])
	})
	w.comesBack(t, c, id)
	w.start(t)
	j := w.over(t, id)
	if c.done {
		var key string
		w.row(t, []any{&key}, "SELECT key FROM backup_jobs WHERE id = ?", id)
		keys = append(keys, key)
		if j.status != "Completed" || j.outcome != "ok" {
			t.Errorf("the job: %+v", j)
		}
	} else if j.status != "Failed" || j.outcome != "" || !strings.Contains(j.message, c.says()) {
		t.Errorf("the job: %+v", j)
	}
	w.nothingLeft(t, keys...)
	return keys
}
