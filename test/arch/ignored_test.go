package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNodeModulesAreIgnored: no Go code that npm brings along is taken for
// ours. go.mod ignores the modules of every package.json, or all around them.
func TestNodeModulesAreIgnored(t *testing.T) {
	t.Parallel()
	top := root(t)
	mod, err := os.ReadFile(filepath.Join(top, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(mod), "\nignore (")
	block, _, _ = strings.Cut(block, ")")
	ignored := strings.Fields(block)
	found := 0
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"node_modules", ".git", ".cache"}, d.Name()):
			return fs.SkipDir
		case d.Name() != "package.json":
			return nil
		}
		found++
		folder, err := filepath.Rel(top, filepath.Dir(path))
		if err != nil {
			return err
		}
		for at := filepath.Join(folder, "node_modules"); at != "."; at = filepath.Dir(at) {
			if slices.Contains(ignored, "./"+filepath.ToSlash(at)) {
				return nil
			}
		}
		t.Errorf("go.mod: ignore ./%s/node_modules", filepath.ToSlash(folder))
		return nil
	})
	if err != nil || found == 0 {
		t.Errorf("%d package.json were found: %v", found, err)
	}
}
