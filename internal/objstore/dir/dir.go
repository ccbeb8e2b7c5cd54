package dir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/keyward/keyward/internal/durable"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
)

// Options are the options of a Store.
type Options struct {
	Path   string         // of the directory, which is created if missing
	Prefix string         // of all keys
	Links  objstore.Links // signs links to the backend itself
}

// Store is a directory.
type Store struct{ o Options }

var _ objstore.Store = (*Store)(nil)

// New creates the directory if it does not exist.
func New(o Options) (*Store, error) {
	if wrong := objstore.CheckPrefix("prefix", o.Prefix); wrong != nil {
		return nil, fault.Invalid(wrong...).With(objstore.ErrInvalid)
	}
	if !filepath.IsAbs(o.Path) {
		return nil, fmt.Errorf("%w: the directory's path is not absolute", objstore.ErrInvalid)
	}
	if err := os.MkdirAll(o.Path, 0o700); err != nil {
		return nil, broken(err)
	}
	return &Store{o}, nil
}

// Prefix implements objstore.Store.
func (s *Store) Prefix() string { return s.o.Prefix }

// Close implements objstore.Store. Nothing stays open.
func (s *Store) Close() error { return nil }

// open opens the directory as it is now: it may have been mounted again.
func (s *Store) open() (*os.Root, error) {
	root, err := os.OpenRoot(s.o.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, gone(err)
	case err != nil:
		return nil, broken(err)
	}
	return root, nil
}

// Stat implements objstore.Store.
func (s *Store) Stat(ctx context.Context, key string) (objstore.Object, error) {
	if err := errors.Join(objstore.CheckKey(s.o.Prefix, key), ctx.Err()); err != nil {
		return objstore.Object{}, err
	}
	root, err := s.open()
	if err != nil {
		return objstore.Object{}, err
	}
	defer root.Close()
	return stat(root, key)
}

// stat only finds regular files.
func stat(root *os.Root, key string) (objstore.Object, error) {
	info, err := root.Lstat(filepath.FromSlash(key))
	switch {
	case err != nil:
		return objstore.Object{}, broken(err)
	case !info.Mode().IsRegular():
		return objstore.Object{}, objstore.NotFound(fmt.Errorf("%s is no file", key))
	}
	return object(key, info), nil
}

func object(key string, info fs.FileInfo) objstore.Object {
	return objstore.Object{Key: key, Size: info.Size(), ModifiedAt: info.ModTime().UTC()}
}

// Open implements objstore.Store.
func (s *Store) Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	if err := errors.Join(objstore.CheckKey(s.o.Prefix, key), ctx.Err()); err != nil {
		return nil, err
	}
	root, err := s.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if _, err := stat(root, key); err != nil {
		return nil, err
	}
	f, err := root.Open(filepath.FromSlash(key))
	if err != nil {
		return nil, broken(err)
	}
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, errors.Join(broken(err), f.Close())
	}
	var content io.Reader = f
	if length >= 0 {
		content = io.LimitReader(f, length)
	}
	ctx, end := objstore.Limit(ctx, objstore.Patience)
	return &reader{inTime{ctx, content}, f, end}, nil
}

type reader struct {
	inTime
	file io.Closer
	end  context.CancelFunc
}

// Close implements io.Closer.
func (r *reader) Close() error {
	r.end()
	return r.file.Close()
}

// inTime reads until its context ends.
type inTime struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (r inTime) Read(p []byte) (int, error) {
	if err := ended(r.ctx); err != nil {
		return 0, err
	}
	n, err := r.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = broken(err)
	}
	return n, err
}

func ended(ctx context.Context) error {
	if objstore.TimedOut(ctx) {
		return objstore.Slow(ctx.Err())
	}
	return ctx.Err()
}

// Delete implements objstore.Store. A directory locks nothing.
func (s *Store) Delete(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		if err := s.delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// Versioned implements objstore.Store.
func (s *Store) Versioned(context.Context) (bool, error) { return false, nil }

func (s *Store) delete(ctx context.Context, key string) error {
	if err := errors.Join(objstore.CheckKey(s.o.Prefix, key), ctx.Err()); err != nil {
		return err
	}
	root, err := s.open()
	if err != nil {
		return err
	}
	defer root.Close()
	switch _, err := stat(root, key); {
	case errors.Is(err, objstore.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	if err := root.Remove(filepath.FromSlash(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return broken(err)
	}
	return broken(durable.SyncDir(s.folder(key)))
}

func (s *Store) folder(key string) string {
	return filepath.Join(s.o.Path, filepath.FromSlash(path.Dir(key)))
}

// Link implements objstore.Store.
func (s *Store) Link(ctx context.Context, key string) (objstore.Link, error) {
	if _, err := s.Stat(ctx, key); err != nil {
		return objstore.Link{}, err
	}
	return s.o.Links.Sign(key, 0, time.Now().Add(objstore.LinkLifetime)), nil
}
