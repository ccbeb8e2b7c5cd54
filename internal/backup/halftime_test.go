package backup

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestHalftime: a job takes twice as long while requests come, and no longer when none do.
func TestHalftime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		half *halftime
		step time.Duration
		want time.Duration // of 100 steps
	}{
		"nobody to consider":       {newHalftime(nil), turn, 100 * turn},
		"no requests":              {newHalftime(func() bool { return false }), turn, 100 * turn},
		"requests":                 {newHalftime(func() bool { return true }), turn, 200 * turn},
		"short steps":              {newHalftime(func() bool { return true }), turn / 4, 50 * turn},
		"steps that wait for long": {newHalftime(func() bool { return true }), 10 * longestRest, 1100 * longestRest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				if c.half != nil {
					c.half.since = time.Now()
				}
				began := time.Now()
				for range 100 {
					<-time.After(c.step)
					c.half.rest()
				}
				if took := time.Since(began); took != c.want {
					t.Errorf("took %v, want %v", took, c.want)
				}
			})
		})
	}
}
