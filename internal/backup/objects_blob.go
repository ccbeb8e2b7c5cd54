package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/keyward/keyward/internal/objstore"
)

// Blob reads an object from any offset; after each seek it is opened again.
type Blob struct {
	Object objstore.Object

	maker string // who created the link
	ctx   context.Context
	store objstore.Store
	at    int64
	body  io.ReadCloser // from at on; nil after a seek
}

// Name returns the file's name, without folders.
func (b *Blob) Name() string { return path.Base(b.Object.Key) }

// Tag distinguishes it from another file of the same name, for later range requests.
func (b *Blob) Tag() string {
	return fmt.Sprintf(`"%x-%x"`, b.Object.ModifiedAt.UnixNano(), b.Object.Size)
}

// Seek implements io.Seeker.
func (b *Blob) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += b.at
	case io.SeekEnd:
		offset += b.Object.Size
	}
	if offset < 0 {
		return 0, fmt.Errorf("backup: a place %d before the beginning", -offset)
	}
	if offset != b.at {
		b.at = offset
		return offset, b.shut()
	}
	return offset, nil
}

// Read implements io.Reader.
func (b *Blob) Read(p []byte) (n int, err error) {
	if b.body == nil {
		if b.body, err = b.store.Open(b.ctx, b.Object.Key, b.at, -1); err != nil {
			return 0, err
		}
	}
	n, err = b.body.Read(p)
	b.at += int64(n)
	return n, err
}

func (b *Blob) shut() error {
	if b.body == nil {
		return nil
	}
	body := b.body
	b.body = nil
	return body.Close()
}

// Close closes the object and its store.
func (b *Blob) Close() error { return errors.Join(b.shut(), b.store.Close()) }
