package sqldump_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup/sqldump"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/sqlitetest"
	"github.com/keyward/keyward/test/must"
)

const seventh = `INSERT INTO "organizations" ("id", "name", "name_key", "is_active", "email_domains", "created_at", "updated_at") ` +
	"VALUES (7, 'Seven', 'seven', TRUE, '[]', 1, 2);\n"

// TestLoad: a dump becomes a file whose ids continue after the dump's.
func TestLoad(t *testing.T) {
	t.Parallel()
	dump := "-- Keyward database, schema 16\n" + seventh + "-- Last id of organizations: 9\n-- End: 1 rows\n"
	path := filepath.Join(t.TempDir(), "loaded.db")
	must.OK(t, store.LoadDump(t.Context(), path, must.Get(sqldump.NewReader(strings.NewReader(dump)))(t), restore.Judge{AnyTime: true}))
	info := must.Get(os.Stat(path))(t)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v", info.Mode())
	}
	db := must.Get(store.OpenSQLite(t.Context(), path, store.Options{Existing: true}))(t)
	defer func() { must.OK(t, db.Close()) }()
	if o := must.Get(db.Organization(t.Context(), access.All(), 7))(t); o.Name != "Seven" || !o.IsActive {
		t.Errorf("it has %+v", o)
	}
	if o := must.Get(db.InsertOrganization(t.Context(), account.Organization{Name: "Ten"}, audit.Entry{}))(t); o.ID != 10 {
		t.Errorf("the next one has the id %d", o.ID)
	}
}

// TestLoadRefuses: values only go where they belong.
func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		want error
		text string
	}{
		"a newer version":     {"", sqldump.ErrNewer, "schema 999"},
		"no version at all":   {"", sqldump.ErrUnfit, "schema 15"},
		"another table":       {`INSERT INTO "sqlite_master" ("name") VALUES ('x');`, sqldump.ErrUnfit, "sqlite_master"},
		"goose's table":       {`INSERT INTO "goose_db_version" ("id") VALUES (99);`, sqldump.ErrUnfit, "goose_db_version"},
		"another column":      {strings.Replace(seventh, `"name_key"`, `"key"`, 1), sqldump.ErrUnfit, "column key in organizations"},
		"a column twice":      {strings.Replace(seventh, `"name_key"`, `"name"`, 1), sqldump.ErrUnfit, "column name in organizations"},
		"a row without an id": {`INSERT INTO "webhook_cursor" ("name") VALUES ('audit');`, sqldump.ErrUnfit, "webhook_cursor"},
		"a text for a number": {strings.Replace(seventh, "(7,", "('7',", 1), sqldump.ErrUnfit, "column id of organizations"},
		"a number for a text": {strings.Replace(seventh, "'Seven'", "7", 1), sqldump.ErrUnfit, "column name of organizations"},
		"a number for a truth": {strings.Replace(seventh, "TRUE", "2", 1), sqldump.ErrUnfit,
			"column is_active of organizations"},
		"an id twice": {seventh + seventh, sqldump.ErrUnfit, "organizations"},
		"a row that refers to none": {`INSERT INTO "paired_users" ("user_id") VALUES (3);`, sqldump.ErrUnfit,
			"a row of paired_users refers to one of users"},
		"the last id of no table": {"-- Last id of x: 1", sqldump.ErrUnfit, "table x"},
		"no end":                  {"", sqldump.ErrTruncated, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema, body := 16, strings.TrimSuffix(c.body, "\n")
			_, _ = fmt.Sscanf(c.text, "schema %d", &schema)
			if body != "" {
				body += "\n"
			}
			dump := fmt.Sprintf("-- Keyward database, schema %d\n%s", schema, body)
			if !errors.Is(c.want, sqldump.ErrTruncated) {
				dump += fmt.Sprintf("-- End: %d rows\n", strings.Count(body, "INSERT"))
			}
			path := filepath.Join(t.TempDir(), "refused.db")
			err := store.LoadDump(t.Context(), path, must.Get(sqldump.NewReader(strings.NewReader(dump)))(t), restore.Judge{AnyTime: true})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%v, want %v with %q", err, c.want, c.text)
			}
		})
	}
	path := sqlitetest.Put(t, filepath.Join(t.TempDir(), "keyward.db"))
	r := must.Get(sqldump.NewReader(strings.NewReader("-- Keyward database, schema 16\n-- End: 0 rows\n")))(t)
	if err := store.LoadDump(t.Context(), path, r, restore.Judge{AnyTime: true}); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a file that is there: %v", err)
	}
}

// TestUnportable: a text that not every database accepts is named, with its row, and
// so is one that is not a text at all.
func TestUnportable(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"not UTF-8": "CAST(x'fe' AS TEXT)", "the character zero": "CAST(x'610062' AS TEXT)", "bytes": "x'00ff'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := sqlitetest.Put(t, filepath.Join(t.TempDir(), "keyward.db"))
			sqlite3(t, path)(seventh + "UPDATE organizations SET name = " + value)
			_, err := open(t, path).Dump(t.Context(), io.Discard, worthKeeping)
			f, ok := fault.As(err)
			if !ok || f.Reason != "unportable_value" || fmt.Sprint(f.Params) != "map[column:name row:7 table:organizations]" {
				t.Errorf("got %v", err)
			}
		})
	}
}
