package flow_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/tier"
)

// TestFlows runs the scenarios on both front ends.
func TestFlows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fronts := map[string]front{"command line": commandLine{w.desks}, "page": startPage(t, w)}
	for name, f := range fronts {
		t.Run(name, func(t *testing.T) { t.Parallel(); w.playAll(t, f) })
	}
}

// recent dates all sign-ins to tomorrow, before each scenario, so that they stay recent
// however slow the machine is: a proof of identity resets its session's date to now.
func (w *world) recent(t *testing.T) {
	t.Helper()
	engine.Execute(t, w.service.dir, "UPDATE sessions SET authenticated_at = ?", time.Now().Add(24*time.Hour).UnixMicro())
}

// playAll runs every scenario that the front end has flows for.
func (w *world) playAll(t *testing.T, f front) {
	t.Helper()
	for _, s := range scenarios(t) {
		if w.knows(t, f, s.Steps) {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				w.play(t, f, s)
			})
		}
	}
}

// knows reports whether a front end has all flows of a scenario: only the page has a
// reset.
func (w *world) knows(t *testing.T, f front, steps []step) bool {
	t.Helper()
	for _, s := range steps {
		if s.Flow != "" && !f.has(s.Flow) {
			if _, ok := f.(commandLine); !ok {
				t.Fatalf("there is no flow %q", s.Flow)
			}
			return false
		}
	}
	return true
}

// play runs a scenario, and then once for each place where it can be cut.
func (w *world) play(t *testing.T, f front, s scenario) {
	t.Helper()
	w.recent(t)
	tok := w.token(t, s.Start)
	seen := &traffic{}
	p := performance{world: w, front: f, token: tok, person: "first"}
	cut := s.Cut != nil && (tier.Exhaustive || usuallyCut(f, s))
	if cut {
		p.seen = seen
	}
	p.steps(t, s.Steps)
	p.end(t, s)
	if !cut {
		return
	}
	list := seen.cuts(f, s.Cut)
	t.Logf("%d interactions to cut", len(list))
	for _, c := range list {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			w.breakAndResume(t, f, s, c)
		})
	}
}

// usuallyCut reports whether make test also cuts a scenario: setup and unblocking, from
// the command line.
func usuallyCut(f front, s scenario) bool {
	_, page := f.(*page)
	return !page && slices.Contains([]string{"enroll", "unblock"}, s.Name)
}

// breakAndResume cuts a scenario and lets somebody else continue it. If the flow
// survived the cut, the scenario continues and ends as usual.
func (w *world) breakAndResume(t *testing.T, f front, s scenario, c breach) {
	t.Helper()
	w.recent(t)
	p := performance{world: w, front: f, token: w.token(t, s.Start), person: "first", breach: &c, seen: &traffic{}}
	p.steps(t, s.Steps)
	if c.survived {
		p.end(t, s)
		return
	}
	again := s.Steps
	if s.Again != nil {
		again = s.Again
	}
	p = performance{world: w, front: f, token: p.token, person: "second", again: true}
	p.steps(t, again)
	p.end(t, s)
}

func (p *performance) end(t *testing.T, s scenario) {
	t.Helper()
	switch s.Ends {
	case "whole":
		p.world.checkSecrets(t, p.token.serial)
		p.world.checkSlot(t, p.token.serial)
	case "secrets":
		p.world.checkSecrets(t, p.token.serial)
	case "":
	default:
		t.Fatalf("no scenario ends %q", s.Ends)
	}
}

// breach is one way to break a scenario: at which step, and where.
type breach struct {
	step  int
	layer string // line, card, vault
	cut   cut
	name  string // the interaction's name, for the test's name

	survived bool // whether the flow was done all the same
}

func (b breach) String() string {
	return fmt.Sprintf("%d %s/%d %s %s", b.step, b.layer, b.cut.At, b.name, b.cut.When)
}

// breaks lists the ways to break a flow on its line. It can be killed before its first
// changing call, and after each one: being killed before the next call is the same as
// after this one, and read-only calls make no difference. And it can live on after each
// of these calls failed, or after its response was lost.
func breaks(step int, g *gate) []breach {
	var list []breach
	for i, changes := range g.Changes {
		if !changes {
			continue
		}
		sides := []when{after, failed, lost}
		if list == nil {
			sides = append(sides, before)
		}
		for _, side := range sides {
			list = append(list, breach{step: step, layer: "line", cut: cut{At: i, When: side}, name: g.Names[i]})
		}
	}
	return list
}

// traffic is what passed in each layer, for each step.
type traffic []map[string]*gate

// cuts lists every way to cut what passed. A page is only cut on the line: its calls
// have the same effects on vault and card as the command line's.
func (s *traffic) cuts(f front, layers []string) []breach {
	var list []breach
	for n, by := range *s {
		for _, layer := range layers {
			g := by[layer]
			if _, page := f.(*page); g == nil || page && layer != "line" {
				continue
			}
			if layer == "line" {
				list = append(list, breaks(n, g)...)
				continue
			}
			for _, i := range worthwhile(g.Changes) {
				list = append(list, breach{step: n, layer: layer, cut: cut{At: i, When: before}, name: g.Names[i]})
				if g.Changes[i] && layer != "card" { // the card has its own moments
					list = append(list, breach{step: n, layer: layer, cut: cut{At: i, When: after}, name: g.Names[i]})
				}
			}
		}
	}
	return list
}
