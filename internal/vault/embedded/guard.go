package embedded

import (
	"errors"
	"fmt"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/keyward/keyward/internal/vault"
)

var errClosed = fmt.Errorf("%w: the vault is closed", vault.ErrUnavailable)

// guard runs fn and turns what bbolt does about a damaged file (it panics, or reads outside the
// mapped file) into vault.ErrTampered.
func guard(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: the file's structure is damaged (%v)", vault.ErrTampered, r)
		}
	}()
	return fn()
}

// view reads within one consistent snapshot.
func (w *writer) view(fn func(r reader) error) error {
	err := guard(func() error {
		return w.db.View(func(tx *bolt.Tx) error { return fn(reader{tx, w.ring}) })
	})
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return errClosed
	}
	return err
}

func (v *opened) view(fn func(r reader) error) error { return v.writer.view(fn) }
