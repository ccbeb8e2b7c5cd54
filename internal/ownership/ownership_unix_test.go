//go:build unix

package ownership

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// TestPrivate: what a neighbour could do to a folder. What it keeps programs
// from is tested where they use it.
func TestPrivate(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		above, folder os.FileMode
		private       bool
	}{
		"ours alone":                 {0o700, 0o700, true},
		"in one that others read":    {0o755, 0o700, true},
		"in a sticky one, like /tmp": {0o777 | os.ModeSticky, 0o700, true},
		"others may read it":         {0o700, 0o750, false},
		"others may enter it":        {0o700, 0o711, false},
		"others may write above":     {0o777, 0o700, false},
		"sticky itself":              {0o700, 0o777 | os.ModeSticky, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			above := filepath.Join(t.TempDir(), "above")
			folder := filepath.Join(above, "folder")
			must.OK(t, os.MkdirAll(folder, 0o700))
			must.OK(t, os.Chmod(folder, tc.folder))
			must.OK(t, os.Chmod(above, tc.above))
			got, err := Private(folder)
			if (err == nil) != tc.private || tc.private && got != must.Get(filepath.EvalSymlinks(folder))(t) {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
}
