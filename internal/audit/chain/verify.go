package chain

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"math"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// Anchor is what a verification trusts; it comes from outside the database.
type Anchor struct {
	// Keys are those of the segments, the current one last; none: nothing may be sealed.
	// A segment that follows a restore may have another key.
	Keys []ed25519.PublicKey
	// Head is the newest known head, which the database must have. Nil: a cut end cannot
	// be detected.
	Head *Head
	// Hash is that of a head otherwise unknown.
	Hash string
}

// VaultAnchor reads the anchor from the vault. Read it before the database, which
// has whatever the vault knows.
func VaultAnchor(ctx context.Context, kv vault.KV) (Anchor, error) {
	head, err := readHead(ctx, kv)
	if err != nil {
		return Anchor{}, err
	}
	var a Anchor
	if head.Batch != 0 {
		a.Head = &head.Head
	}
	former, err := readClosed(ctx, kv)
	if err != nil {
		return Anchor{}, err
	}
	a.Keys = former.public()
	key, err := readKey(ctx, kv)
	if errors.Is(err, errNoKey) {
		return a, nil
	}
	if err != nil {
		return Anchor{}, err
	}
	a.Keys = append(a.Keys, key.public)
	return a, nil
}

// Report is the result of a verification.
type Report struct {
	Entries  int64 // sealed ones
	Batches  int64
	Segments int64
	// Absent counts the IDs up to the last sealed one that had no entry when they were
	// sealed: rolled-back transactions on some engines; on SQLite, entries deleted
	// before sealing.
	Absent      int64
	FirstAbsent int64 // the first of these IDs
	Unsealed    int64 // entries that no batch covers yet
	Head        Head  // of the last batch, unsigned
}

// Bad is the first fault in the log.
type Bad struct {
	Entry   int64  // its ID; for a batch, the ID from which on nothing is certain
	Batch   int64  // zero if it concerns no batch
	Problem string // what is wrong
}

// Error names the entry and what is wrong with it.
func (b *Bad) Error() string {
	if b.Batch == 0 {
		return fmt.Sprintf("first bad entry: %d: %s", b.Entry, b.Problem)
	}
	return fmt.Sprintf("first bad entry: %d (batch %d): %s", b.Entry, b.Batch, b.Problem)
}

// Verify reads the whole log once, in bounded memory. It returns *Bad if something
// was changed; any other error means that the log could not be read.
func Verify(ctx context.Context, store Store, a Anchor) (Report, error) {
	return Follow(ctx, store, a, func(int64) {})
}

// Follow is Verify, and tells after each batch up to which ID all is as it was sealed.
func Follow(ctx context.Context, store Store, a Anchor, tell func(last int64)) (Report, error) {
	end, err := store.LastAuditBatch(ctx)
	if fault.Is(err, fault.NotFound) {
		end, err = Batch{}, nil
	}
	if err != nil {
		return Report{}, err
	}
	v := &verifier{anchor: a, running: start(1, ""), found: a.Hash == "", tell: tell}
	if a.Head != nil && !a.signed(a.Head) {
		return Report{}, &Bad{0, a.Head.Batch, "the head to compare with is not signed with this key"}
	}
	if end.ID != 0 || end.Fault != "" {
		if err := v.read(ctx, store, end); err != nil {
			return v.report, err
		}
	}
	if err := v.end(); err != nil {
		return v.report, err
	}
	v.report.Unsealed, _, err = store.UnsealedAudit(ctx, v.last.LastID)
	return v.report, err
}

// verifier reads the batches and, in parallel, the rows.
type verifier struct {
	anchor  Anchor
	report  Report
	last    Batch // the previous one
	running Hash
	found   bool // anchor.Hash was seen
	covered bool // anchor.Head was seen
	key     int  // index of the key that sealed the last one
	hasher  hasher
	rows    *rows
	tell    func(last int64)
}

func (v *verifier) read(ctx context.Context, store Store, end Batch) error {
	ctx, cancel := context.WithCancel(ctx)
	batches := readBatches(ctx, store, v.anchor, end)
	v.rows = readRows(ctx, store)
	defer func() { // the readers use the store, which the caller may close afterwards
		cancel()
		batches.wait()
		v.rows.wait()
	}()
	for {
		b, ok, err := batches.next()
		if err != nil || !ok {
			return err
		}
		if err := v.batch(b); err != nil {
			return err
		}
		v.tell(v.last.LastID)
	}
}

// from returns the first ID that the batch after the current one covers.
func (v *verifier) from() int64 {
	if v.last.ID == 0 {
		return 1
	}
	return v.last.LastID + 1
}

func (v *verifier) bad(b *Batch, problem string) error { return &Bad{v.from(), b.ID, problem} }

// batch checks a batch by itself, its position after the previous one, and its entries.
func (v *verifier) batch(c checkedBatch) error {
	b := &c.Batch
	begins := b.Segment != max(v.last.Segment, 1)
	switch {
	case b.Fault != "":
		return v.bad(b, "the batch's row was changed: "+b.Fault)
	case !begins && b.ID != v.last.ID+1:
		return &Bad{v.from(), v.last.ID + 1, "the batch is missing"}
	case !c.signed, c.key != v.key && !begins && v.last.ID != 0:
		return v.bad(b, "the batch's row was changed: its signature does not match")
	case begins:
		if problem := v.begin(b); problem != "" {
			return v.bad(b, problem)
		}
	case b.Previous != v.running.String() || b.Link != "":
		return v.bad(b, "the batch does not continue the previous one")
	}
	if !begins {
		if err := v.entries(b); err != nil {
			return err
		}
	}
	if v.running.String() != b.Hash {
		return v.bad(b, "its entries are not the ones that were sealed")
	}
	if h := v.anchor.Head; h != nil {
		v.covered = v.covered || b.covers(h)
		if h.Batch == b.ID && !v.covered {
			return v.bad(b, "it is not the batch with the known head")
		}
	}
	v.found = v.found || b.Hash == v.anchor.Hash
	v.last, v.key = *b, c.key
	v.report.Batches++
	v.report.Segments = b.Segment
	v.report.Head = Head{Segment: b.Segment, Batch: b.ID, LastID: b.LastID, SealedAt: b.SealedAt, Hash: b.Hash, KeyID: b.KeyID}
	return nil
}

// entries compares a batch's rows with its marks in step: the first difference names the entry.
func (v *verifier) entries(b *Batch) error {
	marks, err := decodeLeaves(b.Leaves, v.last.LastID, b.Count)
	if err != nil || len(marks) == 0 || marks[0].ID != b.FirstID || marks[len(marks)-1].ID != b.LastID {
		return v.bad(b, "the batch is malformed")
	}
	for {
		row, ok, err := v.rows.upTo(b.LastID)
		switch {
		case err != nil:
			return err
		case !ok && len(marks) == 0:
			return nil
		case !ok, len(marks) > 0 && row.ID > marks[0].ID:
			return &Bad{marks[0].ID, b.ID, "it was removed"}
		case len(marks) == 0, row.ID < marks[0].ID:
			return &Bad{row.ID, b.ID, "it was inserted: no such entry was sealed"}
		}
		leaf := v.hasher.leaf(&row.Entry)
		switch {
		case MarkOf(row.ID, leaf) != marks[0]:
			return &Bad{row.ID, b.ID, "its content is not what was sealed"}
		case row.Fault != "":
			return &Bad{row.ID, b.ID, row.Fault}
		}
		v.running = link(v.running, leaf)
		v.report.Entries++
		if n := row.ID - 1 - v.rows.previous; n > 0 {
			if v.report.Absent == 0 {
				v.report.FirstAbsent = v.rows.previous + 1
			}
			v.report.Absent += n
		}
		v.rows.previous = row.ID
		marks = marks[1:]
	}
}

// end compares the end of the log with what is known from elsewhere.
func (v *verifier) end() error {
	if v.last.ID != 0 && v.key != len(v.anchor.Keys)-1 {
		return &Bad{v.from(), v.last.ID, "its end is sealed with a former key"}
	}
	if h := v.anchor.Head; h != nil && h.Batch > v.last.ID {
		return &Bad{v.from(), v.last.ID + 1, fmt.Sprintf("the end is missing: the log was sealed up to entry %d (batch %d)", h.LastID, h.Batch)}
	}
	if v.anchor.Head != nil && !v.covered {
		return &Bad{v.from(), 0, "no batch has the known head: it was signed over entries that a restore replaced"}
	}
	if !v.found {
		return &Bad{v.from(), 0, "no batch has the head's hash: the end is missing, or the head is from another log"}
	}
	return nil
}

// lowest is where reading begins: an inserted row may have any ID.
const lowest = math.MinInt64
