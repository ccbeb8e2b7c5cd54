package license

import (
	"sync"
	"time"
)

// Present tells the time of an installation whose clock may have been set back: while the
// clock stands before the latest moment that was ever noted, time goes on from that moment
// as it passes by the machine's monotonic clock. The zero Present is ready for use.
type Present struct {
	Uptime func() time.Duration // a monotonic clock; nil: that of this process

	mu     sync.Mutex
	behind bool          // the clock stood before at
	noted  time.Time     // the latest moment as it was noted when somebody asked last
	at     time.Time     // what was the present then
	up     time.Duration // and what Uptime was
}

// At is the present by a clock that says now, where noted is the latest moment that was
// ever noted. An earlier one than before begins anew: a license has put it right.
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

// begun has a reading of the monotonic clock.
var begun = time.Now()
