package custody

import (
	"context"
	"errors"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// Store reads and writes tokens' documents in the vault.
type Store struct {
	Vault vault.KV
	Now   func() time.Time
}

// casTries bounds the attempts at a move when others write in between. A token has
// few writers; needing more means that something is wrong.
const casTries = 8

func path(serial string) string { return serial + "/secrets" }

// Create stores fresh secrets for a token about to be registered and returns the
// version. If a document exists (from a registration interrupted before its row was
// committed, or a row deleted by hand), it is kept and reset, so that no value a
// card may hold is lost and an owner gets no one else's values (TakeOver).
func (c *Store) Create(ctx context.Context, serial string, owner *int64) (int, error) {
	return c.createAfter(ctx, serial, owner, 0)
}

// createAfter is Create for a token whose former document had the given counter.
func (c *Store) createAfter(ctx context.Context, serial string, owner *int64, counter int64) (int, error) {
	fresh, err := GenerateAll()
	if err != nil {
		return 0, err
	}
	d := NewDocument(fresh, OwnerOf(owner), c.Now())
	d.Counter = counter + 1
	data, err := encode(d)
	if err != nil {
		return 0, err
	}
	version, err := c.Vault.Put(ctx, path(serial), data, 0)
	if !errors.Is(err, vault.ErrCAS) {
		return version, vault.Fault(err)
	}
	if _, err := c.Load(ctx, serial); fault.Is(err, fault.NotFound) {
		return 0, fault.New(fault.Conflict, "secrets_deleted",
			"The vault has deleted secrets for this serial number. Undelete or destroy them in the vault first.")
	}
	state, err := c.Move(ctx, serial, func(state State) (Document, bool, error) {
		d, changed := state.Document.TakeOver(fresh, OwnerOf(owner), c.Now())
		return d, changed, nil
	})
	return state.Version, err
}

// Recreate is Create for a token whose document the vault has lost; counter is the
// highest that it is known to have had.
func (c *Store) Recreate(ctx context.Context, serial string, owner *int64, counter int64) (State, error) {
	if _, err := c.createAfter(ctx, serial, owner, counter); err != nil {
		return State{}, err
	}
	state, err := c.Load(ctx, serial)
	state.moved = true
	return state, err
}

// State is a document and its version in the vault.
type State struct {
	Document Document
	Version  int
	moved    bool // by this call
}

// Recording returns the context for updating the database. A change that is in the
// vault must be recorded even if the actor has been dismissed meanwhile.
func (s State) Recording(ctx context.Context) context.Context {
	if s.moved {
		return access.OnRecord(ctx)
	}
	return ctx
}

// Load reads a token's document; NotFound if there is none.
func (c *Store) Load(ctx context.Context, serial string) (State, error) {
	v, err := c.Vault.Get(ctx, path(serial))
	if errors.Is(err, vault.ErrNotFound) {
		return State{}, fault.New(fault.NotFound, "no_secrets", "The vault has no secrets for this token. Reset it to generate new ones.")
	}
	if err != nil {
		return State{}, vault.Fault(err)
	}
	d, err := decode(v.Data)
	if err != nil {
		return State{}, err
	}
	return State{Document: d, Version: v.Number}, nil
}

// Move applies one of the document's moves by check-and-set, retrying if another
// writer came in between. move may be called several times; it returns changed false
// if there is nothing to write.
func (c *Store) Move(ctx context.Context, serial string, move func(State) (next Document, changed bool, err error)) (State, error) {
	for range casTries {
		state, err := c.Load(ctx, serial)
		if err != nil {
			return State{}, err
		}
		d, changed, err := move(state)
		if err != nil {
			return state, err
		}
		if !changed {
			return State{Document: d, Version: state.Version}, nil
		}
		d.Counter++
		data, err := encode(d)
		if err != nil {
			return State{}, err
		}
		version, err := c.Vault.Put(ctx, path(serial), data, state.Version)
		if errors.Is(err, vault.ErrCAS) {
			continue
		}
		if err != nil {
			return State{}, vault.Fault(err)
		}
		return State{d, version, true}, nil
	}
	return State{}, fault.New(fault.Conflict, "secrets_contended", "Someone else is changing this token's secrets. Try again in a moment.")
}
