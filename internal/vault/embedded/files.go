package embedded

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/keyward/keyward/internal/durable"
)

// makeDir makes a directory (mode 0700) with its parents and makes their
// entries durable.
func makeDir(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return durable.SyncDir(parent)
}
