package store

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What a migration may do beside servers of the version before: add what they
// do not know, and leave what they do.
var expands = regexp.MustCompile(`(?is)^(CREATE TABLE|CREATE INDEX|INSERT INTO|UPDATE)\b|^ALTER TABLE \w+ ADD COLUMN\b`)

var (
	comment  = regexp.MustCompile(`--.*`)
	demands  = regexp.MustCompile(`(?i)\bNOT NULL\b`)
	fills    = regexp.MustCompile(`(?i)\bDEFAULT\b`)
	declares = regexp.MustCompile(`(?i)\bUPDATE schema_compatibility SET oldest\b`)
)

// breaking lists the statements of a migration that servers of the version
// before may not survive, unless it says from which program on it is no harm.
func breaking(migration string) []string {
	if declares.MatchString(migration) {
		return nil
	}
	var out []string
	for s := range strings.SplitSeq(comment.ReplaceAllString(migration, ""), ";") {
		s = strings.TrimSpace(s)
		adds := strings.HasPrefix(strings.ToUpper(s), "ALTER TABLE")
		if s != "" && (!expands.MatchString(s) || adds && demands.MatchString(s) && !fills.MatchString(s)) {
			out = append(out, s)
		}
	}
	return out
}

// TestMigrationsExpand: every migration after the first can run beside servers
// of the version before (docs/operations.md, "Upgrading").
func TestMigrationsExpand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"CREATE TABLE a (b TEXT NOT NULL); CREATE INDEX c ON a (b);":         0,
		"ALTER TABLE a ADD COLUMN b TEXT; -- NOT NULL":                       0,
		"ALTER TABLE a ADD COLUMN b BIGINT NOT NULL DEFAULT 0;":              0,
		"INSERT INTO a (b) VALUES (1); UPDATE a SET c = 2;":                  0,
		"ALTER TABLE a ADD COLUMN b BIGINT NOT NULL;":                        1,
		"ALTER TABLE a DROP COLUMN b; DROP TABLE c;":                         2,
		"ALTER TABLE a RENAME TO b;":                                         1,
		"ALTER TABLE a ALTER COLUMN b SET NOT NULL;":                         1,
		"CREATE UNIQUE INDEX a ON b (c);":                                    1,
		"DELETE FROM a;":                                                     1,
		"DROP TABLE a; UPDATE schema_compatibility SET oldest = 9;":          0,
		"drop table a; -- UPDATE nothing":                                    1,
		"CREATE TRIGGER a AFTER INSERT ON b BEGIN UPDATE c SET d = 1; END; ": 2,
	} {
		if got := breaking(text); len(got) != want {
			t.Errorf("%s: %d: %q", text, len(got), got)
		}
	}
	files, err := fs.Glob(migrations, "migrations/*/*.sql")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		if strings.HasPrefix(filepath.Base(path), "00001_") {
			continue
		}
		text, err := fs.ReadFile(migrations, path)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range breaking(string(text)) {
			t.Errorf("%s: servers of the version before may not survive this: %s", path, s)
		}
	}
}
