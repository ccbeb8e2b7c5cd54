package store_test

import (
	"bytes"
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/internal/store/storetest"
	"github.com/keyward/keyward/test/must"
)

// lived is an installation with a backup and a later history, in which a restore has work to do in
// every table.
type lived struct {
	*store.DB

	backup *store.DB
}

var small = storebench.Size{
	Organizations: 3, Users: 10, Devices: 10, Sessions: 5, Certificates: 30, Releases: 4, Audit: 40, Now: storetest.Now.UnixMicro(),
}

// since is what happened after the backup, and what did not: rows of the backup that are missing.
var since = []string{
	"UPDATE users SET is_active = FALSE WHERE id = 3",
	"UPDATE users SET organization_id = 1 WHERE id = 4",
	"DELETE FROM logins WHERE user_id = 9",
	"DELETE FROM sessions WHERE user_id = 9",
	"DELETE FROM certificates WHERE owner_id = 9 OR hwkey_id IN (8, 9)",
	"DELETE FROM hwkeys WHERE id IN (8, 9) OR owner_id = 9",
	"DELETE FROM users WHERE id = 9",
	"UPDATE organizations SET name = 'X', name_key = 'x' WHERE id = 2",
	"UPDATE certificates SET status = 'revoked', revoked_at = 5, revocation_reason = 'superseded', live_key = NULL WHERE id = 3",
	"DELETE FROM api_keys", "DELETE FROM webhooks", "DELETE FROM notices", "DELETE FROM unrecorded_revocations", "DELETE FROM identities",
}

func livedSQLite(t *testing.T) lived {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keyward.db")
	must.OK(t, storebench.Fill(t.Context(), path, small))
	// The writers beside a restore wait for as long as it takes, however slow the machine is.
	return live(t, open(t, path, store.Options{Now: standing, BusyTimeout: time.Minute}), sqlite(t, path))
}

func livedPostgres(t *testing.T, url string) lived {
	t.Helper()
	must.OK(t, storebench.FillPostgres(t.Context(), url, small))
	return live(t, openPostgres(t, url, store.Options{Now: standing}), pool(t, "pgx", url))
}

func live(t *testing.T, db *store.DB, raw *sql.DB) lived {
	t.Helper()
	execute(t, raw, others...)
	l := lived{db, dumped(t, db)}
	execute(t, raw, since...)
	return l
}

// bytesOf is the database's content; for PostgreSQL without the assigned ids, which are never taken
// back.
func bytesOf(t *testing.T, db *store.DB) []byte {
	t.Helper()
	var out bytes.Buffer
	must.Get(db.Dump(t.Context(), &out, func(table string) bool { return table != "goose_db_version" }))(t)
	lines := slices.DeleteFunc(strings.Split(out.String(), "\n"), func(line string) bool {
		return db.Engine() == "postgresql" && strings.HasPrefix(line, "-- Last id of ")
	})
	return []byte(strings.Join(lines, "\n"))
}

// TestRestoreFails: whichever statement fails, nothing has changed.
func TestRestoreFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		open func(t *testing.T) lived
		step int // every so many statements: a server takes its time
	}{
		"sqlite":     {livedSQLite, 1},
		"postgresql": {func(t *testing.T) lived { return livedPostgres(t, store.MigratedURL(t)) }, 18},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := c.open(t)
			before := bytesOf(t, l.DB)
			last := 0
			for at := 1; ; at += c.step {
				i := &store.Interrupted{At: at, With: "SELECT * FROM nowhere"}
				_, err := i.Restore(t.Context(), l.DB, l.backup, asked())
				if err == nil {
					break
				}
				if last = at; !strings.Contains(err.Error(), "nowhere") || i.Tries != 1 {
					t.Fatalf("statement %d: %v, after %d tries", at, err, i.Tries)
				}
				if !bytes.Equal(bytesOf(t, l.DB), before) {
					t.Fatalf("after an error of statement %d something has changed:\n%s", at, cmp.Diff(string(before), string(bytesOf(t, l.DB))))
				}
			}
			if last < 80 {
				t.Errorf("it had %d statements only", last)
			}
		})
	}
}

// TestRestoreBesideWriters: a concurrent write waits, and succeeds afterwards.
func TestRestoreBesideWriters(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) lived{
		"sqlite":     livedSQLite,
		"postgresql": func(t *testing.T) lived { return livedPostgres(t, store.MigratedURL(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t)
			var writers sync.WaitGroup
			o := asked()
			o.Progress = func(rows int64) {
				must.Get(l.SchemaVersion(t.Context()))(t) // a reader does not wait
				writers.Go(func() {
					if err := l.AppendAudit(t.Context(), audit.Entry{Action: "meanwhile", Outcome: audit.Success}); err != nil {
						t.Errorf("after %d rows: %v", rows, err)
					}
				})
			}
			i := &store.Interrupted{}
			must.Get(i.Restore(t.Context(), l.DB, l.backup, o))(t)
			writers.Wait()
			if i.Tries != 1 {
				t.Errorf("it took %d tries", i.Tries)
			}
			restored := false
			for _, e := range must.Get(l.AuditAfter(t.Context(), int64(small.Releases+small.Audit), 1000))(t) {
				restored = restored || e.Action == "restore.completed"
				if e.Action == "meanwhile" && !restored {
					t.Error("somebody wrote meanwhile")
				}
			}
		})
	}
}

// TestRestoreOnce: however often the transaction is repeated, and whatever becomes of the
// connection at its end, it happens once.
func TestRestoreOnce(t *testing.T) {
	t.Parallel()
	plain := livedPostgres(t, store.MigratedURL(t))
	reported := must.Get(plain.Restore(t.Context(), plain.backup, asked()))(t)
	const numbered = "unrecorded_revocations" // numbered anew in each try
	want := rowsOf(t, plain.DB, numbered)
	for name, c := range map[string]struct {
		conflict, cut, after bool
		tries                int
	}{
		"it lost to another":                  {conflict: true, tries: 2},
		"the connection broke before the end": {cut: true, tries: 2},
		"the answer to the COMMIT is lost":    {cut: true, after: true, tries: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, at := store.Cut(t, store.MigratedURL(t))
			l := livedPostgres(t, url)
			i := &store.Interrupted{Once: true, With: "DO $$ BEGIN RAISE SQLSTATE '40001'; END $$"}
			if c.conflict {
				i.At = 80
			}
			if c.cut {
				at(c.after)
			}
			report := must.Get(i.Restore(t.Context(), l.DB, l.backup, asked()))(t)
			if i.Tries != c.tries {
				t.Errorf("it took %d tries, want %d", i.Tries, c.tries)
			}
			if d := cmp.Diff(reported, report); d != "" {
				t.Errorf("reported: %s", d)
			}
			entries := 0
			got := slices.DeleteFunc(rowsOf(t, l.DB, numbered), func(row string) bool {
				if strings.Contains(row, "restore.completed") {
					entries++
				}
				return strings.Contains(row, "restore.completed")
			})
			if d := cmp.Diff(slices.DeleteFunc(slices.Clone(want), func(row string) bool {
				return strings.Contains(row, "restore.completed")
			}), got); d != "" || entries != 1 {
				t.Errorf("%d entries: %s", entries, d)
			}
		})
	}
}
