package chain

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/keyward/keyward/internal/audit"
)

// Batch is a row of audit_batches: entries that were sealed together. The
// hashes, the key id and the signature are lower-case hex.
type Batch struct {
	ID        int64 // 1, 2, … without a gap inside a segment
	Segment   int64 // 1; one more after each restore
	FirstID   int64 // of its entries; without entries, FirstID and LastID are the last ID before
	LastID    int64
	Count     int64  // at most MaxBatch; 0 only at the beginning of a segment
	Previous  string // running hash before the batch
	Hash      string // running hash after it
	Link      string // at the beginning of a segment, the heads that it continues; otherwise empty
	Leaves    string // a mark for each entry; see encodeLeaves
	SealedAt  time.Time
	KeyID     string
	Signature string
	// Fault is set by a store if the row's columns have wrong types.
	Fault string
}

// message returns what the signature of a batch covers: all other columns.
func (b *Batch) message() []byte {
	m := appendText(nil, "keyward audit batch 1")
	m = appendInt(m, b.ID)
	m = appendInt(m, b.Segment)
	m = appendInt(m, b.FirstID)
	m = appendInt(m, b.LastID)
	m = appendInt(m, b.Count)
	m = appendText(m, b.Previous)
	m = appendText(m, b.Hash)
	m = appendText(m, b.Link)
	m = appendText(m, b.Leaves)
	m = appendInt(m, b.SealedAt.UnixMicro())
	return appendText(m, b.KeyID)
}

// Head is the end of the chain at one time. Copies kept elsewhere prove that what it
// covers is still there, unchanged.
type Head struct {
	Segment   int64     `json:"segment"`
	Batch     int64     `json:"batch"`
	LastID    int64     `json:"last_sealed_id"`
	SealedAt  time.Time `json:"sealed_at"`
	Hash      string    `json:"hash"`
	KeyID     string    `json:"key_id"`
	Signature string    `json:"signature"`
}

func (h *Head) message() []byte {
	m := appendText(nil, "keyward audit head 1")
	m = appendInt(m, h.Segment)
	m = appendInt(m, h.Batch)
	m = appendInt(m, h.LastID)
	m = appendInt(m, h.SealedAt.UnixMicro())
	return appendText(m, h.Hash)
}

func (h *Head) same(o *Head) bool {
	return h.Segment == o.Segment && h.Batch == o.Batch && h.LastID == o.LastID && h.Hash == o.Hash && h.SealedAt.Equal(o.SealedAt)
}

// Verify reports whether the key signed the head.
func (h *Head) Verify(key ed25519.PublicKey) bool { return verify(key, h.message(), h.Signature) }

func verify(key ed25519.PublicKey, message []byte, signature string) bool {
	raw, ok := unhex(signature, ed25519.SignatureSize)
	return ok && len(key) == ed25519.PublicKeySize && ed25519.Verify(key, message, raw)
}

// unhex reads lower-case hex of exactly size bytes.
func unhex(text string, size int) ([]byte, bool) {
	raw, err := hex.DecodeString(text)
	return raw, err == nil && len(raw) == size && hex.EncodeToString(raw) == text
}

func hashOf(text string) (h Hash, ok bool) {
	raw, ok := unhex(text, sha256.Size)
	if ok {
		h = Hash(raw)
	}
	return h, ok
}

func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// start returns the running hash before the first entry of a segment; links names
// the heads that the segment continues, and is empty for the first.
func start(segment int64, links string) Hash {
	m := appendText(nil, "keyward audit segment 1")
	return sha256.Sum256(appendText(appendInt(m, segment), links))
}

// Row is an entry as stored in the database.
type Row struct {
	audit.Entry
	// Fault says what is wrong with columns not in the entry (such as a case-folded copy
	// that does not match), or with types.
	Fault string
}

// Store keeps the chain beside the entries.
type Store interface {
	// AuditAfter is that of audit.Store.
	AuditAfter(ctx context.Context, after int64, limit int) ([]audit.Entry, error)
	// AuditRows returns at most limit entries with IDs from from on, ascending, and
	// their faults, for verification.
	AuditRows(ctx context.Context, from int64, limit int) ([]Row, error)
	// LastAuditBatch returns NotFound if there is none.
	LastAuditBatch(ctx context.Context) (Batch, error)
	// AuditBatches returns at most limit batches with IDs above after, ascending.
	AuditBatches(ctx context.Context, after int64, limit int) ([]Batch, error)
	// InsertAuditBatch adds a batch if last is still the last one (zero: if there is
	// none), and reports whether it did.
	InsertAuditBatch(ctx context.Context, last, b Batch) (bool, error)
	// UnsealedAudit counts the entries with IDs above after; oldest is the time of the
	// first, zero if there is none.
	UnsealedAudit(ctx context.Context, after int64) (count int64, oldest time.Time, err error)
}
