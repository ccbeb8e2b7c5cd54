package app

import (
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// complainAgain is how often the log repeats that a task still fails the same way.
const complainAgain = 10 * time.Minute

// logLimiter limits what is logged of a failing task: an outage may last, and a task may
// run every second.
type logLimiter struct {
	kind string // empty: there is none
	at   time.Time
}

// news reports whether to log a failure: one of another kind than the last, or one last
// logged long ago.
func (c *logLimiter) news(err error) bool {
	kind := err.Error()
	if f, ok := fault.As(err); ok {
		kind = string(f.Code) + " " + f.Reason
	}
	if kind == c.kind && time.Since(c.at) < complainAgain {
		return false
	}
	c.kind, c.at = kind, time.Now()
	return true
}

// over notes that the task works again, and reports whether it had failed.
func (c *logLimiter) over() bool {
	was := c.kind != ""
	*c = logLimiter{}
	return was
}
