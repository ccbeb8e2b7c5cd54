package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/durable"
)

// scratchStem is the prefix of scratch database folders.
const scratchStem = "scratch-"

// lockFile is in each of them, locked while its process lives.
const lockFile = "lock"

// folder is such a folder, accessible only to the owner: it has password hashes and
// audit entries in plain text.
type folder struct {
	path string
	lock *os.File
}

// scratchFolder creates one, and removes those of killed processes.
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
		_, err = durable.LockAlone(f.lock)
	}
	if err != nil {
		return nil, errors.Join(err, f.remove())
	}
	return f, nil
}

func (f *folder) file(name string) string { return filepath.Join(f.path, name) }

func (f *folder) remove() error {
	err := os.RemoveAll(f.path)
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	_ = os.Remove(filepath.Dir(f.path)) // unless there is another
	return err
}

// SweepScratch removes what killed processes left.
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

// lockWithin is how long a process may take from creating a folder to its lock.
const lockWithin = time.Minute

// alive reports whether the process that created a folder still runs.
func alive(path string) bool {
	lock, err := os.OpenFile(filepath.Join(path, lockFile), os.O_RDWR, 0) // #nosec G304 -- of a folder of ours
	if err != nil {
		info, err := os.Stat(path)
		return err == nil && time.Since(info.ModTime()) < lockWithin
	}
	defer lock.Close()
	free, err := durable.LockAlone(lock)
	return err == nil && !free
}
