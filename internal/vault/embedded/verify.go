package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/keyward/keyward/internal/vault"
)

// Verify reads every record and compares the whole with the sealed set sum.
// vault.ErrTampered when a record was edited, removed, added or replaced by
// an older one. The work is linear in the size of the vault; the memory is
// constant.
func (e *Engine) Verify(ctx context.Context) error {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return err
	}
	err = v.view(func(r reader) error { return r.verify(ctx, nil) })
	if err != nil {
		return asTampered(err)
	}
	return nil
}

// verify checks all records within one transaction and passes each revocation to each, if not nil.
// They are trustworthy only if verify returns nil.
func (r reader) verify(ctx context.Context, each func(revocation vault.Revocation, serial []byte)) error {
	if err := r.verifyBuckets(); err != nil {
		return err
	}
	want, err := r.sum()
	if err != nil {
		return err
	}
	var got setSum
	for _, name := range recordBuckets {
		err := r.tx.Bucket([]byte(name)).ForEach(func(k, value []byte) error {
			if value == nil {
				return tampered("a bucket holds a bucket")
			}
			if got.count%1024 == 0 && ctx.Err() != nil {
				return fmt.Errorf("%w: %w", vault.ErrUnavailable, ctx.Err())
			}
			got.add(r.ring.mac(name, k, value))
			if name != bucketRevoked {
				return nil
			}
			revocation, err := r.revocation(k, value)
			if err == nil && each != nil {
				each(revocation, k)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if got != want {
		return tampered("records were changed, removed, added, or restored from an older copy")
	}
	return nil
}

// verifyBuckets checks that exactly the known buckets exist, with nothing unknown beside the
// header.
func (r reader) verifyBuckets() error {
	known := map[string]bool{bucketMeta: true}
	for _, name := range recordBuckets {
		known[name] = true
	}
	count := 0
	err := r.tx.ForEach(func(name []byte, _ *bolt.Bucket) error {
		if !known[string(name)] {
			return tampered("there is an unknown bucket")
		}
		count++
		return nil
	})
	if err != nil {
		return err
	}
	if count != len(known) {
		return tampered("a bucket is missing")
	}
	return r.tx.Bucket([]byte(bucketMeta)).ForEach(func(k, _ []byte) error {
		if string(k) != string(keyHeader) && string(k) != string(keyState) {
			return tampered("there is an unknown record beside the header")
		}
		return nil
	})
}

// crlMark returns a CA's mark, zero if it has made no list yet.
func (r reader) crlMark(key []byte) (crlMark, error) {
	b, err := r.open(bucketPKI, key)
	if err != nil || b == nil && !bytes.Equal(key, keyCRL) {
		return crlMark{}, err
	}
	return parseCRLMark(b)
}

// authorities reads all CAs.
func (r reader) authorities() (*authorities, error) {
	s := &authorities{}
	active := ""
	err := r.tx.Bucket([]byte(bucketPKI)).ForEach(func(key, sealed []byte) error {
		plain, err := r.ring.open(bucketPKI, key, nil, sealed)
		if err != nil {
			return err
		}
		switch id, later := bytes.CutPrefix(key, caKey("", false)); {
		case bytes.Equal(key, keyActive):
			active = string(plain)
		case later:
			a, err := parseAuthority(plain)
			if err != nil || a.id != string(id) {
				return errors.Join(err, tampered("a CA's record is not its own"))
			}
			s.later = append(s.later, a)
		case bytes.Equal(key, keyCA):
			s.first, err = parseAuthority(plain)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.first == nil || len(s.first.chain) == 0 {
		return nil, tampered("the CA is missing")
	}
	s.active = s.first
	if active != "" {
		if s.active = s.find(active); s.active == nil || len(s.active.chain) == 0 {
			return nil, tampered("the active CA is missing")
		}
	}
	return s, nil
}
