package restore_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

// TestLockedBucket: a backup in a bucket with Object Lock, over TLS with a private CA's
// certificate.
func TestLockedBucket(t *testing.T) {
	t.Parallel()
	store := s3server.Shared(t)
	staysLocked(t, store, store.TLS)
}

// staysLocked creates a backup that the store locks: nobody can delete it with Keyward,
// and the command finds it on a bare machine.
func staysLocked(t *testing.T, store *s3server.Server, endpoint string) {
	t.Helper()
	w := oneMachine(t)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	must.OK(t, os.WriteFile(ca, store.Authority, 0o600))
	w.env["S3_CA_FILE"] = ca + ".missing"
	broken := w.run(t, "", nil, "keyward", "serve", "--listen", "127.0.0.1:0")
	if broken.code == 0 || !strings.Contains(broken.log, "S3_CA_FILE") {
		t.Errorf("without the file: %+v", broken)
	}
	w.env["S3_CA_FILE"] = ca
	w.start(t)
	w.bucket = store.Locking(t)
	w.setBackups(t, endpoint)
	set := w.Must(t, "GET", "/api/backup/settings", w.token, nil)
	if !strings.Contains(fmt.Sprint(set["warnings"]), "NoncurrentVersionExpiration") {
		t.Errorf("the settings warn of %v", set["warnings"])
	}
	set["object_lock_mode"], set["object_lock_days"] = "COMPLIANCE", 3
	for _, shown := range []string{
		"warnings", "location", "next_at", "next_drill_at", "overdue_at", "drill_overdue_at", "secret_access_key_set", "encryption_password_set",
	} {
		delete(set, shown)
	}
	w.Must(t, "PUT", "/api/backup/settings", w.token, set)
	if tested := w.Must(t, "GET", "/api/backup/test-connection", w.token, nil); tested["success"] != true {
		t.Errorf("the test of the store: %v", tested)
	}
	key := w.ended(t, w.Must(t, "POST", "/api/backup/trigger", w.token, fields{"type": "full"}), "Completed")["key"].(string)
	until := time.Now().AddDate(0, 0, 3).UTC().Format("2006-01-02")
	refused := w.Call(t, "DELETE", "/api/backup/"+url.PathEscape(key), w.token, nil)
	if refused.Status != http.StatusConflict || !strings.Contains(fmt.Sprint(refused.Body["detail"]), until) {
		t.Errorf("deleted: %d %s", refused.Status, refused.Raw)
	}
	if listed := w.Must(t, "GET", "/api/backup/list", w.token, nil); listed["total"] != 1.0 {
		t.Errorf("listed: %v", listed)
	}
	w.Kill() // the machine is gone

	to := w.bareMachine(t)
	restore := []string{
		"restore", "--data", to.data, "--json", "--s3-endpoint", endpoint, "--region", s3server.Region, "--bucket", w.bucket,
		"--prefix", "site/", "--access-key-id", s3server.AccessKeyID,
	}
	secrets, trusting := s3server.SecretKey+"\n"+backupPassword+"\n", []string{"S3_CA_FILE=" + ca}
	if listed := to.run(t, secrets, trusting, "keyward", append(restore, "--list")...).succeeds(t); listed["total"] != 1.0 {
		t.Errorf("the list: %v", listed)
	}
	if strings.HasPrefix(endpoint, "https:") {
		if stranger := to.run(t, secrets, nil, "keyward", append(restore, "--list")...); stranger.code != 1 ||
			!strings.Contains(stranger.log, "S3_CA_FILE") {
			t.Errorf("a CA that nobody named: %+v", stranger)
		}
	}
	if dry := to.run(t, secrets, trusting, "keyward", append(restore, "--key", key, "--dry-run")...).succeeds(t); dry["over"] != "bare" {
		t.Errorf("the dry run: %v", dry)
	}
}
