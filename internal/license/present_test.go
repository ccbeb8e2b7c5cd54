package license_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/license"
)

// TestPresent: however the clock is changed, no day lasts longer than a day.
func TestPresent(t *testing.T) {
	t.Parallel()
	type step struct {
		passed time.Duration // by the monotonic clock, since the previous step
		noted  time.Duration // since start
		now    time.Duration // the clock's time, since start
		want   time.Duration
	}
	for name, steps := range map[string][]step{
		"the clock goes right":       {{0, 0, 0, 0}, {time.Hour, 0, time.Hour, time.Hour}, {time.Hour, time.Hour, 2 * time.Hour, 2 * time.Hour}},
		"set back a year":            {{0, 0, -365 * day, 0}, {day, 0, -364 * day, day}, {day, day, -363 * day, 2 * day}},
		"set back again and again":   {{0, 0, -day, 0}, {day, 0, -day, day}, {day, 0, -day, 2 * day}, {day, 2 * day, -9 * day, 3 * day}},
		"another has noted more":     {{0, 0, -day, 0}, {1, 3 * day, -day, 3 * day}, {day, 3 * day, -day, 4 * day}},
		"set right again":            {{0, 0, -day, 0}, {time.Hour, 0, time.Hour, time.Hour}, {time.Hour, 0, 2 * time.Hour, 2 * time.Hour}},
		"past what was noted":        {{0, 0, -1, 0}, {time.Hour, 0, 1, time.Hour}, {time.Hour, 0, 2 * time.Hour, 2 * time.Hour}},
		"ahead, for a moment":        {{0, 0, 0, 0}, {1, 0, 59 * time.Minute, 59 * time.Minute}, {1, 0, 2, 2}},
		"ahead, and it was noted":    {{0, 0, 0, 0}, {1, 0, 9 * day, 9 * day}, {1, 9 * day, 2, 9 * day}, {day, 9 * day, day, 10 * day}},
		"a license has put it right": {{0, 9 * day, 0, 9 * day}, {day, 0, day, day}, {day, 0, 2 * day, 2 * day}},
		"right, while set back":      {{0, 9 * day, 0, 9 * day}, {day, 5 * day, day, 5 * day}, {day, 5 * day, 2 * day, 6 * day}},
		"it stood still, suspended":  {{0, 0, 0, 0}, {0, 0, 30 * day, 30 * day}},
	} {
		var up time.Duration
		p := license.Present{Uptime: func() time.Duration { return up }}
		for i, s := range steps {
			up += s.passed
			if at := p.At(start.Add(s.noted), start.Add(s.now)); !at.Equal(start.Add(s.want)) {
				t.Errorf("%s, step %d: %s, want %s", name, i, at.Sub(start), s.want)
			}
		}
	}
}

// TestPresentOfTheProcess: the zero value uses the process's own clock.
func TestPresentOfTheProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p license.Present
		stopped := time.Now()
		noted := stopped.Add(day)
		p.At(noted, stopped)
		<-time.After(time.Hour) // of the bubble's clock
		if at := p.At(noted, stopped); !at.Equal(noted.Add(time.Hour)) {
			t.Errorf("%s after %s", at, noted)
		}
	})
}
