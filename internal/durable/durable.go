// Package durable writes small files whole: whoever reads one meanwhile, or after
// a crash, finds all of it or what was there before. What returned nil stays,
// content and name, when the power fails.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Replace writes a file in the place of one that may be there.
func Replace(path string, content []byte, mode fs.FileMode) error {
	return write(path, content, mode, os.Rename)
}

// Create writes a file that nobody but its owner may read, and that does not
// exist yet: fs.ErrExist when it does, also when another process has just made it.
func Create(path string, content []byte) error {
	return write(path, content, 0o600, os.Link) // which, unlike a rename, replaces nothing
}

// write makes a file under another name and gives it its own.
func write(path string, content []byte, mode fs.FileMode, name func(made, path string) error) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone when it was renamed
	if mode != 0o600 {                         // as it was made
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
	return SyncDir(dir)
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
