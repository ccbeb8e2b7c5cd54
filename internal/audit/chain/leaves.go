package chain

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
)

// MaxBatch is the most entries a batch can have.
const MaxBatch = 1000

// markSize is how many bytes of a leaf a batch stores. They identify the entry that
// does not match; the running hash covers the whole leaf.
const markSize = 16

// Mark is what is stored of one entry: its ID and the beginning of its leaf.
type Mark struct {
	ID  int64
	Sum [markSize]byte
}

// MarkOf returns the mark of an entry with this leaf.
func MarkOf(id int64, leaf Hash) Mark { return Mark{id, [markSize]byte(leaf[:markSize])} }

var errLeaves = errors.New("its leaves are not of their form")

// encodeLeaves writes marks as base64 of, for each, the difference of its ID from
// the previous one (unsigned LEB128) and its bytes. after is the last ID of the
// previous batch.
func encodeLeaves(marks []Mark, after int64) string {
	raw := make([]byte, 0, len(marks)*(markSize+1))
	for _, m := range marks {
		raw = binary.AppendUvarint(raw, uint64(m.ID-after))
		raw = append(raw, m.Sum[:]...)
		after = m.ID
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// decodeLeaves reads only the canonical output of encodeLeaves: every list of marks has one form.
func decodeLeaves(text string, after, count int64) ([]Mark, error) {
	if count < 0 || count > MaxBatch || len(text) > base64.StdEncoding.EncodedLen(MaxBatch*(markSize+binary.MaxVarintLen64)) {
		return nil, errLeaves
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || base64.StdEncoding.EncodedLen(len(raw)) != len(text) { // the decoder skips line breaks
		return nil, errLeaves
	}
	marks := make([]Mark, 0, count)
	for range count {
		delta, n := binary.Uvarint(raw)
		switch {
		case n <= 0 || n > 1 && raw[n-1] == 0: // too short, too long, or padded
			return nil, errLeaves
		case delta == 0 || delta > math.MaxInt64 || len(raw) < n+markSize:
			return nil, errLeaves
		case after > math.MaxInt64-int64(delta):
			return nil, errLeaves
		}
		after += int64(delta)
		marks = append(marks, Mark{after, [markSize]byte(raw[n : n+markSize])})
		raw = raw[n+markSize:]
	}
	if len(raw) > 0 {
		return nil, errLeaves
	}
	return marks, nil
}
