package restore_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/test/must"
)

// TestDocumentedSQL: the example of docs/backup-format.md, in a file that somebody else
// wrote, is restored after the database was lost.
func TestDocumentedSQL(t *testing.T) {
	t.Parallel()
	text := string(must.Get(os.ReadFile("../../docs/backup-format.md"))(t))
	example := regexp.MustCompile("(?s)```sql\n(.*?)```").FindStringSubmatch(text)[1]
	f := file{header: archive.NewHeader(archive.Database, time.Now(), false)}
	w := oneMachine(t)
	w.settle(t)
	w.Kill()
	var number string
	w.row(t, []any{&number}, "SELECT value FROM settings WHERE name = 'installation'")
	for _, end := range []string{"", "-wal", "-shm"} {
		must.OK(t, os.RemoveAll(filepath.Join(w.data, "keyward.db"+end)))
	}
	f.sql = strings.ReplaceAll(strings.Replace(example, `{"id":"INSTALLATION"}`, number, 1), "\n", "\r\n")
	path := filepath.Join(t.TempDir(), "backup-database-20261122-020000.enc")
	f.write(t, path)
	password := filepath.Join(t.TempDir(), "password") // as PowerShell writes it
	must.OK(t, os.WriteFile(password, []byte("\ufeff"+backupPassword+"\r\n"), 0o600))
	w.run(t, "", nil, "keyward", "restore", path, "--data", w.data, "--password-file", password).succeeds(t)
	var organization, administrator string
	w.row(t, []any{&organization, &administrator}, "SELECT o.name, u.username FROM organizations o, users u")
	if organization != "It's us" || administrator != "admin" {
		t.Errorf("restored: %q, %q", organization, administrator)
	}
}
