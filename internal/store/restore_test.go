package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup/sqldump"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/sqlitetest"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/internal/store/storetest"
	"github.com/keyward/keyward/test/must"
)

// backedUp are the tables in a dump for tests of restores: all.
func backedUp(table string) bool {
	return !slices.Contains([]string{"goose_db_version", "schema_compatibility", "locks", "crl_mark"}, table)
}

// dumped is a database as it is now, loaded into a file of its own.
func dumped(t testing.TB, db *store.DB) *store.DB {
	t.Helper()
	var out bytes.Buffer
	must.Get(db.Dump(t.Context(), &out, backedUp))(t)
	return loaded(t, out.Bytes())
}

func loaded(t testing.TB, dump []byte) *store.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backup.db")
	must.OK(t, store.LoadDump(t.Context(), path, must.Get(sqldump.NewReader(bytes.NewReader(dump)))(t), restore.Judge{AnyTime: true}))
	backup := must.Get(store.OpenSQLiteReader(t.Context(), path))(t)
	t.Cleanup(func() { must.OK(t, backup.Close()) })
	return backup
}

// engines open an empty database of each engine.
var engines = map[string]func(*testing.T) *store.DB{
	"sqlite": func(t *testing.T) *store.DB { return openNew(t, store.Options{Now: standing}) },
	"postgresql": func(t *testing.T) *store.DB {
		return openPostgres(t, store.MigratedURL(t), store.Options{Now: standing})
	},
}

// restorable is a database that can be backed up.
type restorable struct {
	*store.DB

	raw *sql.DB
}

func (r restorable) Backup(t testing.TB) storetest.Backup {
	backup := dumped(t, r.DB)
	return func(ctx context.Context, o restore.Options) (restore.Report, error) { return r.Restore(ctx, backup, o) }
}

func (r restorable) Execute(t testing.TB, statements ...string) { execute(t, r.raw, statements...) }

func (r restorable) Query(t testing.TB, query string) (n int64) {
	must.OK(t, r.raw.QueryRowContext(t.Context(), query).Scan(&n))
	return n
}

// restorables open an empty one on each engine.
var restorables = map[string]func(*testing.T) storetest.Restorable{
	"sqlite": func(t *testing.T) storetest.Restorable {
		path := sqlitetest.Put(t, filepath.Join(t.TempDir(), "keyward.db"))
		return restorable{open(t, path, store.Options{Now: standing}), sqlite(t, path)}
	},
	"postgresql": func(t *testing.T) storetest.Restorable {
		url := store.MigratedURL(t)
		return restorable{openPostgres(t, url, store.Options{Now: standing}), pool(t, "pgx", url)}
	},
}

// TestRestore: both engines, over an installation in use.
func TestRestore(t *testing.T) {
	t.Parallel()
	for name, open := range restorables {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.RunRestore(t, open)
		})
	}
}

func standing() time.Time { return storetest.Now }

func asked() restore.Options {
	return restore.Options{
		At: storetest.Now, Entry: audit.Entry{Action: "restore.completed", Outcome: audit.Success, Actor: audit.System},
	}
}

// rowsOf are a dump's rows, sorted, except those of some tables.
func rowsOf(t *testing.T, db *store.DB, but ...string) []string {
	t.Helper()
	var out bytes.Buffer
	must.Get(db.Dump(t.Context(), &out, func(table string) bool { return backedUp(table) && !slices.Contains(but, table) }))(t)
	r := must.Get(sqldump.NewReader(&out))(t)
	var list []string
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must.OK(t, err)
		list = append(list, fmt.Sprintf("%s %q %#v", row.Table, row.Columns, row.Values))
	}
	slices.Sort(list)
	return list
}

// others are rows of the tables that storebench leaves empty.
var others = []string{
	"UPDATE users SET role = 'global_admin', organization_id = NULL WHERE id = 1",
	"UPDATE certificates SET published_at = NULL, serial_number = 'serial ' || id",
	"UPDATE webhook_cursor SET audit_id = (SELECT max(id) FROM audit_entries)",
	"INSERT INTO identities VALUES ('https://provider.example', 'subject', 2, 1)",
	"INSERT INTO directory_names VALUES ('upn:user2@corp.example', 2, NULL)",
	"INSERT INTO paired_users VALUES (2)",
	"INSERT INTO agents (id, user_id, fingerprint, hostname, created_at, last_used_at) VALUES (7, 2, 'ab', 'host', 1, 2)",
	"INSERT INTO agent_keys VALUES (7, 'cd', 3)",
	"INSERT INTO login_attempts VALUES ('2', 2, 3, NULL, NULL, 4)",
	`INSERT INTO api_keys VALUES (5, 'key', 'kw_', 'hash', 'user', 1, 2, 1, 2, NULL, 3, '["all"]')`,
	"INSERT INTO unrecorded_revocations VALUES (4, 'ffff', 1, 'unspecified', NULL, 0, '', '')",
	"INSERT INTO audit_batches VALUES (1, 1, 1, 2, 2, 'a', 'b', 'c', 'd', 5, 'key', 'e')",
	`INSERT INTO notices VALUES (9, 2, 'kind', 'it''s so', 1, NULL, '{"a":"b"}')`,
	`INSERT INTO mail_outbox VALUES (8, 2, NULL, '', 'a@example.org', 'en', 'kind', '{}', 'id@example.org', 'sent', 1, NULL, 0, 1, 1, 3, 2, 2, '', '')`,
	`INSERT INTO settings VALUES ('mail', '{"enabled":false}', 1)`,
	"INSERT INTO license_history VALUES (6, 1, 'upload', 'success', 'admin', 'it', '{}', 'older')",
	`INSERT INTO webhooks VALUES (3, NULL, 'https://hook.example', 'it', '[]', TRUE, 'ref',
		(SELECT max(id) FROM audit_entries), 1, 1, 1, 2, 1, 0)`,
	`INSERT INTO settings VALUES ('installation', '{"id":"one"}', 1)`,
	"INSERT INTO settings VALUES ('oidc', '{}', 1)",
	"INSERT INTO settings VALUES ('audit_tail.syslog', '{}', 1)",
}

func sqlite(t testing.TB, path string) *sql.DB {
	t.Helper()
	return pool(t, "sqlite", "file:"+path+"?_pragma=busy_timeout(10000)&_pragma=foreign_keys(1)")
}

func pool(t testing.TB, driver, name string) *sql.DB {
	t.Helper()
	db := must.Get(sql.Open(driver, name))(t)
	t.Cleanup(func() { must.OK(t, db.Close()) })
	return db
}

func execute(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// sameBut compares a database's rows, except the entries of restores, which it returns.
func sameBut(t *testing.T, db *store.DB, want []string) (own []string) {
	t.Helper()
	got := slices.DeleteFunc(rowsOf(t, db, "sessions"), func(row string) bool {
		is := strings.Contains(row, "restore.completed")
		if is {
			own = append(own, row)
		}
		return is
	})
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	return own
}

// TestRestoreBare: a dump of either engine fills an empty database of either, with the same
// content, except that nobody is signed in.
func TestRestoreBare(t *testing.T) {
	t.Parallel()
	size := storebench.Size{
		Organizations: 3, Users: 20, Devices: 30, Sessions: 10, Certificates: 200, Releases: 40, Audit: 2500, Now: storetest.Now.UnixMicro(),
	}
	file := filepath.Join(t.TempDir(), "keyward.db")
	must.OK(t, storebench.Fill(t.Context(), file, size))
	execute(t, sqlite(t, file), others...)
	url := store.MigratedURL(t)
	must.OK(t, storebench.FillPostgres(t.Context(), url, size))
	execute(t, pool(t, "pgx", url), others...)
	for made, from := range map[string]*store.DB{
		"sqlite": open(t, file, store.Options{Now: standing}), "postgresql": openPostgres(t, url, store.Options{Now: standing}),
	} {
		backup := dumped(t, from)
		want := rowsOf(t, from, "sessions")
		for engine, empty := range engines {
			t.Run(made+" to "+engine, func(t *testing.T) {
				t.Parallel()
				db := empty(t)
				if kind := must.Get(db.RestoreKind(t.Context(), backup))(t); kind != restore.Empty {
					t.Errorf("it is %s", kind)
				}
				rows := int64(0)
				o := asked()
				o.Progress = func(n int64) { rows = n }
				report := must.Get(db.Restore(t.Context(), backup, o))(t)
				own := sameBut(t, db, want)
				if last := fmt.Sprintf("%d", size.Releases+size.Audit+1); len(own) != 1 || !strings.Contains(own[0], last) {
					t.Errorf("the restore's own entry is %q, want id %s", own, last)
				}
				inserted := int64(0)
				for _, table := range report.Tables {
					inserted += table.Inserted
					if table.Inserted == 0 || table.Inserted != table.Backup || table.Kept+table.Removed+table.Updated > 0 {
						t.Errorf("reported: %+v", table)
					}
				}
				if inserted != int64(len(want)-1) || rows != inserted { // except the cursor, which was there
					t.Errorf("%d rows inserted, progress until %d, want %d", inserted, rows, len(want)-1)
				}
				if len(report.Warnings) > 0 {
					t.Errorf("warnings: %q", report.Warnings)
				}

				// Repeating it changes nothing: that is how an interrupted one is resumed.
				again := must.Get(db.Restore(t.Context(), backup, asked()))(t)
				if own := sameBut(t, db, want); again.Kind != restore.InUse || len(own) != 2 {
					t.Errorf("once more: %+v, with %d entries", again, len(own))
				}
			})
		}
	}
}
