package await_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
)

// TestText: a reader finds each line, whether it was written before or after.
func TestText(t *testing.T) {
	t.Parallel()
	var x await.Text
	heard := make(chan struct{})
	go func() {
		for i := range 200 {
			_, _ = fmt.Fprintf(&x, "line %d\n", i)
		}
		<-heard
		_, _ = fmt.Fprint(&x, "the last\n")
	}()
	x.Contains(t, "line 199\n")
	close(heard)
	x.Contains(t, "the last\n")
	x.Contains(t, "line 0\n")
	if got := strings.Count(x.String(), "\n"); got != 201 {
		t.Errorf("%d lines", got)
	}
}

// TestEnd: what was written just before the end is found; what was not fails the test
// at once.
func TestEnd(t *testing.T) {
	t.Parallel()
	var x await.Text
	ended := make(chan struct{})
	close(ended)
	_, _ = fmt.Fprint(&x, "done\n")
	x.Find(t, "done", ended, func(text string) bool { return text == "done\n" })

	failing := &spy{TB: t}
	done := make(chan struct{})
	go func() { // a failed test ends its goroutine
		defer close(done)
		defer func() { _ = recover() }()
		x.Find(failing, "more", ended, func(text string) bool { return strings.Contains(text, "more") })
	}()
	await.From(t, "the failure", done)
	if !strings.Contains(failing.failed, "ended before: more; it wrote:\ndone") {
		t.Errorf("got %q", failing.failed)
	}
}

// TestThat polls until it is true.
func TestThat(t *testing.T) {
	t.Parallel()
	looks := 0
	await.That(t, "the third look", func() bool { looks++; return looks == 3 })
	if looks != 3 {
		t.Errorf("%d looks", looks)
	}
}

// spy is a test whose failure is observed.
type spy struct {
	testing.TB
	failed string
}

func (s *spy) Helper() {}

func (s *spy) Fatalf(format string, args ...any) {
	s.failed = fmt.Sprintf(format, args...)
	panic(s.failed)
}
