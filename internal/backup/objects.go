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

// Object is a backup that is in the store, whether or not it was proven to be one.
type Object struct {
	Key       string
	Type      Type
	SizeBytes int64
	CreatedAt time.Time // as its name says
}

// Open opens the store of the settings as they stand.
func (s *Service) Open(ctx context.Context) (objstore.Store, Settings, error) {
	set, err := s.Settings(ctx)
	if err != nil {
		return nil, set, err
	}
	store, err := s.open(ctx, set)
	return store, set, err
}

// end closes a store, which has nothing to say then.
func end(store objstore.Store) { _ = store.Close() }

func (s *Service) open(ctx context.Context, set Settings) (objstore.Store, error) {
	key, err := s.secretKey(ctx, set)
	if err != nil {
		return nil, err
	}
	return s.OpenStore(set, key)
}

// Tested is how a test of the store went.
type Tested struct {
	Trouble fault.Sentence // what is wrong, and what to do; without a text: nothing is
	Fields  []fault.Field  // the settings that are wrong, if it is one of them
	Latency time.Duration
}

// Test writes, lists, reads and deletes an object of its own. The store's trouble is no
// error.
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

// List returns the latest backups, newest first, at most so many after a key (empty: from
// the first), and how many there are. What a job has not proven to be one is none. Invalid
// for what is no key of a backup.
func (s *Service) List(ctx context.Context, limit int, after string) (latest []Object, total int, err error) {
	store, _, err := s.Open(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer end(store)
	if _, ok := objstore.ParseName(store.Prefix(), after); after != "" && !ok {
		return nil, 0, fault.Invalid(page.BadCursor)
	}
	hidden, err := s.notProven(ctx)
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

// listed opens the store for a backup that List has. NotFound for every other key.
func (s *Service) listed(ctx context.Context, key string) (store objstore.Store, set Settings, o objstore.Object, err error) {
	hidden, err := s.notProven(ctx)
	if err != nil {
		return nil, set, o, err
	}
	if slices.Contains(hidden, key) {
		return nil, set, o, objstore.NotFound(nil)
	}
	return s.stored(ctx, key)
}

// stored opens the store for what has the name of a backup, also one that no job has proven.
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

// Delete removes a backup, also one that no job has proven, and the audit head beside it, and puts it on
// record. ErrLocked: both are as they were.
func (s *Service) Delete(ctx context.Context, a access.Actor, key string) error {
	store, _, o, err := s.stored(ctx, key)
	if err != nil {
		return err
	}
	defer end(store)
	if err := s.Admitted(ctx); err != nil { // once more, as before any change
		return err
	}
	return s.remove(ctx, a, store, o, "")
}

// remove deletes a backup, and before it the head beside it, which a lock keeps longer;
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

// about is the entry of something that was done with a backup.
func (s *Service) about(a access.Actor, action audit.Action, store objstore.Store, o objstore.Object, details string) audit.Entry {
	name, _ := objstore.ParseName(store.Prefix(), o.Key)
	entry := audit.By(a, action, "backup", o.Key, details)
	entry.FileName, entry.BackupType, entry.SizeBytes = o.Key, name.Type, &o.Size
	return entry
}
