package agent

import (
	"context"
	"sync"

	wire "github.com/keyward/keyward/api/agent"
	"github.com/keyward/keyward/internal/agent/driver"
)

// discovery caches the tokens until the readers change. Listing costs the tool a
// seventh of a second and a turn in the queue, and pages ask often.
type discovery struct {
	mu         sync.Mutex
	valid      bool
	generation uint64
	found      driver.Found
}

// get returns the cached tokens if they belong to generation.
func (d *discovery) get(generation uint64) (driver.Found, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.found, d.valid && d.generation == generation
}

func (d *discovery) put(found driver.Found, generation uint64, valid bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.found, d.generation, d.valid = found, generation, valid
}

// serialIn returns the serial of the token last seen in a reader.
func (d *discovery) serialIn(reader string) *string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.found.Tokens {
		if t.Reader == reader {
			return &t.Serial
		}
	}
	return nil
}

func (s *server) snapshot() (readers []string, generation uint64, known bool) {
	if s.readers == nil {
		return nil, 0, false
	}
	return s.readers.Snapshot()
}

func (s *server) discover(ctx context.Context, _ *struct{}) (*body[wire.Tokens], error) {
	found, err := s.tokens(ctx)
	if err != nil {
		return nil, err
	}
	out := wire.Tokens{Tokens: make([]wire.Token, 0, len(found.Tokens))}
	for _, t := range found.Tokens {
		out.Tokens = append(out.Tokens, wire.Token(t))
	}
	for _, reader := range found.InUse {
		out.InUse = append(out.InUse, wire.ReaderInUse{Reader: reader})
	}
	return reply(out), nil
}

// tokens lists the tokens, from the cache if the readers have not changed and the
// last list was complete.
func (s *server) tokens(ctx context.Context) (driver.Found, error) {
	if _, generation, known := s.snapshot(); known {
		if found, ok := s.found.get(generation); ok {
			return found, nil
		}
	}
	var found driver.Found
	err := s.queue.run(ctx, func(ctx context.Context) error {
		readers, generation, known := s.snapshot()
		if known {
			var ok bool
			if found, ok = s.found.get(generation); ok { // an earlier request in the queue listed them
				return nil
			}
		} else {
			readers = nil
		}
		var err error
		if found, err = s.driver.List(ctx, readers); err != nil {
			return err
		}
		s.found.put(found, generation, known && found.Complete)
		return nil
	})
	return found, err
}
