package backup

import (
	"bytes"
	"context"
	"sync"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/secret"
)

// Tried reports whether a password seems to open a backup.
type Tried struct {
	Fits   bool
	Header archive.Header // from the front of the file; authenticated only by the restore
}

// turns limits concurrency: here to one, since each takes 64 MiB.
type turns struct {
	once sync.Once
	free chan struct{}
}

func (t *turns) take(ctx context.Context) (done func(), err error) {
	t.once.Do(func() { t.free = make(chan struct{}, 1) })
	select {
	case t.free <- struct{}{}:
		return func() { <-t.free }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// SecretKey returns the bucket's secret key, for callers that open it without a server.
func (s *Service) SecretKey(ctx context.Context, set Settings) (secret.String, error) {
	return s.secretKey(ctx, set)
}

// TryPassword reports whether a password seems to open a listed backup, by its
// beginning only: the restore checks everything. Faults of the file are the archive's.
func (r *Restorer) TryPassword(ctx context.Context, key string, password archive.Password) (Tried, error) {
	if err := r.admitted(ctx); err != nil {
		return Tried{}, err
	}
	store, _, o, err := r.Backups.listed(ctx, key)
	if err != nil {
		return Tried{}, err
	}
	defer func() { _ = store.Close() }() // nothing was written
	head, err := objstore.Head(ctx, store, o.Key, int64(archive.ProbeBytes))
	if err != nil {
		return Tried{}, err
	}
	done, err := r.tries.take(ctx)
	if err != nil {
		return Tried{}, err
	}
	defer done()
	header, err := archive.Probe(bytes.NewReader(head), password)
	if !fault.Is(err, fault.BackupPasswordWrong) {
		return Tried{Fits: err == nil, Header: header}, err
	}
	header, err = archive.ReadHeader(bytes.NewReader(head))
	return Tried{Header: header}, err
}
