package backup

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
)

// Limits of a StoreWatch.
const (
	storeStateFor     = 30 * time.Second // until then, the last answer is reused
	storeStateTimeout = 10 * time.Second // at most

	versionedTakes = 3 * time.Second // at most
)

// Versioned reports whether the bucket of the settings keeps versions, if it says so in time.
func (s *Service) Versioned(ctx context.Context, set Settings) bool {
	if set.Store != Bucket {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, versionedTakes)
	defer cancel()
	store, err := s.open(ctx, set)
	if err != nil {
		return false
	}
	defer end(store)
	is, err := store.Versioned(ctx)
	if err != nil {
		s.Log.InfoContext(ctx, "the backup store doesn't say whether its bucket keeps versions", "error", err)
	}
	return is
}

// StoreState is the state of the backup store when it was last checked.
type StoreState struct {
	Configured bool // false: no backups are made, and all else is empty
	Place      Place
	Location   string         // for people, without secrets
	Trouble    fault.Sentence // what is wrong, and what to do; empty: nothing
	Fields     []fault.Field  // the settings at fault, if any
	At         time.Time
	Latency    time.Duration
	Backups    int // how many there are
}

// StoreWatch checks the store for people who look at the system: it lists the
// backups and writes nothing. It must not be copied.
type StoreWatch struct {
	Backups *Service

	mu   sync.Mutex
	set  Settings // of the last answer
	last StoreState
}

// Look lists the backups, unless it did so recently. A fault of the store is not an error.
func (w *StoreWatch) Look(ctx context.Context) (StoreState, error) {
	s := w.Backups
	set, err := s.Settings(ctx)
	if err != nil || set.PasswordID == "" {
		return StoreState{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last.Configured && w.set == set && s.Now().Sub(w.last.At) < storeStateFor {
		return w.last, nil
	}
	found := StoreState{Configured: true, Place: set.Store, Location: s.Location(set), At: s.Now()}
	began := time.Now()
	limited, end := context.WithTimeout(ctx, storeStateTimeout)
	defer end()
	_, found.Backups, err = s.List(limited, 1, "")
	found.Latency = time.Since(began)
	switch f, ok := fault.As(err); {
	case err == nil:
	case ctx.Err() != nil:
		return StoreState{}, err
	case limited.Err() != nil:
		found.Trouble = fault.New(fault.StorageUnavailable, "backup_store_silent",
			"The backup store did not respond within 10 seconds. Check that it is running and that this server can reach it.").Sentence()
	case ok && f.Code == fault.StorageUnavailable || errors.Is(err, objstore.ErrInvalid):
		found.Trouble, found.Fields = f.Sentence(), f.Fields
	default:
		return StoreState{}, err
	}
	w.set, w.last = set, found
	return found, nil
}
