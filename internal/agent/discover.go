package agent

import (
	"context"
	"sync"

	wire "github.com/keyward/keyward/api/agent"
	"github.com/keyward/keyward/internal/agent/driver"
)

// discovery remembers the tokens between two changes of the readers. A list
// costs the tool a seventh of a second and the queue's turn; pages ask often.
type discovery struct {
	mu         sync.Mutex
	valid      bool
	generation uint64
	tokens     []driver.Token
}

// get gives the remembered tokens if they are those of generation.
func (d *discovery) get(generation uint64) ([]driver.Token, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.tokens, d.valid && d.generation == generation
}

func (d *discovery) put(tokens []driver.Token, generation uint64, valid bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tokens, d.generation, d.valid = tokens, generation, valid
}

// serialIn is the serial of the token that was last seen in a reader.
func (d *discovery) serialIn(reader string) *string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.tokens {
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
	tokens, err := s.tokens(ctx)
	if err != nil {
		return nil, err
	}
	out := wire.Tokens{Tokens: make([]wire.Token, 0, len(tokens))}
	for _, t := range tokens {
		out.Tokens = append(out.Tokens, wire.Token(t))
	}
	return reply(out), nil
}

// tokens lists the tokens, from memory if nothing was plugged or pulled since
// and the last list was complete.
func (s *server) tokens(ctx context.Context) ([]driver.Token, error) {
	if _, generation, known := s.snapshot(); known {
		if tokens, ok := s.found.get(generation); ok {
			return tokens, nil
		}
	}
	var tokens []driver.Token
	err := s.queue.run(ctx, func(ctx context.Context) error {
		readers, generation, known := s.snapshot()
		if known {
			var ok bool
			if tokens, ok = s.found.get(generation); ok { // somebody before us in the queue asked the same
				return nil
			}
		} else {
			readers = nil
		}
		list, complete, err := s.driver.List(ctx, readers)
		if err != nil {
			return err
		}
		tokens = list
		s.found.put(list, generation, known && complete)
		return nil
	})
	return tokens, err
}
