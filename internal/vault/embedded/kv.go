package embedded

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/keyward/keyward/internal/vault"
)

// Get implements vault.KV.
func (e *Engine) Get(ctx context.Context, path string) (vault.Version, error) {
	return e.get(ctx, path, func(h *head) int { return h.current() })
}

// GetVersion implements vault.KV.
func (e *Engine) GetVersion(ctx context.Context, path string, number int) (vault.Version, error) {
	return e.get(ctx, path, func(*head) int { return number })
}

func (e *Engine) get(ctx context.Context, path string, which func(*head) int) (version vault.Version, err error) {
	v, err := e.ready(ctx, path)
	if err != nil {
		return version, err
	}
	var plain []byte
	err = v.view(func(r reader) error {
		h, err := r.head(path)
		if err != nil {
			return err
		}
		info := h.find(which(h))
		if info == nil || info.DeletedAt != nil || info.Destroyed {
			return vault.ErrNotFound
		}
		version = vault.Version{Number: info.Number, CreatedAt: info.CreatedAt}
		plain, err = r.open(bucketData, dataKey(path, info.Number), h.id[:])
		if err == nil && plain == nil {
			err = tampered("a version's data is missing")
		}
		return err
	})
	if err != nil {
		return vault.Version{}, err
	}
	version.Data, err = decodeData(plain)
	return version, err
}

// head gives a document's head, or vault.ErrNotFound.
func (r reader) head(path string) (*head, error) {
	b, err := r.open(bucketHeads, []byte(path), nil)
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, vault.ErrNotFound
	}
	return parseHead(b)
}

// Put implements vault.KV.
func (e *Engine) Put(ctx context.Context, path string, data vault.Data, cas int) (int, error) {
	v, err := e.ready(ctx, path)
	if err != nil {
		return 0, err
	}
	if cas < vault.AnyVersion {
		return 0, invalid("the expected version is negative")
	}
	plain, err := encodeData(data)
	if err != nil {
		return 0, err
	}
	number := 0
	err = v.writer.do(ctx, len(plain), func(t *txn) error {
		n, err := e.put(t, path, plain, cas)
		number = n
		return err
	}, nil)
	if err != nil {
		// number must not be read: after a cancelled wait the writer may
		// still be setting it.
		return 0, err
	}
	return number, nil
}

func (e *Engine) put(t *txn, path string, plain []byte, cas int) (int, error) {
	now := e.now().UTC()
	h, err := t.head(path)
	switch {
	case err == nil:
	case isNotFound(err):
		h = &head{created: now}
		_, _ = rand.Read(h.id[:])
	default:
		return 0, err
	}
	current := 0
	if len(h.versions) > 0 {
		current = h.current()
	}
	if cas != vault.AnyVersion && cas != current {
		return 0, vault.ErrCAS
	}
	number := current + 1
	h.updated = now
	h.versions = append(h.versions, vault.VersionInfo{Number: number, CreatedAt: now})
	for len(h.versions) > vault.MaxVersions {
		if err := t.delete(bucketData, dataKey(path, h.versions[0].Number)); err != nil {
			return 0, err
		}
		h.versions = h.versions[1:]
	}
	if err := t.seal(bucketData, dataKey(path, number), h.id[:], plain); err != nil {
		return 0, err
	}
	return number, t.seal(bucketHeads, []byte(path), nil, h.encode())
}

// Metadata implements vault.KV.
func (e *Engine) Metadata(ctx context.Context, path string) (m vault.Metadata, err error) {
	v, err := e.ready(ctx, path)
	if err != nil {
		return m, err
	}
	err = v.view(func(r reader) error {
		h, err := r.head(path)
		if err != nil {
			return err
		}
		m = vault.Metadata{
			CurrentVersion: h.current(), OldestVersion: h.versions[0].Number,
			CreatedAt: h.created, UpdatedAt: h.updated, Versions: h.versions,
		}
		return nil
	})
	return m, err
}

// Delete implements vault.KV.
func (e *Engine) Delete(ctx context.Context, path string) error {
	return e.change(ctx, path, func(h *head) (bool, error) {
		latest := &h.versions[len(h.versions)-1]
		if latest.DeletedAt != nil || latest.Destroyed {
			return false, nil
		}
		now := e.now().UTC()
		latest.DeletedAt, h.updated = &now, now
		return true, nil
	}, nil)
}

// Undelete implements vault.KV.
func (e *Engine) Undelete(ctx context.Context, path string, number int) error {
	return e.change(ctx, path, func(h *head) (bool, error) {
		info := h.find(number)
		if info == nil || info.Destroyed {
			return false, vault.ErrNotFound
		}
		if info.DeletedAt == nil {
			return false, nil
		}
		info.DeletedAt, h.updated = nil, e.now().UTC()
		return true, nil
	}, vault.ErrNotFound)
}

// change rewrites a head if edit says so; absent is the answer for a path
// that is not there.
func (e *Engine) change(ctx context.Context, path string, edit func(*head) (bool, error), absent error) error {
	v, err := e.ready(ctx, path)
	if err != nil {
		return err
	}
	return v.writer.do(ctx, 0, func(t *txn) error {
		h, err := t.head(path)
		if isNotFound(err) {
			return absent
		}
		if err != nil {
			return err
		}
		changed, err := edit(h)
		if err != nil || !changed {
			return err
		}
		return t.seal(bucketHeads, []byte(path), nil, h.encode())
	}, nil)
}

// DestroyPath implements vault.KV.
func (e *Engine) DestroyPath(ctx context.Context, path string) error {
	v, err := e.ready(ctx, path)
	if err != nil {
		return err
	}
	return v.writer.do(ctx, 0, func(t *txn) error {
		h, err := t.head(path)
		if isNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, info := range h.versions {
			if err := t.delete(bucketData, dataKey(path, info.Number)); err != nil {
				return err
			}
		}
		return t.delete(bucketHeads, []byte(path))
	}, nil)
}

// List implements vault.KV. It jumps over whole subtrees, so its work is
// proportional to its answer.
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
		b := r.tx.Bucket([]byte(bucketHeads))
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
