package restore_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

// nothingLeft waits until the bucket contains only those backups and their heads, no
// partial upload, and the data directory no temporary file. A killed server's remains
// disappear when another has found it silent.
func (w *world) nothingLeft(t *testing.T, keys ...string) {
	t.Helper()
	var wants []string
	for _, key := range keys {
		_, moment, _ := strings.Cut(strings.TrimPrefix(key, "site/backup-"), "-")
		wants = append(wants, key, "site/audit-head-"+strings.TrimSuffix(moment, ".enc")+".json")
	}
	await.That(t, "the bucket has nothing but "+strings.Join(keys, ", "), func() bool {
		objects, parts := s3server.Shared(t).Objects(t, w.bucket)
		return len(parts) == 0 && !slices.ContainsFunc(objects, func(o string) bool { return !slices.Contains(wants, o) }) &&
			!slices.ContainsFunc(keys, func(key string) bool { return !slices.Contains(objects, key) })
	})
	must.OK(t, filepath.WalkDir(w.data, func(path string, d fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if name := d.Name(); name == "restoring" || strings.HasPrefix(name, ".") {
			t.Errorf("%s is left", path)
		}
		return err
	}))
}
