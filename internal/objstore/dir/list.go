package dir

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/objstore"
)

// Each implements objstore.Store.
func (s *Store) Each(ctx context.Context, each func(objstore.Object) error) error {
	return s.walk(ctx, func(_ *os.Root, folder string, entry fs.DirEntry) error {
		key := path.Join(folder, entry.Name())
		if _, ok := objstore.ParseName(s.o.Prefix, key); !ok || !entry.Type().IsRegular() {
			return nil
		}
		info, err := entry.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist): // deleted since
			return nil
		case err != nil:
			return broken(err)
		}
		return each(object(key, info))
	})
}

// Sweep implements objstore.Store.
func (s *Store) Sweep(ctx context.Context, before time.Time) (swept int, err error) {
	err = s.walk(ctx, func(root *os.Root, folder string, entry fs.DirEntry) error {
		if !strings.HasPrefix(entry.Name(), markStem) || !entry.Type().IsRegular() {
			return nil
		}
		info, err := entry.Info()
		if err == nil && info.ModTime().Before(before) {
			if err = root.Remove(filepath.FromSlash(path.Join(folder, entry.Name()))); err == nil {
				swept++
			}
		}
		if errors.Is(err, fs.ErrNotExist) { // its writer has finished
			return nil
		}
		return broken(err)
	})
	return swept, err
}

// walk visits the entries of the backups' folder; a missing folder is empty.
func (s *Store) walk(ctx context.Context, visit func(root *os.Root, folder string, entry fs.DirEntry) error) error {
	ctx, end := objstore.Limit(ctx, objstore.Patience)
	defer end()
	root, err := s.open()
	if err != nil {
		return err
	}
	defer root.Close()
	folder := path.Dir(s.o.Prefix + "x")
	d, err := root.Open(filepath.FromSlash(folder))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return broken(err)
	}
	defer d.Close()
	for {
		entries, err := d.ReadDir(256)
		for _, entry := range entries {
			if err := ended(ctx); err != nil {
				return err
			}
			if err := visit(root, folder, entry); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return broken(err)
		}
	}
}
