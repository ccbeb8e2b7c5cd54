package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/move"
)

// checkLeftover refuses a data directory with an embedded engine's file if the setting
// names a server instead: VAULT_ADDR, which many shells export, would leave the
// installation without its CA and secrets. A moved installation is accepted.
func checkLeftover(cfg config.Config, file, setting string) error {
	path := filepath.Join(cfg.Data, file)
	switch _, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("data directory: %w", err)
	}
	mark, err := move.ReadMark(cfg.Data)
	if err != nil || mark != nil && mark.State == move.Moved {
		return err
	}
	return fmt.Errorf("%s is set, but there is an installation in %s: unset %s to keep using it, move it with keyward move "+
		"(docs/moving.md), or choose another data directory with --data", setting, path, setting)
}
