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
	mu      *sync.Mutex
	pending map[int64]time.Time
}

func newUses() uses { return uses{mu: &sync.Mutex{}, pending: map[int64]time.Time{}} }

// note remembers a use, unless the record is younger than useEvery.
func (u *uses) note(k Key, now time.Time) {
	if k.LastUsedAt != nil && now.Sub(*k.LastUsedAt) < useEvery {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, waits := u.pending[k.ID]; !waits && len(u.pending) < maxUses {
		u.pending[k.ID] = now
	}
}

func (u *uses) take() map[int64]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.pending
	u.pending = map[int64]time.Time{}
	return taken
}

// FlushUses writes the uses that were noted since the last time, all in one
// transaction. Each key has its last use written at most once a minute.
func (s *Service) FlushUses(ctx context.Context) error {
	taken := s.uses.take()
	if len(taken) == 0 {
		return nil
	}
	err := s.store.NoteKeyUses(ctx, taken)
	if err == nil {
		return nil
	}
	s.uses.mu.Lock()
	defer s.uses.mu.Unlock()
	for id, at := range taken {
		if _, newer := s.uses.pending[id]; !newer && len(s.uses.pending) < maxUses {
			s.uses.pending[id] = at
		}
	}
	return err
}
