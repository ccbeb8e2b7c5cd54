package chain

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// headEvery is how many batches of a long run are written per head in the vault.
const headEvery = 64

// Sealer seals what was written since its last run. Several may run at once, even in
// other processes: the chain does not fork.
type Sealer struct {
	Store Store
	Vault vault.KV
	Now   func() time.Time

	running sync.Mutex // one run at a time in this process

	mu   sync.Mutex
	last error // result of the last run
}

// Broken is the error of an invalid chain: sealing stops, since anything sealed
// after a cut would hide it.
type Broken struct{ Reason string }

// Error says what is wrong and what to do.
func (e *Broken) Error() string {
	return "the audit log was changed from outside and is no longer sealed: " + e.Reason + " (see keyward audit verify)"
}

const noKey = "there are sealed entries, but the vault has no sealing key"

// Run seals everything, in batches: a backlog costs time, not memory. Its errors are
// VaultUnavailable and DatabaseUnavailable, after which the next run continues, and Broken.
func (s *Sealer) Run(ctx context.Context) error {
	s.running.Lock()
	defer s.running.Unlock()
	err := s.run(ctx)
	s.mu.Lock()
	s.last = err
	s.mu.Unlock()
	return err
}

// Begin creates the key before anything is sealed, so that no copy of the vault
// lacks it. VaultUnavailable, DatabaseUnavailable.
func (s *Sealer) Begin(ctx context.Context) error {
	head, err := readHead(ctx, s.Vault)
	if err != nil || head.Batch != 0 {
		return err
	}
	last, err := s.lastBatch(ctx)
	if err != nil || last.ID != 0 {
		return err
	}
	_, err = s.keyFor(ctx, true)
	return err
}

// Yield says that another server seals from now on: the result of the last run
// here no longer matters.
func (s *Sealer) Yield() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = nil
}

func (s *Sealer) run(ctx context.Context) error {
	for {
		more, err := s.seal(ctx)
		if err != nil || !more {
			return err
		}
	}
}

// seal adds up to headEvery batches and then writes the head of the last to the vault.
func (s *Sealer) seal(ctx context.Context) (more bool, err error) {
	// Read the head first: the database, read after it, must have all that it names,
	// whatever other servers do meanwhile.
	head, err := readHead(ctx, s.Vault)
	if err != nil {
		return false, err
	}
	last, err := s.lastBatch(ctx)
	if err != nil {
		return false, err
	}
	key, err := s.keyFor(ctx, last.ID == 0 && head.Batch == 0)
	if err != nil {
		return false, err
	}
	if err := s.inOrder(ctx, key, head.Head, last); err != nil {
		return false, err
	}
	more = true
	for range headEvery {
		next, err := s.next(ctx, key, last)
		if err != nil {
			return false, err
		}
		if next.ID == 0 {
			more = false
			break
		}
		done, err := s.Store.InsertAuditBatch(ctx, last, next)
		if err != nil {
			return false, err
		}
		if !done { // another server was faster: start again after its batch
			break
		}
		last = next
	}
	if last.ID > head.Batch {
		err = writeHead(ctx, s.Vault, key.head(last))
	}
	return more, err
}

func (s *Sealer) lastBatch(ctx context.Context) (Batch, error) {
	last, err := s.Store.LastAuditBatch(ctx)
	if fault.Is(err, fault.NotFound) {
		return Batch{}, nil
	}
	return last, err
}

// keyFor returns the key, and creates it if the chain is new. It is not cached: a
// restore may have replaced it.
func (s *Sealer) keyFor(ctx context.Context, fresh bool) (*signingKey, error) {
	key, err := readKey(ctx, s.Vault)
	if !errors.Is(err, errNoKey) {
		return key, err
	}
	if !fresh {
		return nil, &Broken{noKey}
	}
	return makeKey(ctx, s.Vault)
}

// inOrder checks the end of the chain before it is built upon.
func (s *Sealer) inOrder(ctx context.Context, key *signingKey, head Head, last Batch) error {
	if last.ID != 0 && (last.Fault != "" || last.KeyID != key.id || !verify(key.public, last.message(), last.Signature)) {
		return &Broken{fmt.Sprintf("batch %d is not signed with this installation's key", last.ID)}
	}
	if head.Batch == 0 {
		return nil
	}
	if !head.Verify(key.public) {
		return &Broken{"the head in the vault is not signed with this installation's key"}
	}
	if last.ID < head.Batch {
		return &Broken{fmt.Sprintf("it ends with batch %d (entry %d), but was sealed up to batch %d (entry %d)",
			last.ID, last.LastID, head.Batch, head.LastID)}
	}
	known, err := s.knownBatch(ctx, head, last)
	if err != nil {
		return err
	}
	if known.ID == 0 {
		return &Broken{fmt.Sprintf("batch %d is gone", head.Batch)}
	}
	if !known.covers(&head) {
		return &Broken{fmt.Sprintf("batch %d is not the one the vault knows", head.Batch)}
	}
	return nil
}

// next returns the batch after last; zero if everything is sealed.
func (s *Sealer) next(ctx context.Context, key *signingKey, last Batch) (Batch, error) {
	entries, err := s.Store.AuditAfter(ctx, last.LastID, MaxBatch)
	if err != nil || len(entries) == 0 {
		return Batch{}, err
	}
	b := follow(last)
	running, ok := hashOf(b.Previous)
	if !ok {
		return Batch{}, &Broken{fmt.Sprintf("batch %d has no hash", last.ID)}
	}
	b.fill(entries, running, last.LastID)
	b.SealedAt, b.KeyID = s.Now().UTC().Truncate(time.Microsecond), key.id
	b.Signature = key.sign(b.message())
	return b, nil
}

// follow begins the batch after last.
func follow(last Batch) Batch {
	if last.ID == 0 {
		return Batch{ID: 1, Segment: 1, Previous: start(1, "").String()}
	}
	return Batch{ID: last.ID + 1, Segment: last.Segment, Previous: last.Hash}
}

func (b *Batch) fill(entries []audit.Entry, running Hash, after int64) {
	var h hasher
	marks := make([]Mark, len(entries))
	for i := range entries {
		leaf := h.leaf(&entries[i])
		running = link(running, leaf)
		marks[i] = MarkOf(entries[i].ID, leaf)
	}
	b.FirstID, b.LastID, b.Count = entries[0].ID, entries[len(entries)-1].ID, int64(len(entries))
	b.Hash, b.Leaves = running.String(), encodeLeaves(marks, after)
}
