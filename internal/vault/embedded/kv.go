package embedded

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/keyward/keyward/internal/vault"
)

// Get implements vault.KV.
func (e *Engine) Get(ctx context.Context, path string) (vault.Version, error) {
	h, data, err := e.document(ctx, path)
	return vault.Version{Number: h.number, Data: data}, err
}

// Metadata implements vault.KV.
func (e *Engine) Metadata(ctx context.Context, path string) (vault.Metadata, error) {
	h, _, err := e.document(ctx, path)
	return vault.Metadata{CurrentVersion: h.number, CreatedAt: h.created, UpdatedAt: h.updated}, err
}

func (e *Engine) document(ctx context.Context, path string) (h head, data vault.Data, err error) {
	v, err := e.ready(ctx, path)
	if err != nil {
		return h, nil, err
	}
	err = v.view(func(r reader) error {
		h, data, err = r.document(path)
		return err
	})
	return h, data, err
}

// document returns vault.ErrNotFound if there is none.
func (r reader) document(path string) (head, vault.Data, error) {
	b, err := r.open(bucketDocuments, []byte(path))
	if err != nil {
		return head{}, nil, err
	}
	if b == nil {
		return head{}, nil, vault.ErrNotFound
	}
	return parseDocument(b)
}

// Put implements vault.KV.
func (e *Engine) Put(ctx context.Context, path string, data vault.Data, cas int) (int, error) {
	v, err := e.ready(ctx, path)
	if err != nil {
		return 0, err
	}
	if cas < 0 {
		return 0, invalid("the expected version is negative")
	}
	if err := data.Check(); err != nil {
		return 0, err
	}
	err = v.writer.do(ctx, len(data), func(t *txn) error { return e.put(t, path, data, cas) }, nil)
	if err != nil {
		return 0, err
	}
	return cas + 1, nil
}

func (e *Engine) put(t *txn, path string, data vault.Data, cas int) error {
	now := e.now().UTC()
	h, _, err := t.document(path)
	if isNotFound(err) {
		h, err = head{created: now}, nil
	}
	if err != nil {
		return err
	}
	if cas != h.number {
		return vault.ErrCAS
	}
	h.updated, h.number = now, cas+1
	return t.seal(bucketDocuments, []byte(path), h.encode(), data)
}

// DestroyPath implements vault.KV.
func (e *Engine) DestroyPath(ctx context.Context, path string) error {
	v, err := e.ready(ctx, path)
	if err != nil {
		return err
	}
	return v.writer.do(ctx, 0, func(t *txn) error { return t.delete(bucketDocuments, []byte(path)) }, nil)
}

// List implements vault.KV. It skips whole subtrees, so its work is proportional to its result.
func (e *Engine) List(ctx context.Context, prefix string) (names []string, err error) {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return nil, err
	}
	if prefix != "" {
		if err := vault.CheckPath(prefix); err != nil {
			return nil, err
		}
		prefix += "/"
	}
	err = v.view(func(r reader) error {
		names = []string{}
		b := r.tx.Bucket([]byte(bucketDocuments))
		if b == nil {
			return tampered("a bucket is missing")
		}
		c := b.Cursor()
		k, _ := c.Seek([]byte(prefix))
		for k != nil && bytes.HasPrefix(k, []byte(prefix)) {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("%w: %w", vault.ErrUnavailable, err)
			}
			name, _, below := strings.Cut(string(k[len(prefix):]), "/")
			if !below {
				names = append(names, name)
				k, _ = c.Next()
				continue
			}
			names = append(names, name+"/")
			k, _ = c.Seek([]byte(prefix + name + "0")) // '0' follows '/'
		}
		return nil
	})
	return names, err
}
