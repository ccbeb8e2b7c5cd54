package chain

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/keyward/keyward/internal/audit"
)

// encodingVersion is the first byte of an encoded entry. Any other encoding must get
// another number, so that old leaves stay valid.
const encodingVersion = 1

// Hash is a SHA-256 value: a leaf, or a link of the chain.
type Hash [sha256.Size]byte

// AppendEntry appends the canonical encoding of an entry: the version, then all
// columns in table order. No two entries have the same encoding.
//
//	integer           8 bytes, big endian, two's complement
//	integer or null   00, or 01 and the integer
//	text              4 bytes length, big endian, and the bytes
func AppendEntry(b []byte, e *audit.Entry) []byte {
	b = append(b, encodingVersion)
	b = appendInt(b, e.ID)
	b = appendInt(b, e.At.UnixMicro())
	b = appendText(b, string(e.Action))
	b = appendText(b, string(e.Outcome))
	b = appendOptional(b, e.ActorID)
	b = appendText(b, e.Actor)
	b = appendOptional(b, e.OrganizationID)
	b = appendText(b, e.TargetType)
	b = appendText(b, e.TargetID)
	b = appendText(b, e.Hostname)
	b = appendText(b, e.IPAddress)
	b = appendText(b, e.RequestID)
	b = appendText(b, e.Reason)
	b = appendText(b, e.Details)
	b = appendText(b, e.FileName)
	b = appendText(b, e.BackupType)
	b = appendOptional(b, e.DurationMS)
	return appendOptional(b, e.SizeBytes)
}

func appendInt(b []byte, n int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(n)) }

func appendText(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
}

func appendOptional(b []byte, n *int64) []byte {
	if n == nil {
		return append(b, 0)
	}
	return appendInt(append(b, 1), *n)
}

// hasher computes leaves, reusing its buffer.
type hasher struct{ buf []byte }

func (h *hasher) leaf(e *audit.Entry) Hash {
	h.buf = AppendEntry(h.buf[:0], e)
	return sha256.Sum256(h.buf)
}

// Leaf returns the hash of an entry's canonical encoding.
func Leaf(e *audit.Entry) Hash {
	var h hasher
	return h.leaf(e)
}

func link(previous, leaf Hash) Hash {
	var both [2 * sha256.Size]byte
	copy(both[:], previous[:])
	copy(both[sha256.Size:], leaf[:])
	return sha256.Sum256(both[:])
}
