package app

import (
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// complainAgain is how often the log repeats that a task still fails alike.
const complainAgain = 10 * time.Minute

// complaint is what the log says of a task that fails. An outage may last, and a
// task may be tried every second.
type complaint struct {
	kind string // empty: there is none
	at   time.Time
}

// news tells whether a failure is to be said: one of another kind than the last,
// or one that was said long ago.
func (c *complaint) news(err error) bool {
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

// over forgets it, and tells whether there was one.
func (c *complaint) over() bool {
	was := c.kind != ""
	*c = complaint{}
	return was
}
