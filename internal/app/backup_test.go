package app_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// TestBackupByTheAPI creates a backup, fetches it by its link, whole and in part, and
// deletes it.
func TestBackupByTheAPI(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	const pw = "correct horse battery"
	admin := w.tokens["admin"]
	if status, out := w.call("POST", "/api/backup/trigger", admin, map[string]any{"type": "full"}); out["code"] != "backup_not_configured" {
		t.Errorf("without a password: %d %v", status, out)
	}
	set := w.must(200, "PUT", "/api/backup/settings", admin, map[string]any{"prefix": "site a/", "encryption_password": pw})
	if set["encryption_password_set"] != true || set["store"] != "directory" || set["schedule"] != "0 2 * * *" ||
		set["next_at"] == nil || set["next_drill_at"] == nil || set["overdue_at"] != nil || set["drill_overdue_at"] != nil ||
		set["retention_days"] != 30.0 ||
		set["include_audit_logs"] != true || set["secret_access_key_set"] != false {
		t.Errorf("settings %v", set)
	}
	job := w.must(202, "POST", "/api/backup/trigger", admin, map[string]any{"type": "full"})
	path := fmt.Sprint("/api/backup/jobs/", job["job_id"])
	await.That(t, "the backup is over", func() bool {
		job = w.must(200, "GET", path, admin, nil)
		return job["finished_at"] != nil
	})
	if job["status"] != "Completed" || job["outcome"] != "ok" || job["progress_percent"] != 100.0 {
		t.Fatalf("the job is %v", job)
	}
	key := job["key"].(string)
	list := w.must(200, "GET", "/api/backup/list", admin, nil)
	if item := list["items"].([]any)[0].(map[string]any); list["total"] != 1.0 || item["key"] != key ||
		item["size_bytes"] != job["size_bytes"] ||
		item["type"] != "full" {
		t.Errorf("listed: %v", list)
	}
	kept := w.system(admin, "storage")["backup_store"].(map[string]any)
	if free, _ := kept["free_bytes"].(float64); kept["status"] != "ok" || kept["kind"] != "directory" || kept["backups"] != 1.0 || free <= 0 ||
		!strings.HasSuffix(fmt.Sprint(kept["location"]), "site a") || kept["checked_at"] == nil {
		t.Errorf("the store of the backups is shown as %v", kept)
	}
	link := must.Get(url.Parse(w.must(200, "GET", "/api/backup/download/"+url.PathEscape(key), admin, nil)["url"].(string)))(t)
	status, content := fetched(t, "GET", w.base+link.RequestURI())
	a, err := archive.Open(t.Context(), bytes.NewReader(content), int64(len(content)), archive.TypedPassword(secret.New(pw)))
	if status != 200 || err != nil || a.Secrets == 0 {
		t.Errorf("fetched %d, %d bytes: %v", status, len(content), err)
	}
	status, part := fetched(t, "GET", w.base+link.RequestURI(), "Range", "bytes=10-19")
	if status != 206 || !bytes.Equal(part, content[10:20]) {
		t.Errorf("a part: %d %q", status, part)
	}
	if status, _ := fetched(t, "GET", w.base+link.RequestURI()+"0"); status != 403 {
		t.Errorf("another link: %d", status)
	}
	entry := w.must(200, "GET", "/api/admin/audit?action=backup.completed", admin, nil)["items"].([]any)[0].(map[string]any)
	if entry["file_name"] != key || entry["backup_type"] != "full" || entry["size_bytes"] != job["size_bytes"] || entry["actor"] != "admin" {
		t.Errorf("on record: %v", entry)
	}
	// The slash need not be escaped.
	plain := strings.ReplaceAll(key, " ", "%20")
	if status, text := fetched(t, "GET", w.base+"/api/backup/download/"+plain, "Authorization", "Bearer "+admin); status != 200 {
		t.Errorf("a link by the plain key: %d %s", status, text)
	}
	if status, text := fetched(t, "DELETE", w.base+"/api/backup/"+plain, "Authorization", "Bearer "+admin); status != 204 {
		t.Errorf("deleted by the plain key: %d %s", status, text)
	}
	w.must(404, "DELETE", "/api/backup/"+url.PathEscape(key), admin, nil)
}

// fetched sends requests that are not checked against the contract: bytes, and slashes
// in a parameter.
func fetched(t *testing.T, method, address string, header ...string) (status int, content []byte) {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), method, address, nil))(t)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res := must.Get(http.DefaultClient.Do(r))(t)
	defer res.Body.Close()
	return res.StatusCode, must.Get(io.ReadAll(res.Body))(t)
}
