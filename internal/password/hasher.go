package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"

	"github.com/keyward/keyward/internal/secret"
)

// Hasher hashes passwords and checks them, so many at once.
type Hasher struct {
	Parameters // of new hashes

	queue *queue
	dummy phc
}

// NewHasherWith allows that many hashes at once, and makes new ones with these
// parameters; zero ones are the default. Memory is bounded by that of the concurrent hashes together.
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

// Hash returns the PHC string of a password with a fresh salt. Overloaded
// when no slot comes free in time; nothing was computed then.
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

// Match is how a password fits a hash.
type Match int

// The matches.
const (
	No    Match = iota
	Yes         // as it is hashed today
	Stale       // it fits, but the hash has other parameters: hash it anew
)

// Check tells whether the password belongs to the hash, in constant time. An
// empty hash, an account that has none, costs as much as one of today and
// never fits. Overloaded when no slot comes free in time; then, and with any
// other error, nothing was compared.
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
