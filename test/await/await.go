// Package await waits for what another goroutine or process does. A wait has no time
// limit of its own: it fails shortly before `go test -timeout` would end the process,
// so that no test depends on the speed of the machine.
package await

import (
	"context"
	"testing"
	"time"
)

// margin is the time that a failed wait leaves the test to report and clean up.
const margin = 20 * time.Second

// Context ends shortly before the test process's time is up. It also works during
// cleanup.
func Context(t testing.TB) context.Context {
	limited, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return context.WithoutCancel(t.Context())
	}
	end, ok := limited.Deadline()
	if !ok {
		return context.WithoutCancel(t.Context())
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(t.Context()), end.Add(-margin))
	t.Cleanup(cancel)
	return ctx
}

// From returns the next value of a channel; the zero value once it is closed.
func From[V any](t testing.TB, what string, c <-chan V) V {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-Context(t).Done():
		t.Fatalf("never happened: %s", what)
		panic("not reached")
	}
}

// That polls until ok returns true. It is for what sends no event: a socket that
// disappears, a row that appears. ok may end the test. The interval grows up to a tenth
// of a second.
func That(t testing.TB, what string, ok func() bool) {
	t.Helper()
	pause := 5 * time.Millisecond
	for ctx := Context(t); !ok(); pause = min(2*pause, 100*time.Millisecond) {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			t.Fatalf("never happened: %s", what)
		}
	}
}
