package embedded

import (
	"encoding/binary"
	"math/bits"
)

// setSum authenticates the set of all records: the sum, modulo 2^128, of a secret keyed hash of
// each, and their number. Removing or adding a record, or replacing it with an older version,
// changes the sum. The hashes and the sum never leave the vault in the clear, so nobody without the
// key can choose records whose sum matches (an additive multiset hash: Clarke et al., "Incremental
// Multiset Hash Functions", 2003).
type setSum struct {
	hi, lo uint64
	count  uint64
}

func (s *setSum) add(m [32]byte) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, binary.BigEndian.Uint64(m[24:]), 0)
	s.hi, _ = bits.Add64(s.hi, binary.BigEndian.Uint64(m[16:]), carry)
	s.count++
}

func (s *setSum) remove(m [32]byte) {
	var borrow uint64
	s.lo, borrow = bits.Sub64(s.lo, binary.BigEndian.Uint64(m[24:]), 0)
	s.hi, _ = bits.Sub64(s.hi, binary.BigEndian.Uint64(m[16:]), borrow)
	s.count--
}

func (s setSum) encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, s.hi)
	b = binary.BigEndian.AppendUint64(b, s.lo)
	return binary.BigEndian.AppendUint64(b, s.count)
}

func parseSetSum(b []byte) (setSum, error) {
	if len(b) != 24 {
		return setSum{}, tampered("the set sum is malformed")
	}
	return setSum{
		hi:    binary.BigEndian.Uint64(b),
		lo:    binary.BigEndian.Uint64(b[8:]),
		count: binary.BigEndian.Uint64(b[16:]),
	}, nil
}
