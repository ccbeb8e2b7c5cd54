// Package durable writes small files whole: whoever reads one meanwhile, or after
// a crash, finds all of it or what was there before. What returned nil stays,
// content and name, when the power fails.
//
// A process that is killed in the middle may leave a file beside it that nobody
// reads: PATH.new, which the next Replace takes over, or of Create .new-NUMBER,
// which may be removed.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Replace writes a file in the place of one that may be there. One at a time may
// replace a path.
func Replace(path string, content []byte, mode fs.FileMode) error {
	made := path + ".new"
	if err := os.Remove(made); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(made, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return write(f, path, content, mode, os.Rename)
}

// Create writes a file that nobody but its owner may read, and that does not
// exist yet: fs.ErrExist when it does, also when another process has just made it.
func Create(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	return write(f, path, content, 0o600, os.Link) // which, unlike a rename, replaces nothing
}

// write fills a new file, of mode 0600, and gives it its name.
func write(f *os.File, path string, content []byte, mode fs.FileMode, name func(made, path string) error) (err error) {
	defer func() { _ = os.Remove(f.Name()) }() // gone when it was renamed
	if mode != 0o600 {
		err = f.Chmod(mode)
	}
	if err == nil {
		_, err = f.Write(content)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := name(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// SyncDir makes the names in a directory durable. Windows does that by itself,
// and knows no such call.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
