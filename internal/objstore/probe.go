package objstore

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

const (
	probeStem     = "keyward-probe-"
	probePatience = 30 * time.Second
)

// IsProbe reports whether a key is one of Probe's. A store does not lock those, but
// tests with each whether it could.
func IsProbe(prefix, key string) bool { return strings.HasPrefix(key, prefix+probeStem) }

// Probe tests everything that backups need: it writes an object, lists, reads the
// object back and deletes it, and returns how long that took. It tries to leave
// nothing in any case.
func Probe(ctx context.Context, s Store) (time.Duration, error) {
	started := time.Now()
	ctx, end := Limit(ctx, probePatience)
	defer end()
	key, content := s.Prefix()+probeStem+rand.Text(), []byte(rand.Text())
	if _, err := s.Put(ctx, key, bytes.NewReader(content)); err != nil {
		if errors.Is(err, ErrUnsure) {
			remove(ctx, s, key)
		}
		return 0, err
	}
	if err := look(ctx, s, key, content); err != nil {
		remove(ctx, s, key)
		return 0, err
	}
	if err := s.Delete(ctx, key); err != nil && !errors.Is(err, ErrLocked) { // by the bucket's own rule
		return 0, err
	}
	return time.Since(started), nil
}

// errEnough ends a listing that has shown that we may list.
var errEnough = errors.New("enough")

func look(ctx context.Context, s Store, key string, content []byte) error {
	if err := s.Each(ctx, func(Object) error { return errEnough }); err != nil && !errors.Is(err, errEnough) {
		return err
	}
	r, err := s.Open(ctx, key, 0, -1)
	if err != nil {
		return err
	}
	defer r.Close()
	got, err := io.ReadAll(io.LimitReader(r, int64(len(content))+1))
	if err == nil && !bytes.Equal(got, content) {
		err = fault.New(fault.StorageUnavailable, "probe_differs", "The backup store didn't return what was "+
			"written to it. Find out what changes files in the store or on the way to it.").With(ErrUnavailable)
	}
	return err
}

// remove deletes what a failed probe left, even if its time is up.
func remove(ctx context.Context, s Store, key string) {
	ctx, end := Limit(context.WithoutCancel(ctx), probePatience)
	defer end()
	_ = s.Delete(ctx, key)
}
