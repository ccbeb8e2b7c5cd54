package vaultpart

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestGate: the most may ask a vault that does not get slower by it, or while no request
// wants it; else few, who are as quick together.
func TestGate(t *testing.T) {
	t.Parallel()
	always := func() bool { return true }
	far := func(int64) time.Duration { return 5 * time.Millisecond }
	shared := func(asking int64) time.Duration { return time.Duration(asking) * time.Millisecond }
	for name, c := range map[string]struct {
		busy        func() bool
		answer      func(asking int64) time.Duration
		least, most int64 // at once, in the end
	}{
		"nobody to consider":    {nil, shared, 20, 20},
		"no requests":           {func() bool { return false }, shared, 20, 20},
		"a vault far away":      {always, far, 20, 20},
		"a vault that computes": {always, shared, 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := newGate(20, c.busy)
				var asking, asked, most atomic.Int64
				ask := func() error {
					n := asking.Add(1)
					defer asking.Add(-1)
					if asked.Add(1) > 900 {
						most.Store(max(most.Load(), n))
					}
					<-time.After(c.answer(n))
					return nil
				}
				if err := g.ask(t.Context(), ask); err != nil {
					t.Fatal(err)
				}
				var all sync.WaitGroup
				for range 20 {
					all.Go(func() {
						for range 50 {
							if err := g.ask(t.Context(), ask); err != nil {
								t.Error(err)
							}
						}
					})
				}
				all.Wait()
				if n := most.Load(); n < c.least || n > c.most {
					t.Errorf("%d at once, want %d to %d", n, c.least, c.most)
				}
			})
		})
	}
}
