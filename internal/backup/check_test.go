package backup_test

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/test/must"
)

// liar is a store that returns something else.
type liar struct {
	objstore.Store

	change func(content []byte) []byte
	fail   error // of deletions
}

func (l liar) Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	r, err := l.Store.Open(ctx, key, offset, length)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	return io.NopCloser(bytes.NewReader(l.change(content))), err
}

func (l liar) Delete(ctx context.Context, keys ...string) error {
	if l.fail != nil {
		return l.fail
	}
	return l.Store.Delete(ctx, keys...)
}

func flip(at func(size int) int) func([]byte) []byte {
	return func(content []byte) []byte {
		content[at(len(content))] ^= 1
		return content
	}
}

// The backup is read back completely, so that nothing counts that differs from what
// was written; and none of it stays.
func TestReadBack(t *testing.T) {
	t.Parallel()
	b := filled(t)
	first := must.Get(b.make(t.Context(), archive.Vault))(t)
	kept := b.files()
	former := read(t, b.open(), first.Key)
	for name, change := range map[string]func([]byte) []byte{
		"in the middle":     flip(func(n int) int { return n / 2 }),
		"one more":          func(c []byte) []byte { return append(c, 0) },
		"the one before it": func([]byte) []byte { return bytes.Clone(former) },
	} {
		b.wrap = func(s objstore.Store) objstore.Store { return liar{Store: s, change: change} }
		_, err := b.make(t.Context(), archive.Vault)
		if b.reason(err) != "backup_differs" || !fault.Is(err, fault.StorageUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		if got := b.files(); !slices.Equal(got, kept) {
			t.Errorf("%s: left %q", name, got)
		}
	}

	// If it cannot be deleted, the error names its key.
	denied := fault.New(fault.StorageUnavailable, "denied", "No.").With(objstore.ErrUnavailable)
	b.wrap = func(s objstore.Store) objstore.Store {
		return liar{Store: s, change: flip(func(int) int { return 0 }), fail: denied}
	}
	_, err := b.make(t.Context(), archive.Vault)
	f, _ := fault.As(err)
	if f == nil || f.Reason != "backup_left_behind" || !strings.Contains(f.Detail, "backup-vault-") ||
		!strings.Contains(f.Detail, "return what was written") {
		t.Errorf("it says %v", err)
	}
}

// fewer is a database that reports other rows than it wrote.
type fewer struct{ backup.Dumper }

func (f fewer) Dump(ctx context.Context, w io.Writer, wanted func(string) bool) (map[string]int64, error) {
	rows, err := f.Dumper.Dump(ctx, w, wanted)
	rows["audit_entries"]++
	return rows, err
}

func TestRowsAreCompared(t *testing.T) {
	t.Parallel()
	b := filled(t)
	b.Database = fewer{b.db}
	if _, err := b.make(t.Context(), archive.Full); b.reason(err) != "backup_incomplete" {
		t.Error(err)
	}
	if got := b.files(); len(got) != 0 {
		t.Errorf("left: %q", got)
	}
}

// After a lost answer the store is asked: a correct object counts.
func TestUnsure(t *testing.T) {
	t.Parallel()
	b := filled(t)
	for name, arrives := range map[string]bool{"arrived": true, "lost": false} {
		b.wrap = func(s objstore.Store) objstore.Store { return mute{s, arrives} }
		made, err := b.make(t.Context(), archive.Vault)
		if (err == nil) != arrives || (made.Key != "") != arrives {
			t.Errorf("%s: %+v, %v", name, made, err)
		}
		b.files()
	}
	b.wrap = func(s objstore.Store) objstore.Store { return s }
	if _, total, err := b.List(t.Context(), 10, ""); total != 1 || err != nil {
		t.Errorf("%d are listed, %v", total, err)
	}
}

// mute is a store whose answers to Put are lost.
type mute struct {
	objstore.Store

	arrives bool
}

func (m mute) Put(ctx context.Context, key string, r io.Reader) (objstore.Object, error) {
	if m.arrives {
		if _, err := m.Store.Put(ctx, key, r); err != nil {
			return objstore.Object{}, err
		}
	}
	return objstore.Object{}, fault.New(fault.StorageUnavailable, "lost", "The answer was lost.").With(objstore.ErrUnsure)
}
