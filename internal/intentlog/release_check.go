package intentlog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/vault"
)

// ReleaseStatus compares what the vault logged of a token with the audit log.
type ReleaseStatus struct {
	Serial  string
	Count   int64   // releases that were logged
	Missing []int64 // entries missing from the audit log
	Changed []int64 // entries that differ from what was logged
	Lost    int64   // entries missing from an older database that was accepted (MarkUnaccounted)
	// Problem describes a fault in the token's log in the vault itself; empty if none.
	Problem string

	missing []chain.Mark // missing or changed, except the lost ones
}

// Sound reports whether the audit log has every release unchanged.
func (s ReleaseStatus) Sound() bool { return len(s.Missing)+len(s.Changed) == 0 && s.Problem == "" }

// String describes the faults for people.
func (s ReleaseStatus) String() string {
	var said []string
	for _, id := range s.Missing {
		said = append(said, fmt.Sprintf("entry %d is missing", id))
	}
	for _, id := range s.Changed {
		said = append(said, fmt.Sprintf("entry %d is not what was logged", id))
	}
	if s.Problem != "" {
		said = append(said, s.Problem)
	}
	return "token " + s.Serial + ": " + strings.Join(said, ", ")
}

// Check compares what the vault logged of a token with the audit log. The vault is
// read first, so the database must have whatever the vault has. A token without a
// log is sound. An error means that the vault or the database could not be read.
func (l *Releases) Check(ctx context.Context, serial string) (ReleaseStatus, error) {
	return checker{l.kv, l.entries, math.MaxInt, func(*chain.Row) {}}.check(ctx, serial)
}

type checker struct {
	kv      vault.KV
	entries AuditRows
	pages   int              // only the last so many
	seen    func(*chain.Row) // called for each entry found intact
}

func (c checker) check(ctx context.Context, serial string) (ReleaseStatus, error) {
	kv, s := c.kv, ReleaseStatus{Serial: serial}
	last, err := readPage(ctx, kv, openPagePath(serial))
	if errors.Is(err, vault.ErrNotFound) {
		return s, nil
	}
	if err != nil {
		return s.unreadable(openPagePath(serial), err)
	}
	s.Count = last.count
	first, before := 1, firstPage(serial).before
	if last.number > c.pages {
		first, before = last.number-c.pages+1, chain.Hash{}
	}
	for n := first; n <= last.number; n++ {
		p := last
		if n < last.number {
			if p, err = readPage(ctx, kv, closedPath(serial, n)); err != nil {
				if s, err = s.unreadable(closedPath(serial, n), err); err != nil {
					return s, err
				}
				before = chain.Hash{}
				continue
			}
		}
		if p.number != n || before != (chain.Hash{}) && p.before != before {
			s.Problem = fmt.Sprintf("page %d of its log in the vault does not continue the previous one", n)
		}
		before = p.hash
		if err := c.hold(ctx, p, &s); err != nil {
			return s, err
		}
	}
	return s, c.forgive(ctx, &s)
}

func readPage(ctx context.Context, kv vault.KV, at string) (page, error) {
	v, err := kv.Get(ctx, at)
	if err != nil {
		return page{}, err
	}
	return decodePage(v.Data)
}

// unreadable records that a page is missing or malformed; any other cause is
// returned as an error.
func (s ReleaseStatus) unreadable(at string, err error) (ReleaseStatus, error) {
	switch {
	case errors.Is(err, vault.ErrNotFound):
		s.Problem = at + " is missing in the vault"
	case errors.Is(err, errForm):
		s.Problem = at + " in the vault is malformed"
	default:
		return s, vault.Fault(err)
	}
	return s, nil
}

// hold compares a page with the entries it names.
func (c checker) hold(ctx context.Context, p page, s *ReleaseStatus) error {
	ids := make([]int64, len(p.marks))
	for i, m := range p.marks {
		ids[i] = m.ID
	}
	rows, err := c.entries.AuditRowsOf(ctx, ids...)
	if err != nil {
		return err
	}
	running, whole := p.before, true
	for _, m := range p.marks {
		i, found := slices.BinarySearchFunc(rows, m.ID, func(r chain.Row, id int64) int { return int(r.ID - id) })
		var leaf chain.Hash
		if found {
			leaf = chain.Leaf(&rows[i].Entry)
		}
		switch {
		case !found:
			s.Missing = append(s.Missing, m.ID)
		case rows[i].Fault != "" || chain.MarkOf(m.ID, leaf) != m:
			s.Changed = append(s.Changed, m.ID)
		default:
			running = link(running, leaf)
			c.seen(&rows[i])
			continue
		}
		s.missing, whole = append(s.missing, m), false
	}
	if whole && running != p.hash {
		s.Problem = fmt.Sprintf("the hash of page %d of its log in the vault does not match its entries", p.number)
	}
	return nil
}
