package mail

import (
	"slices"
	"sync"
)

// consecutive is how many recipients in a row must be refused by the server's rules before
// that counts as refusing everyone.
const consecutive = 3

// rules are the recipients refused by the server's rules since another outcome.
type rules struct {
	mu  sync.Mutex
	met []string
}

// refused notes a refusal, by the rules or not, and reports whether every message would
// meet it.
func (r *rules) refused(address string, byRules bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !byRules:
		r.met = nil
	case len(r.met) < consecutive && !slices.Contains(r.met, address):
		r.met = append(r.met, address)
	}
	return len(r.met) == consecutive
}

// forget notes that a message was taken, or that the settings have changed.
func (r *rules) forget() { r.refused("", false) }
