package arch

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// onRecord lists the files that write although the actor may have been dismissed
// meanwhile, and what already happened that they record.
var onRecord = map[string]string{
	"internal/app/services.go":         "a refusal; the number of a CRL that is published",
	"internal/audit/denials.go":        "what somebody met outside their scope",
	"internal/backup/objects.go":       "a backup that was deleted",
	"internal/cert/revoke.go":          "a revocation that the database holds, on its way to the CRL",
	"internal/custody/store.go":        "a move that the vault took",
	"internal/hwkey/update.go":         "a change of owner, which the vault follows",
	"internal/licensepolicy/change.go": "a license that was stored, refused or removed",
	"internal/ca/change.go":            "that the vault refused a change whose entry is there, and the history of one that it made",
	"internal/ca/history.go":           "which CA was found to sign, and that another no longer does",
	"internal/profile/service.go":      "that the vault refused a change whose entry is there",
	"internal/rollback/guard.go":       "a finding about the vault, whoever came across it",
	"internal/backup/runner.go":        "how a job goes on, and ends, that was begun for a request",
	"internal/access/admission.go":     "nothing: OnRecord itself",
}

// TestWritesThatPassTheActorBy: every write of a request checks its actor again, except
// those on this list.
func TestWritesThatPassTheActorBy(t *testing.T) {
	t.Parallel()
	top := root(t)
	var found []string
	for _, folder := range []string{"internal", "cmd"} {
		err := filepath.WalkDir(filepath.Join(top, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.Contains(path, "storetest") {
				return err
			}
			src, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(src), "OnRecord(") {
				return err
			}
			name, err := filepath.Rel(top, path)
			found = append(found, filepath.ToSlash(name))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(found)
	if want := slices.Sorted(maps.Keys(onRecord)); !slices.Equal(found, want) {
		t.Errorf("access.OnRecord is used in\n%v\nand explained for\n%v", found, want)
	}
}
