package await

import (
	"strings"
	"sync"
	"testing"
)

// Text is a log or a process's output that tests read while it grows. The zero value is
// empty and ready.
type Text struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{} // closed by the next write; nil when nobody waits
}

// Write implements io.Writer.
func (x *Text) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.more != nil {
		close(x.more)
		x.more = nil
	}
	return x.text.Write(p)
}

// String returns everything written so far.
func (x *Text) String() string {
	text, _ := x.read()
	return text
}

func (x *Text) read() (text string, more <-chan struct{}) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.more == nil {
		x.more = make(chan struct{})
	}
	return x.text.String(), x.more
}

// Find waits until found reports true for the written text. It fails the test, with the
// text, if ended (nil: never) is closed before.
func (x *Text) Find(t testing.TB, what string, ended <-chan struct{}, found func(text string) bool) {
	t.Helper()
	for ctx := Context(t); ; {
		text, more := x.read()
		if found(text) {
			return
		}
		select {
		case <-more:
		case <-ended:
			if text = x.String(); !found(text) {
				t.Fatalf("ended before: %s; it wrote:\n%s", what, text)
			}
			return
		case <-ctx.Done():
			t.Fatalf("never happened: %s; it wrote:\n%s", what, text)
		}
	}
}

// Contains waits until mark was written.
func (x *Text) Contains(t testing.TB, mark string) {
	t.Helper()
	x.Find(t, mark, nil, func(text string) bool { return strings.Contains(text, mark) })
}
