package dir

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/keyward/keyward/internal/durable"
	"github.com/keyward/keyward/internal/objstore"
)

// markStem is the prefix of unfinished files' names. No part of a key may begin with it.
const markStem = ".new-"

// Put implements objstore.Store.
func (s *Store) Put(ctx context.Context, key string, content io.Reader) (objstore.Object, error) {
	if err := errors.Join(objstore.CheckKey(s.o.Prefix, key), ctx.Err()); err != nil {
		return objstore.Object{}, err
	}
	ctx, end := objstore.Limit(ctx, objstore.Patience)
	defer end()
	root, err := s.open()
	if err != nil {
		return objstore.Object{}, err
	}
	defer root.Close()
	if _, err := stat(root, key); !errors.Is(err, objstore.ErrNotFound) {
		if err == nil {
			err = objstore.Exists(nil)
		}
		return objstore.Object{}, err
	}
	if err := s.makeFolder(root, path.Dir(key)); err != nil {
		return objstore.Object{}, broken(err)
	}
	under := filepath.FromSlash(path.Join(path.Dir(key), markStem+rand.Text()))
	defer func() { _ = root.Remove(under) }()
	if err := write(ctx, root, under, content); err != nil {
		return objstore.Object{}, err
	}
	return s.name(root, under, key)
}

// name gives a written file its final name.
func (s *Store) name(root *os.Root, under, key string) (objstore.Object, error) {
	to := filepath.FromSlash(key)
	switch err := root.Link(under, to); {
	case errors.Is(err, fs.ErrExist):
		return objstore.Object{}, objstore.Exists(err)
	case err != nil:
		return objstore.Object{}, unlinked(err)
	}
	made, err := stat(root, key)
	if err == nil {
		err = broken(errors.Join(root.Remove(under), durable.SyncDir(s.folder(key))))
	}
	if err != nil { // unknown whether the name would last
		return objstore.Object{}, errors.Join(err, root.Remove(to))
	}
	return made, nil
}

// write writes a file completely and durably.
func write(ctx context.Context, root *os.Root, name string, content io.Reader) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return broken(err)
	}
	err = fill(ctx, f, content)
	if err == nil {
		err = broken(f.Sync())
	}
	return errors.Join(err, broken(f.Close()))
}

// fill distinguishes errors of the reader, which are returned unchanged, from the disk's.
func fill(ctx context.Context, f *os.File, content io.Reader) error {
	buffer := make([]byte, 256<<10)
	for {
		if err := ended(ctx); err != nil {
			return err
		}
		n, err := content.Read(buffer)
		if n > 0 {
			if _, err := f.Write(buffer[:n]); err != nil {
				return broken(err)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("object store: what should be written cannot be read: %w", err)
		}
	}
}

// makeFolder creates the folder of a key, durably.
func (s *Store) makeFolder(root *os.Root, folder string) error {
	if _, err := root.Stat(filepath.FromSlash(folder)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := root.MkdirAll(filepath.FromSlash(folder), 0o700); err != nil {
		return err
	}
	for folder != "." {
		folder = path.Dir(folder)
		if err := durable.SyncDir(filepath.Join(s.o.Path, filepath.FromSlash(folder))); err != nil {
			return err
		}
	}
	return nil
}
