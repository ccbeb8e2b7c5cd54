package restore_test

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/server"
	"github.com/keyward/keyward/test/tier"
)

// file is a decrypted backup.
type file struct {
	header    archive.Header
	sql       string
	documents map[string]vault.Data
}

// replaced changes the SQL's first match.
func replaced(pattern, with string) func(t *testing.T, f *file) {
	return func(t *testing.T, f *file) {
		t.Helper()
		at := regexp.MustCompile(pattern).FindStringSubmatchIndex(f.sql)
		if at == nil {
			t.Fatalf("the SQL has no %s:\n%s", pattern, f.sql)
		}
		f.sql = f.sql[:at[2]] + with + f.sql[at[3]:]
	}
}

// edited changes a document's first match.
func edited(path, pattern, with string) func(t *testing.T, f *file) {
	return func(t *testing.T, f *file) {
		t.Helper()
		changed := regexp.MustCompile(pattern).ReplaceAllString(string(f.documents[path]), with)
		if changed == string(f.documents[path]) {
			t.Fatalf("%s has no %s", path, pattern)
		}
		f.documents[path] = vault.Data(changed)
	}
}

func without(path string) func(t *testing.T, f *file) {
	return func(t *testing.T, f *file) {
		t.Helper()
		if _, ok := f.documents[path]; !ok {
			t.Fatalf("there is no %s", path)
		}
		delete(f.documents, path)
	}
}

// almost is the last number but one that PostgreSQL and SQLite can count to.
const almost = "9223372036854775806"

// craft is a change of a good backup, and the expected error. Near-duplicates run only
// in make test-all.
type craft struct {
	name  string
	edit  func(t *testing.T, f *file)
	says  string
	often bool
}

// crafted are backups that open with the right password, but must not be restored.
var crafted = []craft{
	{"the last audit id leaves room for one", replaced(`-- Last id of audit_entries: (\d+)`, almost),
		"audit_entries.id is not a number", true},
	{"a row's id is beyond", replaced(`'\[\]', (\d+), TRUE, '', 'Acme'`, almost), "organizations.id is not a number", false},
	{"a row is of 2100", replaced(`VALUES \('installation', (\d+),`, "4102444800000000"), "settings.updated_at is 2100", false},
	{"a role that there is not", replaced(`INSERT INTO "users" [^;]*'(global_admin)'`, "superuser"), "users.role has a value", false},
	{"a status that there is not", replaced(`INSERT INTO "hwkeys" [^;]*'(in_stock)'`, "blessed"), "hwkeys.status has a value", false},
	{"a database of no installation", replaced(`'installation', \d+, '([^']*)'`, "{}"), "doesn't say which installation", false},
	{"halves of two installations", replaced(`'installation', \d+, '{"id":"([^"]*)"`, "another"), "of different installations", true},
	{"no document of the installation", without("_keyward/installation"), "no vault document _keyward/installation", false},
	{"the vault alone, of no installation", func(_ *testing.T, f *file) {
		f.header, f.sql = archive.NewHeader(archive.Vault, f.header.CreatedAt, false), ""
		delete(f.documents, "_keyward/installation")
	}, "no vault document _keyward/installation", false},
	{"no key of the seals", without("audit_seal/closed"), "sealed with a key", true},
	{"no number of the CRL", without("_pki/crl"), "no vault document _pki/crl", false},
	{"the CRL's number is beyond", edited("_pki/crl", `"number":\d+`, `"number":9223372036854775808`),
		"_pki/crl: number is not a number", true},
	{"a token's counter leaves room for one", edited(serial+"/secrets", `"counter":\d+`, `"counter":`+almost),
		"counter is not a number", false},
	{"a token's counter is below zero", edited(serial+"/secrets", `"counter":\d+`, `"counter":-1`), "counter is not a number", false},
	{"a token was changed in 2100", edited(serial+"/secrets", `"changed_at":"\d+`, `"changed_at":"2100`), "changed_at is 2100", false},
	{"a rotation of no field", edited(serial+"/secrets", `"last_rotation_id"`,
		`"rotation":{"id":1,"fields":["soul"],"settled":{}},"last_rotation_id"`), "can't restore a vault document", false},
	{"it will be made in two days", func(_ *testing.T, f *file) { f.header.CreatedAt = time.Now().Add(48 * time.Hour) }, "clock says", true},
}

// TestCrafted: drill, dry run and restore refuse the same files with the same errors,
// and change nothing.
func TestCrafted(t *testing.T) {
	t.Parallel()
	testCrafted(t, oneMachine(t))
}

func testCrafted(t *testing.T, w *world) {
	w.settle(t)
	w.Must(t, "POST", "/api/admin/organizations", w.token, fields{"name": "Acme"})
	w.Kill() // what was written is sealed when it restarts
	w.start(t)
	await.That(t, "the log is sealed", func() bool {
		return w.Must(t, "GET", "/api/admin/audit/seal", w.token, nil)["last_sealed_id"].(float64) > 0
	})
	w.Must(t, "PUT", "/api/backup/settings", w.token, fields{"store": "directory", "schedule": "", "encryption_password": backupPassword})
	folder := filepath.Join(w.data, "backups")
	good := w.ended(t, w.Must(t, "POST", "/api/backup/trigger", w.token, fields{"type": "full"}), "Completed")["key"].(string)
	from := opened(t, filepath.Join(folder, good))

	crafted := slices.DeleteFunc(slices.Clone(crafted), func(c craft) bool { return !c.often && !tier.Exhaustive })
	keys := make([]string, len(crafted))
	said := make([]string, len(crafted))
	for i, c := range crafted {
		f := file{from.header, from.sql, maps.Clone(from.documents)}
		c.edit(t, &f)
		keys[i] = fmt.Sprintf("backup-full-20260101-%06d.enc", i)
		f.write(t, filepath.Join(folder, keys[i]))
	}
	before := w.everything(t)
	for i, c := range crafted {
		t.Run(c.name, func(t *testing.T) {
			drill := w.over(t, server.Number(w.Must(t, "POST", "/api/backup/drill", w.token, fields{"key": keys[i]})["job_id"]))
			restore := w.over(t, server.Number(w.Must(t, "POST", "/api/backup/restore", w.token,
				fields{"key": keys[i], "password": backupPassword})["job_id"]))
			drill.message, restore.message = timeless(drill.message), timeless(restore.message)
			if drill.status != "Failed" || restore != drill || !strings.Contains(drill.message, c.says) {
				t.Errorf("the drill: %+v; the restore: %+v", drill, restore)
			}
			if after := w.everything(t); after != before {
				t.Error("it has changed the database")
			}
			said[i] = drill.message
		})
	}
	w.healthy(t)
	w.Kill()
	before = w.everything(t)
	for i, c := range crafted {
		t.Run(c.name+", by command", func(t *testing.T) {
			args := []string{"restore", filepath.Join(folder, keys[i]), "--data", w.data}
			for _, more := range [][]string{{"--dry-run"}, nil} {
				r := w.run(t, "", []string{"KEYWARD_BACKUP_PASSWORD=" + backupPassword}, "keyward", append(args, more...)...)
				if r.code != 1 || !strings.Contains(timeless(r.log), said[i]) {
					t.Errorf("%q: %+v, not %q", more, r, said[i])
				}
			}
			if after := w.everything(t); after != before {
				t.Error("it has changed the database")
			}
		})
	}
}

// timeless removes the current time from a message.
func timeless(text string) string {
	return regexp.MustCompile(`clock says [^.]*`).ReplaceAllString(text, "clock says so")
}

// opened decrypts and parses a backup.
func opened(t *testing.T, path string) (f file) {
	t.Helper()
	in := must.Get(os.Open(path))(t)
	defer in.Close()
	size := must.Get(in.Stat())(t).Size()
	f.documents = map[string]vault.Data{}
	a := must.Get(archive.Open(t.Context(), in, size, archive.TypedPassword(secret.New(backupPassword))))(t)
	var sql strings.Builder
	must.OK(t, a.Read(t.Context(), archive.Use{
		Database: func(from io.Reader) error { _, err := io.Copy(&sql, from); return err },
		Secret: func(path string, data vault.Data) error {
			f.documents[path] = slices.Clone(data)
			return nil
		},
	}))
	f.header, f.sql = a.Header, sql.String()
	return f
}

func (f file) write(t *testing.T, path string) {
	t.Helper()
	out := must.Get(os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600))(t)
	w := must.Get(archive.Create(out, archive.TypedPassword(secret.New(backupPassword)), f.header))(t)
	if f.header.IncludesDB {
		must.Get(io.WriteString(w.Database(), f.sql))(t)
	}
	for _, path := range slices.Sorted(maps.Keys(f.documents)) {
		must.OK(t, w.Secret(path, f.documents[path]))
	}
	must.Get(w.Close())(t)
	must.OK(t, out.Close())
}

// everything returns the digest of all rows and the last ids, except traces of a
// refused restore: its job, log entries and notices.
func (w *world) everything(t *testing.T) string {
	t.Helper()
	aside := []string{
		"backup_jobs", "audit_entries", "audit_batches", "notices", "mail_outbox", "sqlite_sequence", "settings", "locks", "vault_marks",
	}
	db := w.open(t)
	defer func() { must.OK(t, db.Close()) }()
	list, ids := "SELECT name, 0 FROM sqlite_master WHERE type = 'table'", "SELECT name, seq FROM sqlite_sequence"
	if w.database != "" {
		list = "SELECT tablename, 0 FROM pg_tables WHERE schemaname = current_schema()"
		ids = "SELECT sequencename, last_value FROM pg_sequences"
	}
	digest := sha256.New()
	for _, table := range slices.Sorted(maps.Keys(pairs(t, db, list))) {
		if !slices.Contains(aside, table) {
			digestTable(t, digest, db, table)
		}
	}
	given := pairs(t, db, ids)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(aside, func(table string) bool { return strings.HasPrefix(name, table) }) {
			fmt.Fprintln(digest, name, given[name])
		}
	}
	return fmt.Sprintf("%x", digest.Sum(nil))
}

// pairs returns the rows of a query for a name and a value.
func pairs(t *testing.T, db *sql.DB, query string) map[string]any {
	t.Helper()
	rows := must.Get(db.QueryContext(t.Context(), query))(t)
	defer rows.Close()
	out := map[string]any{}
	for rows.Next() {
		var name string
		var value any
		must.OK(t, rows.Scan(&name, &value))
		out[name] = value
	}
	must.OK(t, rows.Err())
	return out
}
