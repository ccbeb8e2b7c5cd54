package backup

import (
	"sync"
	"time"
)

const (
	turn        = time.Millisecond      // how long a job works before it rests
	longestRest = 10 * time.Millisecond // also after a turn that waited for something
)

// halftime has a job work half of the time while requests come, in short turns: a request whose
// thread wakes on the job's processor would else wait for the system's next tick
// (docs/performance.md has the figures). It is safe for use by several at once, who rest
// together. A nil one never rests.
type halftime struct {
	busy func() bool

	mu    sync.Mutex
	since time.Time // it has worked since then
}

// newHalftime is nil where nothing is to be considered.
func newHalftime(busy func() bool) *halftime {
	if busy == nil {
		return nil
	}
	return &halftime{busy: busy}
}

// rest is called every now and then.
func (h *halftime) rest() {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	worked := time.Since(h.since)
	if worked < turn {
		return
	}
	if h.busy() {
		<-time.After(min(worked, longestRest))
	}
	h.since = time.Now()
}
