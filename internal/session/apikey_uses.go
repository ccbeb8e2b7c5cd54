package session

import (
	"context"
	"sync"
	"time"
)

const (
	// useEvery is the precision of the recorded last use.
	useEvery = time.Minute
	// FlushAPIKeyUsesEvery is how often to write the noted uses.
	FlushAPIKeyUsesEvery = 10 * time.Second
	// maxUses bounds the memory between two writes. A use that does not fit is
	// noted the next time.
	maxUses = 4096
)

// uses collects last uses for FlushUses, so that no request waits for a write.
type uses struct {
	mu      sync.Mutex
	pending map[int64]time.Time
}

// note remembers a use, unless the recorded one is younger than useEvery.
func (u *uses) note(k APIKey, now time.Time) {
	if k.LastUsedAt != nil && now.Sub(*k.LastUsedAt) < useEvery {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.add(k.ID, now)
}

// add needs mu. It keeps a use that is already pending.
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

// FlushUses writes the uses noted since the last call, in one transaction. Each
// key's last use is written at most once a minute.
func (s *APIKeys) FlushUses(ctx context.Context) error {
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
