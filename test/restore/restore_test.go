package restore_test

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
	"github.com/keyward/keyward/test/server"
)

// TestRestoreKilled kills the server (SIGKILL) at one step of a restore after another.
func TestRestoreKilled(t *testing.T) {
	t.Parallel()
	w := oneMachine(t)
	key := w.settle(t)
	for _, c := range []killed{
		{name: "the backup is fetched", at: atS3(s3server.Fault{Hold: true}, request(http.MethodGet, "site/backup-"))},
		{name: "it is checked, and nothing has changed", at: whenChecked},
		{name: "in the transaction", at: inStatement("AFTER UPDATE ON api_keys WHEN NEW.revoked_at IS NOT NULL", "NOT "+underWay)},
		{name: "before the marks", at: inStatement(beforeMarks, underWay), beyond: true},
		{name: "before the last mark", at: inStatement("AFTER UPDATE ON settings WHEN NEW.name = 'restore_unfinished' AND NEW.value "+hasEnded,
			underWay), beyond: true},
		{name: "its end cannot be noted", at: inStatement("AFTER UPDATE ON backup_jobs WHEN NEW.status = 'Completed'", isOver), done: true},
		{name: "it has ended", at: afterEnd, done: true},
	} {
		t.Run(c.name, func(t *testing.T) { w.killRestore(t, c, key) })
	}
}

// facts are what a restore over an installation in use changes.
type facts struct {
	tables   string // digest of people's data
	sessions int    // active ones
	latest   bool   // the account missing in the backup is enabled, as it should stay
	keys     int    // valid API keys
	applied  int    // recorded restores
	under    bool   // one has not ended
}

func (w *world) facts(t *testing.T) (f facts) {
	t.Helper()
	f.tables = w.tables(t)
	w.row(t, []any{&f.sessions}, "SELECT count(*) FROM sessions WHERE active")
	w.row(t, []any{&f.latest}, "SELECT is_active FROM users WHERE username = ?", fmt.Sprint("since-", w.changes))
	w.row(t, []any{&f.keys}, "SELECT count(*) FROM api_keys WHERE revoked_at IS NULL")
	w.row(t, []any{&f.applied}, "SELECT count(*) FROM audit_entries WHERE action = 'restore.applied'")
	w.row(t, []any{&f.under}, "SELECT "+underWay)
	return f
}

// tables returns the digest of people's data.
func (w *world) tables(t *testing.T) string {
	t.Helper()
	db := w.open(t)
	digest := sha256.New()
	for _, table := range []string{"organizations", "users", "logins", "hwkeys", "certificates", "api_keys"} {
		digestTable(t, digest, db, table)
	}
	must.OK(t, db.Close())
	return fmt.Sprintf("%x", digest.Sum(nil)[:8])
}

// digestTable digests all rows of a table.
func digestTable(t *testing.T, digest io.Writer, db *sql.DB, table string) {
	t.Helper()
	rows := must.Get(db.QueryContext(t.Context(), "SELECT * FROM "+table+" ORDER BY 1"))(t)
	defer rows.Close()
	columns := must.Get(rows.Columns())(t)
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		must.OK(t, rows.Scan(into...))
		fmt.Fprintln(digest, table, values)
	}
	must.OK(t, rows.Err())
}

// change creates what only the installation in use has.
func (w *world) change(t *testing.T) {
	t.Helper()
	w.changes++
	name := fmt.Sprint("since-", w.changes)
	w.Must(t, "POST", "/api/admin/users", w.token, fields{
		"username": name, "email": name + "@example.org", "password": ownerPassword, "role": "user",
	})
	w.Must(t, "POST", "/api/admin/api-keys", w.token, fields{"name": name, "role": "global_admin"})
}

// killRestore kills the server during a restore, checks the database, restarts the
// server, and completes the restore.
func (w *world) killRestore(t *testing.T, c killed, key string) {
	t.Helper()
	w.change(t)
	before := w.facts(t)
	id := c.at(t, w, func() int {
		return server.Number(w.Must(t, "POST", "/api/backup/restore", w.token, fields{"key": key, "password": backupPassword})["job_id"])
	})
	after := w.facts(t)
	switch {
	case c.done || c.beyond: // entirely new
		if after.sessions != 0 || !after.latest || after.keys != 0 || after.applied != before.applied+1 || after.under != c.beyond {
			t.Errorf("the database after: %+v", after)
		}
	case after != before:
		t.Errorf("the database before: %+v; after: %+v", before, after)
	}

	if c.late && c.beyond {
		w.barred(t, id)
	}
	w.comesBack(t, c, id)
	w.start(t)
	j := w.over(t, id)
	switch {
	case c.done: // with a warning, if it could not record its end itself
		if j.status != "Completed" {
			t.Errorf("the job: %+v", j)
		}
	case c.beyond:
		if j.status != "Failed" || j.outcome != "vault_incomplete" {
			t.Errorf("the job: %+v", j)
		}
		w.retry(t, id)
	default:
		if j.status != "Failed" || j.outcome != "" || !strings.Contains(j.message, c.says()) {
			t.Errorf("the job: %+v", j)
		}
	}
	w.healthy(t)
	w.nothingLeft(t, append(w.others, key)...)
}

// retry resumes a restore while secrets are held back.
func (w *world) retry(t *testing.T, id int) {
	t.Helper()
	if out := w.Must(t, "GET", "/api/health", "", nil); out["status"] == "ok" {
		t.Errorf("health: %v", out)
	}
	if res := w.Call(t, "GET", "/api/hwkey/"+serial+"/secrets?reason=the+test+looks", w.token, nil); res.Status != 503 {
		t.Errorf("a secret: %d %s", res.Status, res.Raw)
	}
	again := w.Must(t, "POST", fmt.Sprintf("/api/backup/jobs/%d/retry", id), w.token, fields{"password": backupPassword})
	if j := w.over(t, server.Number(again["job_id"])); j.status != "Completed" {
		t.Errorf("the retry: %+v", j)
	}
	w.signIn(t)
}

// barred requires that a server admits nobody, from its first response on, if it finds
// a restore past its COMMIT, which may still be another server's.
func (w *world) barred(t *testing.T, id int) {
	t.Helper()
	w.serve(t)
	res := w.Call(t, "POST", "/api/auth/login", "", fields{"username": "admin", "password": adminPassword})
	if res.Body["code"] != "restore_running" && w.job(t, id).status == "Running" {
		t.Errorf("somebody signs in as long as the job may be another server's: %d %s", res.Status, res.Raw)
	}
	if out := w.Must(t, "GET", "/api/health", "", nil); out["status"] == "ok" {
		t.Errorf("health: %v", out)
	}
	w.Kill()
}
