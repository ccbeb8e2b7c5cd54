package events

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

const (
	every       = time.Second
	atOnce      = 500 // entries; after more, everybody asks anew
	windowOf    = 256 // notices
	newestJobs  = 8
	backlog     = 8 // batches that a slow client may be behind
	ofOnePerson = 16
	ofServer    = 4096
	retryAfter  = 30 * time.Second
)

// Batch is what changed between two looks.
type Batch struct {
	Changes  []Change
	Missed   bool   // more than is listed: ask anew
	Position string // after it
}

// Hub follows the database for all streams of a server.
type Hub struct {
	store Store
	log   *slog.Logger

	mu      sync.Mutex
	streams map[*Stream]int64 // with whose it is
	running bool
	at      state
}

// NewHub makes a Hub that nobody listens to yet.
func NewHub(store Store, log *slog.Logger) *Hub {
	return &Hub{store: store, log: log, streams: map[*Stream]int64{}}
}

// state is what has been seen. It is replaced, never changed.
type state struct {
	audit   int64
	notices map[int64]bool // whether it was read
	jobs    map[int64]string
}

// position names a state: the same on every server. A reader who comes back to the
// same one has missed nothing.
func (s state) position() string {
	job := ""
	if len(s.jobs) > 0 {
		newest := slices.Max(slices.Collect(maps.Keys(s.jobs)))
		job = number(newest) + s.jobs[newest]
	}
	notice := int64(0)
	for id := range s.notices {
		notice = max(notice, id)
	}
	return fmt.Sprintf("%d.%d.%s", s.audit, notice, job)
}

// Stream receives batches until it is closed.
type Stream struct {
	C        <-chan Batch // closed when its reader is too slow
	Position string       // before the first batch
	hub      *Hub
	in       chan Batch
}

// Open begins a stream of a person's. RateLimited if they have too many.
func (h *Hub) Open(ctx context.Context, userID int64) (*Stream, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	mine := 0
	for _, whose := range h.streams {
		if whose == userID {
			mine++
		}
	}
	switch {
	case mine >= ofOnePerson:
		return nil, fault.New(fault.RateLimited, "event_streams", "You follow changes from too many places at once. Close one.").After(retryAfter)
	case len(h.streams) >= ofServer:
		return nil, fault.New(fault.Overloaded, "event_streams", "Too many people follow changes. Try again later.").After(retryAfter)
	}
	if !h.running {
		now, err := h.begin(ctx)
		if err != nil {
			return nil, err
		}
		h.at, h.running = now, true
		go h.run(context.Background()) //nolint:gosec // no part of the trace, or of what else is the first reader's
	}
	c := make(chan Batch, backlog)
	s := &Stream{C: c, in: c, Position: h.at.position(), hub: h}
	h.streams[s] = userID
	return s, nil
}

// Close ends the stream.
func (s *Stream) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	delete(s.hub.streams, s)
}

// run looks every second until nobody listens.
func (h *Hub) run(ctx context.Context) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for range ticker.C {
		if !h.listened() {
			return
		}
		limited, cancel := context.WithTimeout(ctx, time.Minute)
		batch, now, err := h.look(limited)
		cancel()
		if err != nil {
			h.log.DebugContext(ctx, "what changed could not be read; trying again", "error", err)
			continue
		}
		h.deliver(batch, now)
	}
}

func (h *Hub) listened() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running = len(h.streams) > 0
	return h.running
}

func (h *Hub) deliver(b Batch, now state) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = now
	if len(b.Changes) == 0 && !b.Missed {
		return
	}
	for s := range h.streams {
		select {
		case s.in <- b:
		default: // it reconnects, and learns that it missed some
			close(s.in)
			delete(h.streams, s)
		}
	}
}

// begin returns the present state.
func (h *Hub) begin(ctx context.Context) (s state, err error) {
	if s.audit, err = h.store.AuditEnd(ctx); err != nil {
		return s, err
	}
	_, _, err = h.others(ctx, &s)
	return s, err
}

// look returns what changed since the last look, and the state after it.
func (h *Hub) look(ctx context.Context) (b Batch, now state, err error) {
	now = h.at // only run writes it
	entries, err := h.store.AuditAfter(ctx, now.audit, atOnce)
	if err != nil {
		return b, now, err
	}
	switch {
	case len(entries) == atOnce:
		b.Missed = true
		now.audit, err = h.store.AuditEnd(ctx)
	case len(entries) > 0:
		now.audit = entries[len(entries)-1].ID
		b.Changes, err = h.store.Changed(ctx, targets(entries))
	default: // after a restore the log may be shorter
		var newest int64
		if newest, err = h.store.NewestAudit(ctx); err == nil && newest < now.audit {
			b.Missed, now.audit = true, newest
		}
	}
	if err != nil {
		return b, now, err
	}
	changes, missed, err := h.others(ctx, &now)
	b.Changes, b.Missed, b.Position = append(b.Changes, changes...), b.Missed || missed, now.position()
	return b, now, err
}

// others compares notices and jobs with those of the state, and replaces them there.
func (h *Hub) others(ctx context.Context, s *state) (changes []Change, missed bool, err error) {
	notices, err := h.store.NewestNotices(ctx, windowOf)
	if err != nil {
		return nil, false, err
	}
	jobs, err := h.store.NewestJobs(ctx, newestJobs)
	if err != nil {
		return nil, false, err
	}
	known, were := s.notices, s.jobs
	s.notices, s.jobs = make(map[int64]bool, len(notices)), make(map[int64]string, len(jobs))
	missed = len(notices) == windowOf && len(known) > 0
	for _, n := range notices {
		s.notices[n.ID] = n.Read
		read, seen := known[n.ID]
		if seen {
			missed = false // the windows overlap
		}
		if !seen || read != n.Read {
			changes = append(changes, Change{Event: Event{Notices, number(n.ID)}, UserID: &n.UserID})
		}
	}
	for _, j := range jobs {
		s.jobs[j.ID] = j.Progress
		if were[j.ID] != j.Progress {
			changes = append(changes, Change{Event: Event{Jobs, number(j.ID)}})
		}
	}
	return changes, missed, nil
}
