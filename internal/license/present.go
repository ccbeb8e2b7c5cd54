package license

import (
	"sync"
	"time"
)

// Present is the time of an installation whose clock may have been set back: while the
// clock is before the latest time ever noted, time continues from that, as measured by the
// machine's monotonic clock. The zero Present is ready for use.
type Present struct {
	Uptime func() time.Duration // a monotonic clock; nil: this process's

	mu     sync.Mutex
	behind bool          // the clock was before at
	noted  time.Time     // the latest time noted, at the last call
	at     time.Time     // the result of the last call
	up     time.Duration // Uptime at the last call
}

// At returns the present for a clock that reads now and the latest time ever noted.
// When noted is earlier than in the last call, it starts over: a license has corrected
// it.
func (p *Present) At(noted, now time.Time) time.Time {
	up := p.uptime()
	p.mu.Lock()
	defer p.mu.Unlock()
	at := latest(now, noted)
	if p.behind && !noted.Before(p.noted) {
		at = latest(at, p.at.Add(up-p.up))
	}
	p.behind, p.noted, p.at, p.up = at.After(now), noted, at, up
	return at
}

func (p *Present) uptime() time.Duration {
	if p.Uptime != nil {
		return p.Uptime()
	}
	return time.Since(begun)
}

// begun includes a reading of the monotonic clock.
var begun = time.Now()
