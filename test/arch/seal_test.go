package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWhoSeals: secrets leave the server in only one place, which records them first.
// The command line seals what a person types.
func TestWhoSeals(t *testing.T) {
	t.Parallel()
	top := root(t)
	var found []string
	for _, folder := range []string{"internal", "cmd"} {
		err := filepath.WalkDir(filepath.Join(top, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			src, err := os.ReadFile(path)
			if err == nil && (strings.Contains(string(src), "agentkey.Seal(") || strings.Contains(string(src), "EncryptOAEP")) {
				name, _ := filepath.Rel(top, path)
				found = append(found, filepath.ToSlash(name))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(found)
	want := []string{"internal/agentkey/seal.go", "internal/client/seal.go", "internal/custody/seal.go"}
	if !slices.Equal(found, want) {
		t.Errorf("sealed in %v, want %v", found, want)
	}
}
