// Package pcsc notices insertions and removals of cards, in pure Go: on Linux by
// pcscd's own socket protocol, on Windows through winscard.dll, on macOS through
// the PCSC framework. It sends nothing to a card.
//
// A Watcher tracks the readers that hold a card and reports changes. The service
// may be absent at any time: the watcher retries with growing pauses and
// meanwhile reports that nothing is known.
package pcsc

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Event is the insertion or removal of a card.
type Event struct {
	Reader   string
	Inserted bool
}

// source is one connection to the smart card service.
type source interface {
	// next waits for a change since the last call (the first call returns at
	// once) and returns the names of all readers that hold a card.
	next(ctx context.Context) ([]string, error)
	close()
}

// Watcher watches the readers. Create it with New; its zero value is not usable.
type Watcher struct {
	open func(ctx context.Context) (source, error)
	log  *slog.Logger

	mu         sync.Mutex
	known      bool
	readers    []string
	generation uint64
	listeners  map[chan Event]struct{}
}

// New returns a watcher of the system's smart card service. socket is pcscd's
// socket on Linux; empty means PCSCLITE_CSOCK_NAME or the default path.
func New(socket string, log *slog.Logger) *Watcher {
	return newWatcher(func(ctx context.Context) (source, error) { return open(ctx, socket) }, log)
}

func newWatcher(open func(ctx context.Context) (source, error), log *slog.Logger) *Watcher {
	return &Watcher{open: open, log: log, listeners: map[chan Event]struct{}{}}
}

// Snapshot returns the readers that hold a card, and a number that grows with
// every change. known is false while the service is unreachable.
func (w *Watcher) Snapshot() (readers []string, generation uint64, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.readers), w.generation, w.known
}

// Listen returns a channel of events until stop is called. A slow listener loses
// events; it should call Snapshot after each.
func (w *Watcher) Listen() (events <-chan Event, stop func()) {
	c := make(chan Event, 16)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listeners[c] = struct{}{}
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.listeners, c)
	}
}

// The pauses between attempts to reach the service.
const (
	firstPause = 250 * time.Millisecond
	lastPause  = 10 * time.Second
)

// Run watches until ctx ends.
func (w *Watcher) Run(ctx context.Context) {
	pause, told := firstPause, false
	for ctx.Err() == nil {
		reached, err := w.watch(ctx)
		w.forget()
		if ctx.Err() != nil {
			return
		}
		if reached {
			pause, told = firstPause, false
		}
		if !told {
			w.log.Warn("the smart card service is not available; insertions go unnoticed until it is back", "cause", err.Error())
			told = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, lastPause)
	}
}

// watch follows one connection to its end. reached reports whether the service
// ever answered.
func (w *Watcher) watch(ctx context.Context) (reached bool, err error) {
	s, err := w.open(ctx)
	if err != nil {
		return false, err
	}
	defer s.close()
	for {
		readers, err := s.next(ctx)
		if err != nil {
			return reached, err
		}
		if !reached {
			w.log.Info("watching for tokens")
		}
		reached = true
		w.update(readers)
	}
}

// update records the current readers and notifies the listeners.
func (w *Watcher) update(readers []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.Sort(readers)
	if w.known && slices.Equal(w.readers, readers) {
		return
	}
	for _, r := range w.readers {
		if !slices.Contains(readers, r) {
			w.tell(Event{Reader: r})
		}
	}
	for _, r := range readers {
		if !slices.Contains(w.readers, r) {
			w.tell(Event{Reader: r, Inserted: true})
		}
	}
	w.readers, w.known = readers, true
	w.generation++
}

// forget marks the connection as lost. It keeps the readers, so that only what
// changed in between is reported on reconnection.
func (w *Watcher) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known = false
	w.generation++
}

func (w *Watcher) tell(e Event) {
	for c := range w.listeners {
		select {
		case c <- e:
		default: // a slow listener
		}
	}
}

// errService means that the service's responses are not understood.
var errService = errors.New("the smart card service answers in an unknown way")
