package backup

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/page"
)

// Object is a backup in the store, whether or not it was proven to be one.
type Object struct {
	Key       string
	Type      Type
	SizeBytes int64
	CreatedAt time.Time // from its name
}

// Open opens the store of the current settings.
func (s *Service) Open(ctx context.Context) (objstore.Store, Settings, error) {
	set, err := s.Settings(ctx)
	if err != nil {
		return nil, set, err
	}
	store, err := s.open(ctx, set)
	return store, set, err
}

// end closes a store opened for reading, or after writing.
func end(store objstore.Store) { _ = store.Close() }

func (s *Service) open(ctx context.Context, set Settings) (objstore.Store, error) {
	key, err := s.secretKey(ctx, set)
	if err != nil {
		return nil, err
	}
	return s.OpenStore(set, key)
}

// Tested is the result of a test of the store.
type Tested struct {
	Trouble fault.Sentence // what is wrong, and what to do; empty: nothing
	Fields  []fault.Field  // the settings at fault, if any
	Latency time.Duration
}

// Test writes, lists, reads and deletes an object of its own. A fault of the store
// is not an error.
func (s *Service) Test(ctx context.Context) (Tested, error) {
	store, _, err := s.Open(ctx)
	began := s.Now()
	var took time.Duration
	if err == nil {
		defer end(store)
		took, err = objstore.Probe(ctx, store)
	}
	if err == nil {
		return Tested{Latency: took}, nil
	}
	f, ok := fault.As(err)
	if !ok || f.Code != fault.StorageUnavailable && !errors.Is(err, objstore.ErrInvalid) {
		return Tested{}, err
	}
	s.Log.WarnContext(ctx, "a test of the backup store failed", "error", err)
	return Tested{Trouble: f.Sentence(), Fields: f.Fields, Latency: s.Now().Sub(began)}, nil
}

// List returns the latest backups, newest first, at most limit, older than the key
// after (empty: from the newest), and their total number. It omits those not proven
// by a job. Invalid if after is no backup's key.
func (s *Service) List(ctx context.Context, limit int, after string) (latest []Object, total int, err error) {
	store, _, err := s.Open(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer end(store)
	if _, ok := objstore.ParseName(store.Prefix(), after); after != "" && !ok {
		return nil, 0, fault.Invalid(page.BadCursor)
	}
	hidden, err := s.notVerified(ctx)
	if err != nil {
		return nil, 0, err
	}
	found, total, err := objstore.Newest(ctx, except{store, hidden}, limit, after)
	for _, o := range found {
		name, _ := objstore.ParseName(store.Prefix(), o.Key)
		latest = append(latest, Object{Key: o.Key, Type: Type(name.Type), SizeBytes: o.Size, CreatedAt: name.At})
	}
	return latest, total, err
}

// listed opens the store for a backup that List has. NotFound for any other key.
func (s *Service) listed(ctx context.Context, key string) (store objstore.Store, set Settings, o objstore.Object, err error) {
	hidden, err := s.notVerified(ctx)
	if err != nil {
		return nil, set, o, err
	}
	if slices.Contains(hidden, key) {
		return nil, set, o, objstore.NotFound(nil)
	}
	return s.stored(ctx, key)
}

// stored opens the store for any object with a backup's name, even if unverified.
func (s *Service) stored(ctx context.Context, key string) (store objstore.Store, set Settings, o objstore.Object, err error) {
	if store, set, err = s.Open(ctx); err != nil {
		return nil, set, o, err
	}
	if _, ok := objstore.ParseName(store.Prefix(), key); !ok {
		err = objstore.NotFound(nil)
	} else {
		o, err = store.Stat(ctx, key)
	}
	if err != nil {
		return nil, set, o, errors.Join(err, store.Close())
	}
	return store, set, o, nil
}

// Delete removes a backup, proven or not, and the audit head beside it, and records
// it in the audit log. After ErrLocked both are unchanged.
func (s *Service) Delete(ctx context.Context, a access.Actor, key string) error {
	store, _, o, err := s.stored(ctx, key)
	if err != nil {
		return err
	}
	defer end(store)
	if err := s.Admitted(ctx); err != nil { // again, as before any change
		return err
	}
	return s.remove(ctx, a, store, o, "")
}

// remove deletes a backup, and first the head beside it, which a lock keeps longer;
// or neither.
func (s *Service) remove(ctx context.Context, a access.Actor, store objstore.Store, o objstore.Object, details string) error {
	name, _ := objstore.ParseName(store.Prefix(), o.Key)
	if err := store.Delete(ctx, headKey(store.Prefix(), name.At), o.Key); err != nil {
		return err
	}
	entry := s.about(a, audit.BackupDeleted, store, o, details)
	err := s.Audit.AppendAudit(access.OnRecord(context.WithoutCancel(ctx)), entry)
	if err != nil {
		s.Log.ErrorContext(ctx, "a backup was deleted, but that could not be audited", "key", o.Key, "actor", entry.Actor, "error", err)
	}
	return err
}

// about returns the audit entry for an action on a backup.
func (s *Service) about(a access.Actor, action audit.Action, store objstore.Store, o objstore.Object, details string) audit.Entry {
	name, _ := objstore.ParseName(store.Prefix(), o.Key)
	entry := audit.By(a, action, "backup", o.Key, details)
	entry.FileName, entry.BackupType, entry.SizeBytes = o.Key, name.Type, &o.Size
	return entry
}
