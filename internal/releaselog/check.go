package releaselog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/vault"
)

// Standing is how what the vault took down of a token stands against the audit
// log.
type Standing struct {
	Serial  string
	Count   int64   // releases that were taken down
	Missing []int64 // entries that the audit log does not have
	Changed []int64 // entries that are others than were taken down
	// Problem says what is wrong with the token's log in the vault itself; empty
	// when nothing is.
	Problem string
}

// Sound tells whether the audit log has every release as it was.
func (s Standing) Sound() bool { return len(s.Missing)+len(s.Changed) == 0 && s.Problem == "" }

// String names what is wrong, for people.
func (s Standing) String() string {
	var said []string
	for _, id := range s.Missing {
		said = append(said, fmt.Sprintf("entry %d is missing", id))
	}
	for _, id := range s.Changed {
		said = append(said, fmt.Sprintf("entry %d is not what was taken down", id))
	}
	if s.Problem != "" {
		said = append(said, s.Problem)
	}
	return "token " + s.Serial + ": " + strings.Join(said, ", ")
}

// Check holds what the vault took down of a token against the audit log. The
// vault is read first: what it has, the database has. A token of which nothing
// was taken down yet is on record. Its errors are that one of them could not be
// read.
func (l *Log) Check(ctx context.Context, serial string) (Standing, error) {
	return check(ctx, l.kv, l.entries, serial, func(*chain.Row) {})
}

func check(ctx context.Context, kv vault.KV, entries Entries, serial string, seen func(*chain.Row)) (Standing, error) {
	s := Standing{Serial: serial}
	last, err := readPage(ctx, kv, path(serial))
	if errors.Is(err, vault.ErrNotFound) {
		return s, nil
	}
	if err != nil {
		return s.unreadable(path(serial), err)
	}
	s.Count = last.count
	before := open(serial).before
	for n := 1; n <= last.number; n++ {
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
			s.Problem = fmt.Sprintf("page %d of its log in the vault does not continue the one before", n)
		}
		before = p.hash
		if err := s.hold(ctx, p, entries, seen); err != nil {
			return s, err
		}
	}
	return s, nil
}

func readPage(ctx context.Context, kv vault.KV, at string) (page, error) {
	v, err := kv.Get(ctx, at)
	if err != nil {
		return page{}, err
	}
	return decodePage(v.Data)
}

// unreadable notes a page that is not there or not of its form; what else keeps
// it from being read is an error.
func (s Standing) unreadable(at string, err error) (Standing, error) {
	switch {
	case errors.Is(err, vault.ErrNotFound):
		s.Problem = at + " is missing in the vault"
	case errors.Is(err, errForm):
		s.Problem = at + " in the vault is not of its form"
	default:
		return s, vault.Fault(err)
	}
	return s, nil
}

// hold compares a page with the entries that it names.
func (s *Standing) hold(ctx context.Context, p page, entries Entries, seen func(*chain.Row)) error {
	ids := make([]int64, len(p.marks))
	for i, m := range p.marks {
		ids[i] = m.ID
	}
	rows, err := entries.AuditRowsOf(ctx, ids...)
	if err != nil {
		return err
	}
	running, whole := p.before, true
	for _, m := range p.marks {
		i, found := slices.BinarySearchFunc(rows, m.ID, func(r chain.Row, id int64) int { return int(r.ID - id) })
		if !found {
			s.Missing, whole = append(s.Missing, m.ID), false
			continue
		}
		leaf := chain.Leaf(&rows[i].Entry)
		if rows[i].Fault != "" || chain.MarkOf(m.ID, leaf) != m {
			s.Changed, whole = append(s.Changed, m.ID), false
			continue
		}
		running = link(running, leaf)
		seen(&rows[i])
	}
	if whole && running != p.hash {
		s.Problem = fmt.Sprintf("the hash of page %d of its log in the vault is not that of its entries", p.number)
	}
	return nil
}
