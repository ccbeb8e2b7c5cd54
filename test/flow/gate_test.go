package flow_test

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// errCut is the error that a flow gets when the line is cut.
var errCut = errors.New("the line was cut")

// when is the side of an interaction on which the cut is, and whether the line works
// afterwards.
type when string

const (
	before when = "before" // it does not happen, nor does anything after it
	after  when = "after"  // it happens, its response is lost, and nothing follows
	failed when = "failed" // it does not happen, and the line works again
	lost   when = "lost"   // it happens, its response is lost, and the line works again
)

// lives reports whether the flow lives on after the cut.
func (w when) lives() bool { return w == failed || w == lost }

// cut is a place to break something: the interaction's number, or its name.
type cut struct {
	At   int    `json:"at"`
	Name string `json:"name,omitempty"` // if not empty: the first of that name, whatever At is
	When when   `json:"when,omitempty"` // empty: never
}

// gate counts the interactions of one kind and cuts one of them.
type gate struct {
	mu      sync.Mutex
	Cut     cut
	Names   []string // of the interactions so far, in order
	Changes []bool   // whether each may change something
	Hit     bool     // whether one was cut

	around func(name string, do func() error) error // nil: nothing
	passed map[string]func()                        // called after the first of a name
	kill   func()                                   // nil: the flow lives on
}

// pass runs one interaction, or cuts it.
func (g *gate) pass(name string, changes bool, do func() error) error {
	here, then := g.count(name, changes)
	if g.around != nil {
		return g.around(name, do)
	}
	if here && (g.Cut.When == before || g.Cut.When == failed) {
		g.die()
		return errCut
	}
	err := do()
	if here {
		g.die()
		return errCut
	}
	then()
	return err
}

// count records an interaction and returns whether it is the one to cut, and what
// happens after it.
func (g *gate) count(name string, changes bool) (here bool, then func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	here = g.Cut.When != "" && !g.Hit && (g.Cut.Name == name || g.Cut.Name == "" && len(g.Names) == g.Cut.At)
	g.Hit = g.Hit || here
	g.Names, g.Changes = append(g.Names, name), append(g.Changes, changes)
	if then = g.passed[name]; then == nil {
		then = func() {}
	}
	delete(g.passed, name)
	return here, then
}

func (g *gate) die() {
	if g.kill != nil && !g.Cut.When.lives() {
		g.kill()
	}
}

// worthwhile lists the interactions at which a cut can make a difference: all changing
// ones, and both ends of each read-only series.
func worthwhile(changes []bool) []int {
	var list []int
	for i := range changes {
		if i == 0 || slices.Contains(changes[i-1:min(len(changes), i+2)], true) {
			list = append(list, i)
		}
	}
	return list
}

type lineKey struct{}

// through sends the requests of a context through a gate.
func through(ctx context.Context, g *gate) context.Context {
	return context.WithValue(ctx, lineKey{}, g)
}

// line is a transport with the gate of the request's context.
type line struct{ http.RoundTripper }

func (l line) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	g, ok := req.Context().Value(lineKey{}).(*gate)
	if !ok {
		return l.RoundTripper.RoundTrip(req)
	}
	err = g.pass(callName(req.URL.Path), req.Method != http.MethodGet, func() (err error) {
		resp, err = l.RoundTripper.RoundTrip(req)
		return err
	})
	if err != nil {
		if resp != nil {
			_ = resp.Body.Close()
		}
		return nil, err
	}
	return resp, nil
}

// identifier is a part of a path that identifies one thing.
var identifier = regexp.MustCompile(`/[0-9a-f]*[0-9][0-9a-f]*(/|$)`)

// callName names a call by its path: "hwkey/secrets" of the server, "set-pin" of the
// agent. The page's worker does the same (ui/flows/line.ts).
func callName(path string) string {
	path = identifier.ReplaceAllString(path, "$1")
	for _, prefix := range []string{"/api/", "/piv/", "/.well-known/", "/"} {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			return rest
		}
	}
	return path
}
