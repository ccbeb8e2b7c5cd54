package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/keyward/keyward/internal/objstore"
)

// Blob reads an object from anywhere, which is opened anew after each move.
type Blob struct {
	Object objstore.Object

	maker string // who made the link
	ctx   context.Context
	store objstore.Store
	at    int64
	body  io.ReadCloser // from at on; nil after a move
}

// Name is that of the file, without folders.
func (b *Blob) Name() string { return path.Base(b.Object.Key) }

// Tag tells it from another of the same name, for parts that are asked for later.
func (b *Blob) Tag() string {
	return fmt.Sprintf(`"%x-%x"`, b.Object.ModifiedAt.UnixNano(), b.Object.Size)
}

// Seek is io.Seeker's.
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

// Read is io.Reader's.
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

// Close ends it.
func (b *Blob) Close() error { return errors.Join(b.shut(), b.store.Close()) }
