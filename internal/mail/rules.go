package mail

import (
	"slices"
	"sync"
)

// severally is how many recipients in a row a server refuses by its rules before that is
// about all of them.
const severally = 3

// rules are the recipients whom the server refused by its rules, since it last did not.
type rules struct {
	mu  sync.Mutex
	met []string
}

// refused takes note of a refusal, by the rules or not, and tells whether it is about every
// message.
func (r *rules) refused(address string, byRules bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !byRules:
		r.met = nil
	case len(r.met) < severally && !slices.Contains(r.met, address):
		r.met = append(r.met, address)
	}
	return len(r.met) == severally
}

// forget takes note that a message was taken, or that the settings are others.
func (r *rules) forget() { r.refused("", false) }
