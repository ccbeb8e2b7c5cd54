package restore_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
	"github.com/keyward/keyward/test/vaultserver"
)

// step begins a job, kills the server during it, and returns the job's number.
type step func(t *testing.T, w *world, begin func() int) (job int)

// held waits until a request is held; it fails if the server ends.
func (w *world) held(t *testing.T, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-w.Ended:
		t.Fatalf("the server has ended:\n%s", w.Log.String())
	case <-await.Context(t).Done():
		t.Fatal("the job never came there")
	}
}

// atS3 kills it while it waits for a response of the store.
func atS3(f s3server.Fault, fits func(*http.Request) bool) step {
	return func(t *testing.T, w *world, begin func() int) int {
		t.Helper()
		held := w.holdS3(f, fits)
		job := begin()
		w.held(t, held)
		w.Kill()
		w.s3.Fault(nil)
		return job
	}
}

// uploaded kills it when the store has the object, and the response is late.
func uploaded(t *testing.T, w *world, begin func() int) int {
	t.Helper()
	held := w.holdS3(s3server.Fault{HoldAfter: true}, request(http.MethodPut, "site/backup-"))
	before, _ := s3server.Shared(t).Objects(t, w.bucket)
	job := begin()
	w.held(t, held)
	await.That(t, "the object is there", func() bool {
		now, _ := s3server.Shared(t).Objects(t, w.bucket)
		return len(now) > len(before)
	})
	w.Kill()
	w.s3.Fault(nil)
	return job
}

// holdS3 signals when a matching request is held.
func (w *world) holdS3(f s3server.Fault, fits func(*http.Request) bool) <-chan struct{} {
	held := make(chan struct{}, 1)
	w.s3.Fault(func(r *http.Request) s3server.Fault {
		if !fits(r) {
			return s3server.Fault{}
		}
		select {
		case held <- struct{}{}:
		default:
		}
		return f
	})
	return held
}

// request matches requests to the store by method and the start of the path without the
// bucket.
func request(method, path string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		return r.Method == method && strings.HasPrefix(key, path)
	}
}

// listing matches the request for the list of backups after a backup is made: a server
// that begins to lead requests it, too.
func listing() func(*http.Request) bool {
	made, head := false, request(http.MethodPut, "site/audit-head-")
	return func(r *http.Request) bool {
		made = made || head(r)
		return made && r.URL.Query().Get("list-type") == "2"
	}
}

// atVault kills it while it waits for the vault's response to the nth request with this
// method and path part.
func atVault(nth int64, method, part string) step {
	return func(t *testing.T, w *world, begin func() int) int {
		t.Helper()
		var count atomic.Int64
		held := make(chan struct{}, 1)
		w.vault.Fault(func(r *http.Request) vaultserver.Fault {
			if r.Method != method || !strings.Contains(r.URL.Path, part) {
				return vaultserver.Pass
			}
			switch n := count.Add(1); {
			case n < nth:
				return vaultserver.Pass
			case n == nth:
				held <- struct{}{}
			}
			return vaultserver.Hold
		})
		job := begin()
		w.held(t, held)
		w.Kill()
		w.vault.Fault(nil)
		return job
	}
}

// writes blocks all other writers of the database.
func (w *world) writes(t *testing.T) (release func()) {
	t.Helper()
	db := w.open(t)
	conn := must.Get(db.Conn(t.Context()))(t)
	take, give := "BEGIN IMMEDIATE", "ROLLBACK"
	if w.database != "" { // every writer shares this lock (store/serializable.go)
		take, give = "SELECT pg_advisory_lock(x'4B57000000000001'::bigint)", "SELECT pg_advisory_unlock(x'4B57000000000001'::bigint)"
	}
	must.Get(conn.ExecContext(t.Context(), take))(t)
	return func() {
		must.Get(conn.ExecContext(context.WithoutCancel(t.Context()), give))(t)
		must.OK(t, conn.Close())
		must.OK(t, db.Close())
	}
}

// beforeEnd kills a backup that is verified, but cannot record it.
func beforeEnd(t *testing.T, w *world, begin func() int) int {
	t.Helper()
	held := w.holdS3(s3server.Fault{Hold: true}, listing())
	job := begin()
	w.held(t, held)
	release := w.writes(t)
	w.s3.Fault(nil)
	w.Kill()
	release()
	return job
}

// afterEnd kills it as soon as its end is recorded.
func afterEnd(t *testing.T, w *world, begin func() int) int {
	t.Helper()
	job := begin()
	w.over(t, job)
	w.Kill()
	return job
}

// whenChecked kills a restore that has loaded the backup, but cannot record that it is
// about to change the database.
func whenChecked(t *testing.T, w *world, begin func() int) int {
	t.Helper()
	held := w.holdS3(s3server.Fault{Hold: true}, request(http.MethodGet, "site/backup-"))
	job := begin()
	w.held(t, held)
	release := w.writes(t)
	w.s3.Fault(nil)
	await.That(t, "there is a scratch database", func() bool {
		found := must.Get(filepath.Glob(filepath.Join(w.data, "restoring", "scratch-*", "backup.db")))(t)
		return len(found) > 0
	})
	w.Kill()
	release()
	return job
}

// lock locks a table of PostgreSQL exclusively, and returns when what was begun waits
// for it.
func (w *world) lock(t *testing.T, table string, begin func()) (release func()) {
	t.Helper()
	db := w.open(t)
	tx := must.Get(db.BeginTx(t.Context(), nil))(t)
	must.Get(tx.ExecContext(t.Context(), "LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE"))(t)
	begin()
	await.That(t, "it waits for "+table, func() (waits bool) {
		must.OK(t, tx.QueryRowContext(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted
			AND relation = $1::regclass AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
			table).Scan(&waits))
		return waits
	})
	return func() {
		must.OK(t, tx.Rollback())
		must.OK(t, db.Close())
	}
}

// Conditions for a database that a restore has changed, and for one whose restore has
// ended; the number is that of the change before it.
const (
	hasEnded = `LIKE '%"ended":true%'`
	underWay = "EXISTS (SELECT 1 FROM settings WHERE name = 'restore_unfinished' AND value <> 'null' AND NOT value " + hasEnded + ")"
	// beforeMarks is a trigger that fires after the vault's part has ended.
	beforeMarks = "AFTER UPDATE ON vault_marks WHEN " + underWay
	isOver      = "NOT " + underWay + " AND EXISTS (SELECT 1 FROM api_keys WHERE name = 'since-%d' AND revoked_at IS NOT NULL)"
)

// longest is the action of such a trigger.
const longest = "BEGIN SELECT count(*) FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000000000) " +
	"SELECT i FROM n); END"

// inStatement kills it in a statement of SQLite that never completes, since a trigger
// counts to a very large number, while others see the database as seen.
func inStatement(trigger, seen string) step {
	return func(t *testing.T, w *world, begin func() int) int {
		t.Helper()
		w.execute(t, "CREATE TRIGGER very_long "+trigger+" "+longest)
		job := begin()
		await.That(t, "it is in that statement", func() bool {
			var is bool
			w.row(t, []any{&is}, "SELECT "+strings.ReplaceAll(seen, "%d", fmt.Sprint(w.changes)))
			return is && w.busy(t)
		})
		w.Kill()
		w.execute(t, "DROP TRIGGER very_long")
		return job
	}
}

func (w *world) execute(t *testing.T, statement string) {
	t.Helper()
	db := w.open(t)
	must.Get(db.ExecContext(t.Context(), statement))(t)
	must.OK(t, db.Close())
}

// busy reports whether somebody writes to the SQLite database for half a second without
// a break. It is that statement, or an equivalent one: others see the database in the
// same state.
func (w *world) busy(t *testing.T) bool {
	t.Helper()
	db := w.open(t)
	defer func() { must.OK(t, db.Close()) }()
	conn := must.Get(db.Conn(t.Context()))(t)
	defer func() { must.OK(t, conn.Close()) }()
	must.Get(conn.ExecContext(t.Context(), "PRAGMA busy_timeout = 500"))(t)
	if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		return true
	}
	must.Get(conn.ExecContext(t.Context(), "ROLLBACK"))(t)
	return false
}
