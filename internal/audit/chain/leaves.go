package chain

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
)

// MaxBatch is how many entries a batch has at most.
const MaxBatch = 1000

// markSize is how many bytes of a leaf a batch keeps. They name the entry
// that does not fit; the running hash has the whole leaf.
const markSize = 16

// Mark is what is remembered of one entry: its id, and the begin of its leaf.
type Mark struct {
	ID  int64
	Sum [markSize]byte
}

// MarkOf makes the mark of an entry with this leaf.
func MarkOf(id int64, leaf Hash) Mark { return Mark{id, [markSize]byte(leaf[:markSize])} }

var errLeaves = errors.New("its leaves are not of their form")

// encodeLeaves writes marks as base64 of, for each, the distance of its id
// from the one before (unsigned LEB128) and its bytes. after is the last id
// of the batch before.
func encodeLeaves(marks []Mark, after int64) string {
	raw := make([]byte, 0, len(marks)*(markSize+1))
	for _, m := range marks {
		raw = binary.AppendUvarint(raw, uint64(m.ID-after))
		raw = append(raw, m.Sum[:]...)
		after = m.ID
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// decodeLeaves reads what encodeLeaves wrote, and nothing else: every list of
// marks has one form.
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
