// Package durable writes small files atomically: a reader, at any time or after a
// crash, finds either the whole new file or the previous state. After a nil
// error, content and name survive a power failure.
//
// A killed process may leave a file behind: PATH.new, which the next Replace
// overwrites, or from Create .new-NUMBER, which may be removed.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Replace writes a file, replacing any existing one. A path must not be replaced concurrently.
func Replace(path string, content []byte, mode fs.FileMode) error {
	f, err := begin(path)
	if err != nil {
		return err
	}
	return write(f, path, content, mode, os.Rename)
}

// ReplaceForOwner is Replace, mode 0600, for whoever owns the directory, even if root calls it.
func ReplaceForOwner(path string, content []byte) error {
	f, err := begin(path)
	if err != nil {
		return err
	}
	if err := give(f); err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return write(f, path, content, 0o600, os.Rename)
}

// begin creates the file that replaces another.
func begin(path string) (*os.File, error) {
	made := path + ".new"
	if err := os.Remove(made); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(made, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // #nosec G304 -- the caller's
}

// Create writes a new file that only its owner may read: fs.ErrExist when it
// exists, even if another process has just created it.
func Create(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	return write(f, path, content, 0o600, os.Link) // unlike a rename, this replaces nothing
}

// write fills a new file, of mode 0600, and names it.
func write(f *os.File, path string, content []byte, mode fs.FileMode, name func(made, path string) error) (err error) {
	defer func() { _ = os.Remove(f.Name()) }() // already gone after a rename
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

// SyncDir makes the names in a directory durable. Windows does so by itself,
// and has no such call.
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
