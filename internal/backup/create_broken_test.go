package backup_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

// A store that is unavailable, or disconnects during the upload or while reading
// back, causes an error and keeps nothing.
func TestStoreBreaksOff(t *testing.T) {
	t.Parallel()
	b := filled(t)
	b.inBucket("http://127.0.0.1:1")
	if _, err := b.make(t.Context(), archive.Vault); !errors.Is(err, objstore.ErrUnavailable) {
		t.Errorf("nobody there: %v", err)
	}
	server := s3server.Shared(t)
	cutter := server.Cutter(t)
	b.inBucket(cutter.Address)
	made := must.Get(b.make(t.Context(), archive.Full))(t)
	for name, cut := range map[string]func(){
		"upload":    func() { cutter.CutUp(made.SizeBytes/2, true) },
		"read back": func() { cutter.CutDown(made.SizeBytes/2, true) },
	} {
		cut()
		_, err := b.make(t.Context(), archive.Full)
		if !fault.Is(err, fault.StorageUnavailable) || !cutter.HasCut() {
			t.Errorf("%s: %v", name, err)
		}
		cutter.CutUp(0, false)
		b.files()
		if name == "upload" {
			if _, total, err := b.List(t.Context(), 10, ""); total != 1 || err != nil {
				t.Errorf("after the %s %d are listed, %v", name, total, err)
			}
		}
	}
}

// Cancelled in any phase, a backup leaves nothing.
func TestCancelled(t *testing.T) {
	t.Parallel()
	b := filled(t)
	for name, at := range map[string]func(cancel func()){
		"dump":   func(cancel func()) { b.Database = hook{b.db, cancel} },
		"upload": func(cancel func()) { b.wrap = func(s objstore.Store) objstore.Store { return slow{s, cancel, nil} } },
		"verify": func(cancel func()) { b.wrap = func(s objstore.Store) objstore.Store { return slow{s, nil, cancel} } },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		b.Database, b.wrap = b.db, func(s objstore.Store) objstore.Store { return s }
		at(cancel)
		if _, err := b.make(ctx, archive.Full); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
		if got := b.files(); len(got) != 0 {
			t.Errorf("%s: left %q", name, got)
		}
	}
}

// hook is a database with a hook before the dump.
type hook struct {
	backup.Dumper

	before func()
}

func (h hook) Dump(ctx context.Context, w io.Writer, wanted func(string) bool) (map[string]int64, error) {
	h.before()
	return h.Dumper.Dump(ctx, w, wanted)
}

// slow is a store with a hook while it writes or reads.
type slow struct {
	objstore.Store

	writing, reading func()
}

func (s slow) Put(ctx context.Context, key string, r io.Reader) (objstore.Object, error) {
	if s.writing != nil {
		r = &afterFirst{r: r, do: s.writing}
	}
	return s.Store.Put(ctx, key, r)
}

func (s slow) Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	if s.reading != nil {
		s.reading()
	}
	return s.Store.Open(ctx, key, offset, length)
}

type afterFirst struct {
	r  io.Reader
	do func()
}

func (a *afterFirst) Read(p []byte) (int, error) {
	n, err := a.r.Read(p[:min(len(p), 512)])
	a.do()
	return n, err
}
