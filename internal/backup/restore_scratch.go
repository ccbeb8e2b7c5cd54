package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// scratchStem begins the names of the folders of scratch databases.
const scratchStem = "scratch-"

// lockFile is in each of them, locked while its process is alive.
const lockFile = "lock"

// folder is one of them: for the owner alone, with password hashes and audit entries in
// the clear.
type folder struct {
	path string
	lock *os.File
}

// scratchFolder makes one, and removes those of processes that were killed.
func (r *Restorer) scratchFolder() (*folder, error) {
	if err := r.SweepScratch(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.Folder, 0o700); err != nil {
		return nil, err
	}
	path, err := os.MkdirTemp(r.Folder, scratchStem)
	if err != nil {
		return nil, err
	}
	f := &folder{path: path}
	f.lock, err = os.OpenFile(f.file(lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		_, err = lockAlone(f.lock)
	}
	if err != nil {
		return nil, errors.Join(err, f.remove())
	}
	return f, nil
}

func (f *folder) file(name string) string { return filepath.Join(f.path, name) }

// remove leaves nothing of it.
func (f *folder) remove() error {
	err := os.RemoveAll(f.path)
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	_ = os.Remove(filepath.Dir(f.path)) // unless another one is there
	return err
}

// SweepScratch removes what processes have left that were killed.
func (r *Restorer) SweepScratch() error {
	entries, err := os.ReadDir(r.Folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("folder for scratch databases: %w", err)
	}
	var failed []error
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), scratchStem) || !e.IsDir() {
			continue
		}
		path := filepath.Join(r.Folder, e.Name())
		if alive(path) {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			failed = append(failed, err)
		}
	}
	_ = os.Remove(r.Folder) // unless one is in use
	return errors.Join(failed...)
}

// lockWithin is how long a process may take from a folder to its lock.
const lockWithin = time.Minute

// alive tells whether the process is there that made a folder.
func alive(path string) bool {
	lock, err := os.OpenFile(filepath.Join(path, lockFile), os.O_RDWR, 0) // #nosec G304 -- of a folder of ours
	if err != nil {
		info, err := os.Stat(path)
		return err == nil && time.Since(info.ModTime()) < lockWithin
	}
	defer lock.Close()
	free, err := lockAlone(lock)
	return err == nil && !free
}
