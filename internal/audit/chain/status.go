package chain

import (
	"context"
	"encoding/hex"
	"errors"
	"time"
)

// Status is how far the log is sealed.
type Status struct {
	PublicKey string // hex; empty before the first sealing
	// FormerKeys are the keys of segments before restores, in hex.
	FormerKeys []string
	Head       Head  // zero if nothing is sealed
	Unsealed   int64 // entries that the next run will seal
	// OldestUnsealed is when the first of them was written; zero if there is none.
	OldestUnsealed time.Time
	// Failure is the result of the last run in this process, unless another server
	// seals: nil, Broken, or what was unavailable.
	Failure error
}

// Broken returns the failure if the chain is broken.
func (s Status) Broken() (*Broken, bool) { return errors.AsType[*Broken](s.Failure) }

// Late reports whether entries have waited longer than a few runs take.
func (s Status) Late(now time.Time) bool {
	return !s.OldestUnsealed.IsZero() && now.Sub(s.OldestUnsealed) > lateAfter
}

const lateAfter = 5 * time.Minute

// Status returns how far the log is sealed, with a freshly signed head of the last
// batch; the vault's own if the chain is broken. VaultUnavailable if the key cannot be read.
func (s *Sealer) Status(ctx context.Context) (Status, error) {
	head, err := readHead(ctx, s.Vault)
	if err != nil {
		return Status{}, err
	}
	last, err := s.lastBatch(ctx)
	if err != nil {
		return Status{}, err
	}
	former, err := readClosed(ctx, s.Vault)
	if err != nil {
		return Status{}, err
	}
	st := Status{Head: head.Head, FormerKeys: []string{}}
	for _, k := range former.public() {
		st.FormerKeys = append(st.FormerKeys, hex.EncodeToString(k))
	}
	fresh := last.ID == 0 && head.Batch == 0
	key, err := readKey(ctx, s.Vault)
	switch {
	case errors.Is(err, errNoKey) && fresh:
	case errors.Is(err, errNoKey):
		st.Failure = &Broken{noKey}
	case err != nil:
		return Status{}, err
	default:
		st.PublicKey = hex.EncodeToString(key.public)
		// Sign only what was checked: someone who can write to the database must not get a
		// head for what they wrote.
		st.Failure = s.inOrder(ctx, key, head.Head, last)
		if st.Failure == nil && last.ID != 0 {
			st.Head = key.head(last)
		}
	}
	if _, broken := st.Broken(); st.Failure != nil && !broken {
		return Status{}, st.Failure
	}
	if st.Failure == nil {
		s.mu.Lock()
		st.Failure = s.last
		s.mu.Unlock()
	}
	st.Unsealed, st.OldestUnsealed, err = s.Store.UnsealedAudit(ctx, st.Head.LastID)
	return st, err
}
