package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/keyward/keyward/internal/vault"
)

// ErrLocked: another process has the vault open.
var ErrLocked = errors.New("another keyward is running on this data directory; stop it first")

// Engine is the embedded vault. Its methods may be called from many
// goroutines.
type Engine struct {
	opts Options
	db   *bolt.DB

	mu     sync.RWMutex // guards the rest; never held during work
	vault  *opened      // nil while sealed
	sealed error        // why it is sealed
	closed bool

	unsealing sync.Mutex
}

// opened is an engine with its keys.
type opened struct {
	opts   Options
	db     *bolt.DB
	ring   *keyring
	writer *writer

	changing sync.Mutex // one change of cas at a time
	cas      atomic.Pointer[authorities]
}

var (
	_ vault.Engine        = (*Engine)(nil)
	_ vault.RevokedLister = (*Engine)(nil)
	_ vault.IssuedLister  = (*Engine)(nil)
	_ vault.Numbered      = (*Engine)(nil)
)

// Open opens a vault, and creates it if there is none. If the seal key is missing or wrong, Open
// succeeds and the engine is sealed: every operation returns vault.ErrSealed until Unseal succeeds.
// ErrLocked if another process has the vault open; vault.ErrTampered if its records were changed.
func Open(ctx context.Context, opts Options) (*Engine, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	file := opts.file()
	if err := makeDir(filepath.Dir(file)); err != nil {
		return nil, fmt.Errorf("%w: the vault's directory cannot be made: %w", vault.ErrUnavailable, err)
	}
	db, err := openFile(file, opts.LockTimeout)
	if err != nil {
		return nil, err
	}
	e := &Engine{opts: opts, db: db}
	switch err := e.Unseal(ctx); {
	case errors.Is(err, vault.ErrSealed):
		opts.Logger.WarnContext(ctx, "the vault is sealed", "cause", err)
	case err != nil:
		return nil, errors.Join(err, db.Close())
	}
	return e, nil
}

// Examine reports whether the seal key opens the vault of the options; vault.ErrSealed if not, ErrLocked
// if another process has it open. It changes nothing, and reads no record.
func Examine(ctx context.Context, opts Options) (err error) {
	if err := opts.check(); err != nil {
		return err
	}
	db, err := bolt.Open(opts.file(), 0o600, &bolt.Options{ReadOnly: true, Timeout: time.Second / 4})
	if errors.Is(err, berrors.ErrTimeout) {
		return fmt.Errorf("%w: %w", vault.ErrUnavailable, ErrLocked)
	}
	if err != nil {
		return fmt.Errorf("%w: the vault's file cannot be opened: %w", vault.ErrUnavailable, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	e := &Engine{opts: opts, db: db}
	stored, empty, err := e.storedHeader()
	if err == nil && !empty {
		_, err = e.unwrap(ctx, stored, nil)
	}
	return err
}

func openFile(file string, timeout time.Duration) (db *bolt.DB, err error) {
	err = guard(func() error {
		db, err = bolt.Open(file, 0o600, &bolt.Options{
			Timeout:      timeout,
			FreelistType: bolt.FreelistMapType,
			OpenFile:     openEmptyOrWritten,
		})
		return err
	})
	switch {
	case err == nil:
		return db, nil
	case errors.Is(err, berrors.ErrTimeout):
		return nil, fmt.Errorf("%w: %w", vault.ErrUnavailable, ErrLocked)
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		return nil, fmt.Errorf("%w: the file is no vault: %w", vault.ErrTampered, err)
	case errors.Is(err, vault.ErrTampered):
		return nil, err
	}
	return nil, fmt.Errorf("%w: the vault's file cannot be opened: %w", vault.ErrUnavailable, err)
}

// openEmptyOrWritten opens the database file. Power loss in the very first write can leave a file
// of zeros, which counts as new: nothing was ever stored in it.
func openEmptyOrWritten(name string, flag int, mode os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || info.Size() == 0 || info.Size() > 256<<10 {
		return f, err
	}
	content := make([]byte, info.Size())
	if _, err := f.ReadAt(content, 0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	for _, b := range content {
		if b != 0 {
			return f, nil
		}
	}
	if err := f.Truncate(0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Unseal tries again to get the key of a sealed vault. It does nothing if the vault is open.
func (e *Engine) Unseal(ctx context.Context) error {
	e.unsealing.Lock()
	defer e.unsealing.Unlock()
	e.mu.RLock()
	done, closed := e.vault != nil, e.closed
	e.mu.RUnlock()
	if closed {
		return errClosed
	}
	if done {
		return nil
	}
	v, err := e.load(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		e.sealed = err
		return err
	}
	e.vault, e.sealed = v, nil
	return nil
}

// ready returns the open vault for an operation on path, or why there is none.
func (e *Engine) ready(ctx context.Context, path string) (*opened, error) {
	if err := vault.CheckPath(path); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", vault.ErrUnavailable, err)
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	switch {
	case e.closed:
		return nil, errClosed
	case e.vault == nil:
		return nil, e.sealed
	}
	return e.vault, nil
}

func (e *Engine) now() time.Time { return e.opts.Now() }

// State implements vault.Engine.
func (e *Engine) State(context.Context) vault.State {
	e.mu.RLock()
	defer e.mu.RUnlock()
	switch {
	case e.closed:
		return vault.Disconnected
	case e.vault == nil:
		return vault.Sealed
	case e.vault.writer.failure() != nil:
		return vault.Disconnected
	}
	return vault.Connected
}

// Close ends the engine after the writes that are under way.
func (e *Engine) Close() error {
	e.unsealing.Lock()
	defer e.unsealing.Unlock()
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	v := e.vault
	e.vault = nil // keys and lists go with it
	e.mu.Unlock()
	if v != nil {
		v.writer.stop()
	}
	return e.db.Close()
}

func isNotFound(err error) bool { return errors.Is(err, vault.ErrNotFound) }
