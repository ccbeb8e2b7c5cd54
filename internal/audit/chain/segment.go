package chain

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// links are the heads that a segment continues, as stored in a batch.
type links struct {
	Database *Head `json:"database"` // of the log now in the database; null: there was none
	Vault    *Head `json:"vault"`    // the newest ever signed
}

// SegmentDue reports whether the log was sealed with a former key, as after a vault
// was restored from a backup: then nothing can be sealed before BeginSegment.
func (s *Sealer) SegmentDue(ctx context.Context) (bool, error) {
	former, err := readClosed(ctx, s.Vault)
	if err != nil || len(former.Keys) == 0 {
		return false, err
	}
	key, err := readKey(ctx, s.Vault)
	if errors.Is(err, errNoKey) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	last, err := s.lastBatch(ctx)
	return last.ID != 0 && last.KeyID != key.id && (Anchor{Keys: former.public()}).sealed(last), err
}

// BeginSegment continues the chain after a restore, over a database whose end is not
// the one in the vault. It adds a signed batch without entries that names both
// heads, and so says what replaced what. Call it while nothing else seals; the
// restore's own audit entry is sealed after it. The log in the database must be
// valid in itself: Verify it first.
func (s *Sealer) BeginSegment(ctx context.Context) error {
	s.running.Lock()
	defer s.running.Unlock()
	stored, err := readHead(ctx, s.Vault)
	if err != nil {
		return err
	}
	last, err := s.lastBatch(ctx)
	if err != nil {
		return err
	}
	former, err := readClosed(ctx, s.Vault)
	if err != nil {
		return err
	}
	if stored.Batch == 0 {
		stored.Head = former.newest()
	}
	if known, err := Seals(ctx, s.Vault, nil, last); err != nil || !known {
		return cmp.Or(err, error(&Broken{fmt.Sprintf("batch %d is not signed with a key of this installation", last.ID)}))
	}
	key, err := s.keyFor(ctx, last.ID == 0 && stored.Batch == 0 || len(former.Keys) > 0)
	if err != nil {
		return err
	}
	var both links
	if last.ID != 0 {
		h := key.head(last)
		both.Database = &h
	}
	if stored.Batch != 0 {
		both.Vault = &stored.Head
	}
	text, err := json.Marshal(both)
	if err != nil {
		return err
	}
	b := Batch{
		ID: max(last.ID, stored.Batch, former.newest().Batch) + 1, Segment: max(last.Segment, stored.Segment, 1) + 1,
		FirstID: last.LastID, LastID: last.LastID,
		Previous: follow(last).Previous, Link: string(text), SealedAt: s.Now().UTC().Truncate(time.Microsecond), KeyID: key.id,
	}
	b.Hash = start(b.Segment, b.Link).String()
	b.Signature = key.sign(b.message())
	done, err := s.Store.InsertAuditBatch(ctx, last, b)
	if err == nil && !done {
		err = fault.New(fault.Conflict, "sealed_elsewhere", "Another server is sealing the audit log. Stop it and try again.")
	}
	if err != nil {
		return err
	}
	return writeHead(ctx, s.Vault, key.head(b))
}

// sealed reports whether one of the keys signed a batch, or b is zero.
func (a Anchor) sealed(b Batch) bool {
	i := a.place(b.KeyID)
	return b.ID == 0 || b.Fault == "" && i >= 0 && verify(a.Keys[i], b.message(), b.Signature)
}

// covers reports whether a head is that of the batch, or the one replaced by the
// segment that begins with it.
func (b *Batch) covers(h *Head) bool {
	if b.ID == h.Batch {
		return b.Hash == h.Hash && b.LastID == h.LastID && b.Segment == h.Segment
	}
	var both links
	return b.Link != "" && json.Unmarshal([]byte(b.Link), &both) == nil && both.Vault != nil && both.Vault.same(h)
}

// begin checks the first batch of a segment and starts its running hash; it returns what is wrong.
func (v *verifier) begin(b *Batch) string {
	const wrong = "the batch does not begin a segment as it should"
	var both links
	if b.Segment <= v.last.Segment || b.ID <= v.last.ID || b.Count != 0 || b.Leaves != "" ||
		b.FirstID != v.last.LastID || b.LastID != v.last.LastID || b.Previous != v.running.String() ||
		json.Unmarshal([]byte(b.Link), &both) != nil {
		return wrong
	}
	switch h := both.Database; {
	case (h == nil) != (v.last.ID == 0):
		return wrong
	case h != nil && (h.Batch != v.last.ID || h.Hash != v.last.Hash || !v.anchor.signed(h)):
		return wrong
	}
	if h := both.Vault; h != nil && !v.anchor.signed(h) {
		return wrong
	}
	v.running = start(b.Segment, b.Link)
	return ""
}
