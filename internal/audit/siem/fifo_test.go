//go:build unix

package siem

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.pipe")
	must.OK(t, syscall.Mkfifo(path, 0o600))
	return path
}

// reader is the other end. It is also open for writing, so that it sees no end of file.
func reader(t *testing.T, path string) *os.File {
	t.Helper()
	f := must.Get(os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0))(t)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// soon fails the test if do blocks.
func soon(t *testing.T, what string, do func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	return await.From(t, what, done)
}

// TestPipeWithoutReader: nothing counts as delivered, nothing blocks, and a reader
// that comes later gets everything.
func TestPipeWithoutReader(t *testing.T) {
	t.Parallel()
	w := setup(t)
	path := fifo(t)
	w.append(3)
	tail := w.tail(&File{Path: path})
	if err := soon(t, "a pipe without a reader", func() error { return tail.Run(context.Background()) }); !errors.Is(err, syscall.ENXIO) ||
		tail.saved != 0 {
		t.Fatalf("%v, the cursor is at %d", err, tail.saved)
	}
	from := reader(t, path)
	w.run(tail)
	if tail.saved != 3 {
		t.Errorf("the cursor is at %d", tail.saved)
	}
	var r received
	for in := bufio.NewScanner(from); len(r.ids) < 3 && in.Scan(); {
		r.message(in.Text())
	}
	r.check(t, 3)
}

// TestPipeStalls: a reader that does not read causes an error in time, and at once
// when the server stops; when it continues, everything arrives.
func TestPipeStalls(t *testing.T) {
	t.Parallel()
	w := setup(t)
	path := fifo(t)
	from := reader(t, path)
	w.append(atOnce) // more than a pipe holds
	sink := &File{Path: path, patience: 50 * time.Millisecond}
	tail := w.tail(sink)
	if err := soon(t, "a stalled reader", func() error { return tail.Run(context.Background()) }); !errors.Is(err,
		os.ErrDeadlineExceeded) || tail.saved != 0 {
		t.Fatalf("%v, the cursor is at %d", err, tail.saved)
	}
	sink.patience = time.Hour
	ctx, stop := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, stop)
	if err := soon(t, "the stop", func() error { return tail.deliver(ctx) }); !errors.Is(err, context.Canceled) || tail.saved != 0 {
		t.Fatalf("%v, the cursor is at %d", err, tail.saved)
	}

	var r received
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for in := bufio.NewScanner(from); r.highest() < atOnce && in.Scan(); {
			if in.Text() != "" {
				r.message(in.Text())
			}
		}
	}()
	w.until(tail, "the rest", func() bool { return tail.saved == atOnce })
	<-ended
	r.check(t, atOnce)
}
