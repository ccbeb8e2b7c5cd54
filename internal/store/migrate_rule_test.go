package store

import (
	"crypto/sha256"
	_ "embed" // of testdata
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// What a migration may do beside servers of the version before: add what they do not know, and keep
// what they do.
var expands = regexp.MustCompile(`(?is)^(CREATE TABLE|CREATE INDEX|INSERT INTO|UPDATE|SET lock_timeout = 0|RESET lock_timeout)\b|` +
	`^ALTER TABLE \w+ ADD COLUMN\b`)

var (
	comment  = regexp.MustCompile(`--.*`)
	demands  = regexp.MustCompile(`(?i)\bNOT NULL\b`)
	fills    = regexp.MustCompile(`(?i)\bDEFAULT\b`)
	declares = regexp.MustCompile(`(?i)\bUPDATE schema_compatibility SET oldest\b`)
	makes    = regexp.MustCompile(`(?i)^CREATE TABLE (?:IF NOT EXISTS )?(\w+)`)
	indexes  = regexp.MustCompile(`(?i)^CREATE INDEX (CONCURRENTLY )?(\w+) ON (\w+)`)
	drops    = regexp.MustCompile(`(?i)^DROP INDEX (?:CONCURRENTLY )?IF EXISTS (\w+)$`)
	updates  = regexp.MustCompile(`(?i)^UPDATE (\w+)`)
)

// breaking lists a migration's statements that servers of the version before may not survive,
// unless it says from which program on they do no harm; and on PostgreSQL those that lock a table
// for a time that grows with it.
func breaking(of engine, migration string) []string {
	if declares.MatchString(migration) {
		return nil
	}
	var out []string
	own := map[string]bool{} // tables that it creates
	dropped := ""            // the index that the statement before dropped
	for s := range strings.SplitSeq(comment.ReplaceAllString(migration, ""), ";") {
		s = strings.TrimSpace(s)
		if m := makes.FindStringSubmatch(s); m != nil {
			own[m[1]] = true
		}
		if m := drops.FindStringSubmatch(s); m != nil {
			dropped = m[1]
			continue
		}
		adds := strings.HasPrefix(strings.ToUpper(s), "ALTER TABLE")
		bad := !expands.MatchString(s) || adds && demands.MatchString(s) && !fills.MatchString(s)
		index := indexes.FindStringSubmatch(s)
		if dropped != "" && (index == nil || index[2] != dropped) {
			out = append(out, "DROP INDEX "+dropped)
		}
		if of == onPostgres {
			// An index left by an aborted migration is there, but of no use.
			bad = bad || index != nil && !own[index[3]] && (index[1] == "" || dropped == "")
			update := updates.FindStringSubmatch(s)
			bad = bad || update != nil && !own[update[1]]
		}
		if dropped = ""; s != "" && bad {
			out = append(out, s)
		}
	}
	return out
}

// TestMigrationsExpand: every migration after the first can run beside servers
// of the version before (docs/operations.md, "Upgrading").
func TestMigrationsExpand(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(migrations, "migrations/*/*.sql")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		if strings.HasPrefix(filepath.Base(path), "00016_") {
			continue
		}
		text, err := fs.ReadFile(migrations, path)
		if err != nil {
			t.Fatal(err)
		}
		of := onSQLite
		if strings.Contains(path, "/postgres/") {
			of = onPostgres
		}
		for _, s := range breaking(of, string(text)) {
			t.Errorf("%s: servers of the version before may not survive this: %s", path, s)
		}
	}
}

// sums are what has landed. They are embedded, not read: of a test that reads files
// of the checkout, Go keeps the result for that checkout alone.
//
//go:embed testdata/migrations.sum
var sums string

// TestLandedMigrations: a released migration is never changed, since databases made with it would
// stay as they are. To add one, add its line:
//
//	sha256sum migrations/*/*.sql >testdata/migrations.sum
func TestLandedMigrations(t *testing.T) {
	t.Parallel()
	landed := map[string]string{}
	for line := range strings.Lines(sums) {
		sum, path, _ := strings.Cut(strings.TrimSpace(line), "  ")
		landed[path] = sum
	}
	files := must.Get(fs.Glob(migrations, "migrations/*/*.sql"))(t)
	for _, path := range files {
		if got := fmt.Sprintf("%x", sha256.Sum256(must.Get(fs.ReadFile(migrations, path))(t))); got != landed[path] {
			t.Errorf("%s is not as it landed: write another migration (of a new one, its sum is %s)", path, got)
		}
	}
	if len(files) != len(landed) {
		t.Errorf("%d migrations, and %d have landed", len(files), len(landed))
	}
}
