package apikey

import (
	"context"
	"sync"
	"time"
)

const (
	// useEvery is how exact the last use on record is.
	useEvery = time.Minute
	// FlushEvery is how often the noted uses are to be written.
	FlushEvery = 10 * time.Second
	// maxUses bounds the memory between two writes. A use that finds no room
	// is noted the next time.
	maxUses = 4096
)

// uses collects last uses for FlushUses, so that no request waits for a
// write.
type uses struct {
	mu      sync.Mutex
	pending map[int64]time.Time
}

// note remembers a use, unless the record is younger than useEvery.
func (u *uses) note(k Key, now time.Time) {
	if k.LastUsedAt != nil && now.Sub(*k.LastUsedAt) < useEvery {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.add(k.ID, now)
}

// add needs mu. A use that is pending already stays.
func (u *uses) add(key int64, at time.Time) {
	if u.pending == nil {
		u.pending = map[int64]time.Time{}
	}
	if _, waits := u.pending[key]; !waits && len(u.pending) < maxUses {
		u.pending[key] = at
	}
}

func (u *uses) take() map[int64]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.pending
	u.pending = nil
	return taken
}

// FlushUses writes the uses that were noted since the last time, all in one
// transaction. Each key has its last use written at most once a minute.
func (s *Service) FlushUses(ctx context.Context) error {
	taken := s.uses.take()
	if len(taken) == 0 {
		return nil
	}
	err := s.Store.NoteKeyUses(ctx, taken)
	if err == nil {
		return nil
	}
	s.uses.mu.Lock()
	defer s.uses.mu.Unlock()
	for id, at := range taken {
		s.uses.add(id, at)
	}
	return err
}
