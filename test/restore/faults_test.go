//go:build exhaustive

package restore_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
	"github.com/keyward/keyward/test/server"
	"github.com/keyward/keyward/test/vaultserver"
)

// begin begins a full backup, and returns the job's number.
func (w *world) begin(t *testing.T) int {
	t.Helper()
	return server.Number(w.Must(t, "POST", "/api/backup/trigger", w.token, fields{"type": "full"})["job_id"])
}

// makes requires that a backup completes, and returns its key.
func (w *world) makes(t *testing.T) string {
	t.Helper()
	return w.ended(t, map[string]any{"job_id": float64(w.begin(t))}, "Completed")["key"].(string)
}

// fails requires that a job has failed with a message that contains each of the texts.
func (w *world) fails(t *testing.T, id int, outcome string, says ...string) {
	t.Helper()
	j := w.over(t, id)
	if j.status != "Failed" || j.outcome != outcome {
		t.Errorf("the job: %+v", j)
	}
	for _, text := range says {
		if !strings.Contains(j.message, text) {
			t.Errorf("the job says %q, without %q", j.message, text)
		}
	}
}

// full stops the server's files from growing, as a full disk does, or allows it again.
func (w *world) full(t *testing.T, is bool) {
	t.Helper()
	w.fullAt(t, 1<<10, is)
}

// fullAt is full for files larger than size bytes.
func (w *world) fullAt(t *testing.T, size uint64, is bool) {
	t.Helper()
	limit := unix.Rlimit{}
	must.OK(t, unix.Prlimit(w.PID(), syscall.RLIMIT_FSIZE, nil, &limit))
	if limit.Cur = limit.Max; is {
		limit.Cur = size
	}
	must.OK(t, unix.Prlimit(w.PID(), syscall.RLIMIT_FSIZE, &limit, nil))
}

// diskFull has the disk full before a backup's first byte. A database in the data
// directory cannot be written either, until there is space.
func (w *world) diskFull(t *testing.T, keys []string) []string {
	t.Helper()
	held := w.holdS3(s3server.Fault{Hold: true}, request(http.MethodHead, "site/backup-"))
	id := w.begin(t)
	w.held(t, held)
	w.full(t, true)
	if w.database == "" {
		res := w.Call(t, "POST", "/api/admin/api-keys", w.token, fields{"name": "no room", "role": "global_admin"})
		if res.Status != http.StatusServiceUnavailable || res.Body["code"] != "database_unavailable" {
			t.Errorf("a change: %d %s", res.Status, res.Raw)
		}
	}
	w.s3.Fault(nil)
	if w.database == "" {
		w.unrecorded(t, id, 1)
		w.full(t, false)
	}
	w.fails(t, id, "", "has too little space to prepare a backup", "Free some space there, then try again.")
	w.nothingLeft(t, keys...)
	w.full(t, false)
	return append(keys, w.makes(t))
}

// unrecorded waits until the end of a job, the nth in this server's life, could not be
// recorded.
func (w *world) unrecorded(t *testing.T, id, nth int) {
	t.Helper()
	const message = `"msg":"could not record how a backup job ended`
	await.That(t, "the job's end could not be put on record", func() bool { return strings.Count(w.Log.String(), message) >= nth })
	if j := w.job(t, id); j.status != "Running" {
		t.Errorf("the job, which nothing can be written of: %+v", j)
	}
}

// diskFullInRestore has the disk full before a byte of the backup is fetched, and when
// all of it is fetched and being loaded. Nothing has changed then.
func (w *world) diskFullInRestore(t *testing.T, keys []string) {
	t.Helper()
	key := keys[len(keys)-1]
	var size uint64
	w.row(t, []any{&size}, "SELECT size_bytes FROM backup_jobs WHERE key = ?", key)
	w.change(t)
	before := w.facts(t)
	for n, limit := range []uint64{1 << 10, size + 1} {
		held := w.holdS3(s3server.Fault{Hold: true}, request(http.MethodGet, "site/backup-"))
		id := w.restores(t, key)
		w.held(t, held)
		w.fullAt(t, limit, true)
		w.s3.Fault(nil)
		w.unrecorded(t, id, n+2)
		w.full(t, false)
		w.fails(t, id, "", "has too little space to prepare a backup", "Free some space there, then try again.")
		if after := w.facts(t); after != before {
			t.Errorf("the database before: %+v; after: %+v", before, after)
		}
		w.nothingLeft(t, keys...)
	}
}

// vaultDown cuts the vault's connections from its nth response to a read of secrets on.
func (w *world) vaultDown(nth int64) {
	var count atomic.Int64
	w.vault.Fault(func(r *http.Request) vaultserver.Fault {
		if count.Load() >= nth || strings.Contains(r.URL.Path, "/secrets") && count.Add(1) >= nth {
			return vaultserver.CutBefore
		}
		return vaultserver.Pass
	})
}

// vaultBack ends that, and returns when the server has noticed both.
func (w *world) vaultBack(t *testing.T) {
	t.Helper()
	well := func() bool { return w.Must(t, "GET", "/api/health", "", nil)["vault"] != "disconnected" }
	await.That(t, "the vault is seen to be away", func() bool { return !well() })
	w.vault.Fault(nil)
	await.That(t, "the vault is seen to be back", well)
}

// withoutVault has the vault down during a backup, then during a restore.
func (w *world) withoutVault(t *testing.T, keys []string) []string {
	t.Helper()
	held := w.holdS3(s3server.Fault{Hold: true}, request(http.MethodHead, "site/backup-"))
	id := w.begin(t)
	w.held(t, held)
	w.vaultDown(4)
	w.s3.Fault(nil)
	w.fails(t, id, "", "vault is not responding", "Try again")
	w.vaultBack(t)
	w.nothingLeft(t, keys...)
	keys = append(keys, w.makes(t))

	w.change(t)
	before := w.facts(t)
	restored, release := w.restoreWaits(t, keys[len(keys)-1])
	w.vaultDown(4)
	release()
	w.fails(t, restored, "vault_incomplete", "secrets and signatures are on hold", "retry the job")
	if after := w.facts(t); !after.under || after.keys != 0 || after.applied != before.applied+1 {
		t.Errorf("the database after: %+v", after)
	}
	w.vaultBack(t)
	w.signIn(t)
	await.That(t, "it is held back", func() bool { return w.Must(t, "GET", "/api/health", "", nil)["status"] != "ok" })
	w.retry(t, restored)
	w.healthy(t)
	return keys
}

// restores begins to restore a backup, and returns the job's number.
func (w *world) restores(t *testing.T, key string) int {
	t.Helper()
	return server.Number(w.Must(t, "POST", "/api/backup/restore", w.token, fields{"key": key, "password": backupPassword})["job_id"])
}

// restoreWaits begins to restore a backup, which waits in its transaction until it is
// released.
func (w *world) restoreWaits(t *testing.T, key string) (id int, release func()) {
	t.Helper()
	release = w.lock(t, "api_keys", func() { id = w.restores(t, key) })
	return id, release
}

// beside is a second server on the database and the vault.
func (w *world) beside(t *testing.T) *world {
	t.Helper()
	other := *w
	other.data, other.vault = t.TempDir(), nil
	other.whole = t
	other.start(t)
	return &other
}

// twoServers has two servers begin a backup concurrently, then one of them restore.
func (w *world) twoServers(t *testing.T, keys []string) []string {
	t.Helper()
	other := w.beside(t)
	held := w.holdS3(s3server.Fault{Hold: true}, request(http.MethodHead, "site/backup-"))
	answers := make(chan server.Response, 2)
	for _, at := range []*world{w, other} {
		go func() { answers <- at.Call(t, "POST", "/api/backup/trigger", at.token, fields{"type": "full"}) }()
	}
	one, two := <-answers, <-answers
	if one.Status > two.Status {
		one, two = two, one
	}
	if one.Status != http.StatusAccepted || two.Status != http.StatusConflict || two.Body["code"] != "job_running" {
		t.Fatalf("two at once: %d %s, %d %s", one.Status, one.Raw, two.Status, two.Raw)
	}
	w.held(t, held)
	w.s3.Fault(nil)
	keys = append(keys, w.ended(t, one.Body, "Completed")["key"].(string))
	w.nothingLeft(t, keys...)

	w.change(t)
	id, release := w.restoreWaits(t, keys[len(keys)-1])
	res := other.Call(t, "POST", "/api/admin/users", other.token, fields{
		"username": "late", "email": "late@example.org", "password": ownerPassword, "role": "user",
	})
	if res.Status != http.StatusServiceUnavailable || res.Body["code"] != "restore_running" {
		t.Errorf("a change on the other server: %d %s", res.Status, res.Raw)
	}
	for _, path := range []string{"/api/admin/users?search=jdoe", "/api/hwkey/" + serial, fmt.Sprint("/api/backup/jobs/", id)} {
		if res := other.Call(t, "GET", path, other.token, nil); res.Status != http.StatusOK {
			t.Errorf("%s on the other server: %d %s", path, res.Status, res.Raw)
		}
	}
	release()
	if j := other.over(t, id); j.status != "Completed" {
		t.Errorf("the restore: %+v", j)
	}
	for _, at := range []*world{other, w} {
		at.signIn(t)
		at.healthy(t)
	}
	other.Stop(t)
	return keys
}

// TestFaultsApart exposes one multi-machine installation to one fault after another,
// and some of the kills of TestBackupKilled and TestRestoreKilled.
func TestFaultsApart(t *testing.T) {
	t.Parallel()
	w := apart(t)
	keys := []string{w.settle(t)}
	t.Run("two servers", func(t *testing.T) { keys = w.twoServers(t, keys) })
	t.Run("the vault is down", func(t *testing.T) { keys = w.withoutVault(t, keys) })
	t.Run("the disk is full", func(t *testing.T) { keys = w.diskFull(t, keys) })
	t.Run("killed in a backup", func(t *testing.T) {
		keys = w.killBackup(t, killed{name: "the vault is read", at: atVault(5, http.MethodGet, "/secrets"), late: true}, keys)
	})
	w.others = keys[:len(keys)-1]
	for _, c := range []killed{
		{name: "before the vault part", at: atVault(1, http.MethodGet, "/secrets"), beyond: true, late: true},
		{name: "before the CRL", at: atVault(1, http.MethodGet, "/crl/rotate"), beyond: true},
	} {
		t.Run("killed in a restore: "+c.name, func(t *testing.T) { w.killRestore(t, c, keys[len(keys)-1]) })
	}
}

// TestDiskFull exposes one machine to a full disk, in a backup and in a restore.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	w := oneMachine(t)
	keys := w.diskFull(t, []string{w.settle(t)})
	w.diskFullInRestore(t, keys)
}
