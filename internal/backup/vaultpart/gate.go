package vaultpart

import (
	"context"
	"sync"
	"time"
)

// gate lets so many ask a vault at once as it can serve without getting slow: while
// requests come, which need it, too, it counts how long answers take, against the quickest
// of them. It lets at least one ask, and never more than most.
type gate struct {
	turns chan struct{} // one for each who may ask now
	most  int
	busy  func() bool // whether requests come; nil: none do

	mu       sync.Mutex
	given    int // turns that there are
	allowed  float64
	quickest time.Duration // answer
	usual    time.Duration // mean of the latest answers
}

// How the gate learns.
const (
	slow   = 2       // times the quickest answer: fewer may ask
	fewer  = 0.9     // of those allowed, after each answer
	latest = 1.0 / 8 // share of the latest answer in the mean
)

func newGate(most int, busy func() bool) *gate {
	g := &gate{turns: make(chan struct{}, most), most: most, busy: busy, given: most, allowed: float64(most)}
	for range most {
		g.turns <- struct{}{}
	}
	return g
}

// ask does it in turn.
func (g *gate) ask(ctx context.Context, what func() error) error {
	select {
	case <-g.turns:
	case <-ctx.Done():
		return ctx.Err()
	}
	began := time.Now()
	err := what()
	g.leave(time.Since(began))
	return err
}

// leave gives the turn back, unless fewer may ask from now on.
func (g *gate) leave(took time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.learn(took)
	if g.given--; g.given >= int(g.allowed) {
		return
	}
	for ; g.given < int(g.allowed); g.given++ {
		g.turns <- struct{}{} // never blocks: there are at most as many as it holds
	}
}

func (g *gate) learn(took time.Duration) {
	if g.quickest == 0 || took < g.quickest {
		g.quickest = took
	}
	if g.usual == 0 {
		g.usual = took
	}
	g.usual += time.Duration(float64(took-g.usual) * latest)
	switch {
	case g.busy == nil || !g.busy():
		g.allowed = float64(g.most)
	case g.usual > slow*g.quickest:
		g.allowed = max(1, g.allowed*fewer)
	default:
		g.allowed = min(float64(g.most), g.allowed+1/g.allowed)
	}
}
