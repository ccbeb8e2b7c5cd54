package backup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/keyward/keyward/internal/fault"
)

// temporaryStem is the prefix of temporary files' names.
const temporaryStem = ".backup-"

// temporary creates an empty file for the owner only. If possible, it is unlinked at
// once, so that it disappears with the process, however that ends.
func (s *Service) temporary() (*os.File, error) {
	if err := os.MkdirAll(s.Temporary, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(s.Temporary, temporaryStem+"*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // otherwise Sweep does it
	return f, nil
}

// Sweep removes temporary files of killed processes. Those of live ones are in use,
// or already unlinked.
func (s *Service) Sweep() error {
	entries, err := os.ReadDir(s.Temporary)
	if err != nil {
		return fmt.Errorf("temporary files of backups: %w", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), temporaryStem) && e.Type().IsRegular() {
			_ = os.Remove(filepath.Join(s.Temporary, e.Name()))
		}
	}
	return nil
}

// local explains errors of the temporary file.
func local(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return fault.New(fault.StorageUnavailable, "backup_disk_full", "The disk of the server's data directory "+
			"has too little space to prepare a backup, or a quota or file limit is too low. Free some space "+
			"there, then try again.").With(err)
	case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.EROFS):
		return fault.New(fault.StorageUnavailable, "backup_disk_denied", "The server can't write to its data "+
			"directory, where it prepares encrypted backups. Make its user the owner of that directory, and "+
			"mount it writable.").With(err)
	}
	return err
}
