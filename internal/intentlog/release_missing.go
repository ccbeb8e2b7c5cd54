package intentlog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/vault"
)

// latePages is how many of a token's last pages Missing reads.
const latePages = 2

// Missing names the releases logged in the vault since then (zero: ever) whose
// entries the database lacks or has changed: the database is older than the vault.
// It reads only the last pages of tokens with recent releases, so it may be called often.
func (l *Releases) Missing(ctx context.Context, since time.Time) ([]string, error) {
	var mu sync.Mutex
	var names []string
	look := func(pages int) func(context.Context, string) error {
		c := checker{l.kv, l.entries, pages, func(*chain.Row) {}}
		return func(ctx context.Context, serial string) error {
			s, err := c.check(ctx, serial)
			mu.Lock()
			defer mu.Unlock()
			for _, id := range slices.Concat(s.Missing, s.Changed) {
				names = append(names, fmt.Sprintf("token %s, entry %d", serial, id))
			}
			return err
		}
	}
	serials, kept, err := l.recent.since(ctx, since)
	switch {
	case err != nil:
		return nil, err
	case kept:
		err = eachSerial(ctx, serials, look(latePages))
	default:
		err = eachToken(ctx, l.kv, look(math.MaxInt))
	}
	slices.Sort(names)
	return names, errors.Join(err, l.recent.tidy(ctx))
}

// MarkUnaccounted records that an older database was accepted: the entries it lacks are lost
// and no longer reported as missing. It is idempotent.
func (l *Releases) MarkUnaccounted(ctx context.Context) error {
	c := checker{l.kv, l.entries, math.MaxInt, func(*chain.Row) {}}
	return eachToken(ctx, l.kv, func(ctx context.Context, serial string) error {
		s, err := c.check(ctx, serial)
		if err != nil || len(s.missing) == 0 {
			return err
		}
		return vault.Fault(l.addLost(ctx, serial, s.missing))
	})
}

// wireLost is the encoding in the vault of a token's lost entries.
type wireLost struct {
	Entries string `json:"entries"` // base64 of marks; see encodeMarks
}

func lostPath(serial string) string { return openPagePath(serial) + "/lost" }

// lost returns the marks and the document's version.
func lost(ctx context.Context, kv vault.KV, serial string) ([]chain.Mark, int, error) {
	v, err := kv.Get(ctx, lostPath(serial))
	if errors.Is(err, vault.ErrNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	var w wireLost
	if err := v.Data.Decode(&w); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", lostPath(serial), err)
	}
	marks, err := decodeMarks(w.Entries)
	return marks, v.Number, err
}

func (l *Releases) addLost(ctx context.Context, serial string, more []chain.Mark) error {
	for range casTries {
		marks, version, err := lost(ctx, l.kv, serial)
		if err != nil {
			return err
		}
		for _, m := range more {
			if !slices.Contains(marks, m) {
				marks = append(marks, m)
			}
		}
		data, err := vault.Encode(wireLost{encodeMarks(marks)})
		if err != nil {
			return err
		}
		if _, err = l.kv.Put(ctx, lostPath(serial), data, version); !errors.Is(err, vault.ErrCAS) {
			return err
		}
	}
	return fmt.Errorf("%w: others are writing what this token's release log has lost", vault.ErrBusy)
}

// forgive removes the lost entries from those missing.
func (c checker) forgive(ctx context.Context, s *ReleaseStatus) error {
	if len(s.missing) == 0 {
		return nil
	}
	marks, _, err := lost(ctx, c.kv, s.Serial)
	if err != nil {
		return vault.Fault(err)
	}
	if len(marks) == 0 {
		return nil
	}
	gone := map[int64]bool{}
	s.missing = slices.DeleteFunc(s.missing, func(m chain.Mark) bool {
		if !slices.Contains(marks, m) {
			return false
		}
		s.Lost++
		gone[m.ID] = true
		return true
	})
	for _, m := range s.missing { // a different entry with the same id
		delete(gone, m.ID)
	}
	forgiven := func(id int64) bool { return gone[id] }
	s.Missing, s.Changed = slices.DeleteFunc(s.Missing, forgiven), slices.DeleteFunc(s.Changed, forgiven)
	return nil
}
