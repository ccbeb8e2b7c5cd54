package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"

	"github.com/keyward/keyward/internal/secret"
)

// Hasher hashes and checks passwords, a limited number at once.
type Hasher struct {
	Parameters // of new hashes

	queue *queue
	dummy phc
}

// NewHasherWith allows that many hashes at once, and makes new ones with these parameters; zero
// ones get the default. Memory is bounded by what that many hashes need.
func NewHasherWith(concurrent int, p Parameters) *Hasher {
	d := DefaultParameters()
	if p.MemoryKiB == 0 {
		p.MemoryKiB = d.MemoryKiB
	}
	if p.Passes == 0 {
		p.Passes = d.Passes
	}
	if p.Threads == 0 {
		p.Threads = d.Threads
	}
	return &Hasher{
		Parameters: p, queue: newQueue(max(1, concurrent), p.MemoryKiB),
		dummy: phc{Parameters: p, salt: make([]byte, saltBytes), key: make([]byte, keyBytes)},
	}
}

// Hash returns the PHC string of a password with a fresh salt. Overloaded when
// no slot becomes free in time; nothing was computed then.
func (h *Hasher) Hash(ctx context.Context, password secret.String) (string, error) {
	leave, err := h.queue.enter(ctx, h.MemoryKiB)
	if err != nil {
		return "", err
	}
	defer leave()
	out := phc{Parameters: h.Parameters, salt: make([]byte, saltBytes)}
	if _, err := rand.Read(out.salt); err != nil {
		return "", fmt.Errorf("password salt: %w", err)
	}
	out.key = h.compute(Normalize(password).Reveal(), out.salt, keyBytes)
	return out.encode(), nil
}

// Match is how well a password matches a hash.
type Match int

// The matches.
const (
	No    Match = iota
	Yes         // the hash has the current parameters
	Stale       // matches, but the hash has other parameters: rehash
)

// Check compares the password with the hash, in constant time. An empty hash,
// of an account without a password, costs as much as a current one and never
// matches. Overloaded when no slot becomes free in time; on this or any other
// error, nothing was compared.
func (h *Hasher) Check(ctx context.Context, hash string, password secret.String) (Match, error) {
	stored := h.dummy
	if hash != "" {
		var err error
		if stored, err = decode(hash); err != nil {
			return No, err
		}
	}
	leave, err := h.queue.enter(ctx, stored.MemoryKiB)
	if err != nil {
		return No, err
	}
	defer leave()
	match := No
	if stored.fits(Normalize(password)) {
		match = Yes
		if stored.Parameters != h.Parameters || len(stored.salt) != saltBytes || len(stored.key) != keyBytes {
			match = Stale
		}
	}
	if hash == "" {
		return No, nil
	}
	return match, nil
}

func (h phc) fits(password secret.String) bool {
	return subtle.ConstantTimeCompare(h.compute(password.Reveal(), h.salt, len(h.key)), h.key) == 1
}
