package archive

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
)

// Sizes of AES-GCM in bytes, and of the pieces in which files are processed.
const (
	nonceBytes = 12
	tagBytes   = 16
	blockBytes = 16
	pieceBytes = 64 << 10
)

// gcm is AES-256-GCM without additional data (NIST SP 800-38D), in pieces. The
// standard library only seals whole messages, and a backup may be as large as memory.
//
// The key stream is plain CTR. The tag is E(J0) + S, where S is GHASH of the
// ciphertext and its length: a polynomial in H with 128-bit coefficients, so S of
// the whole follows from S of the pieces. S of a piece is derived from the
// library's tag with the piece as additional data and no plaintext, by removing
// the contribution of these lengths. What remains is one multiplication a piece.
type gcm struct {
	aead  cipher.AEAD
	block cipher.Block
	nonce []byte

	h, mask element // H = E(0), E(J0)
	power   element // H^(blocks of a full piece)

	sum  element // GHASH of the pieces so far, before the length and the last factor H
	size uint64  // bytes added
}

// newGCM takes a key of 32 bytes, which the caller may wipe afterwards, and a nonce of 12.
func newGCM(key, nonce []byte) (*gcm, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	g := &gcm{aead: aead, block: block, nonce: nonce}
	var b [blockBytes]byte
	block.Encrypt(b[:], b[:])
	g.h = load(b[:])
	b = g.counter(1)
	block.Encrypt(b[:], b[:])
	g.mask = load(b[:])
	g.power = g.h.power(pieceBytes / blockBytes)
	return g, nil
}

// counter returns a counter block: the nonce and 32 bits.
func (g *gcm) counter(n uint32) (b [blockBytes]byte) {
	copy(b[:], g.nonce)
	binary.BigEndian.PutUint32(b[nonceBytes:], n)
	return b
}

// stream returns the key stream from the message's first byte. Its counter has 128
// bits, GCM's has 32: they agree up to 64 GiB, far above MaxPayload.
func (g *gcm) stream() cipher.Stream {
	first := g.counter(2)
	return cipher.NewCTR(g.block, first[:])
}

// add takes the next piece of ciphertext: pieceBytes long, or shorter if it is the last.
func (g *gcm) add(piece []byte) {
	if len(piece) == 0 {
		return
	}
	var room [tagBytes]byte
	size := uint64(len(piece))
	tag := load(g.aead.Seal(room[:0], g.nonce, nil, piece))
	own := tag.plus(g.mask).plus(element{size * 8, 0}.times(g.h))
	power := g.power
	if len(piece) != pieceBytes {
		power = g.h.power((size + blockBytes - 1) / blockBytes)
	}
	g.sum = g.sum.times(power).plus(own)
	g.size += size
}

func (g *gcm) tag() []byte {
	t := g.sum.plus(element{0, g.size * 8}.times(g.h)).plus(g.mask)
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, t.high), t.low)
}

// element is an element of GF(2^128) in GCM's bit order: the highest bit of the
// first byte is the coefficient of x^0.
type element struct{ high, low uint64 }

func load(b []byte) element {
	return element{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}
}

func (a element) plus(b element) element { return element{a.high ^ b.high, a.low ^ b.low} }

// times is SP 800-38D, section 6.3, in constant time.
func (a element) times(b element) (product element) {
	shifted := a
	for i := range 128 {
		word := b.high
		if i >= 64 {
			word = b.low
		}
		take := -(word >> (63 - i%64) & 1) // all ones, or none
		product = product.plus(element{shifted.high & take, shifted.low & take})
		carry := -(shifted.low & 1) // x^128 = 1 + x + x^2 + x^7
		shifted = element{shifted.high>>1 ^ carry&(0xe1<<56), shifted.low>>1 | shifted.high<<63}
	}
	return product
}

func (a element) power(n uint64) element {
	result := element{1 << 63, 0} // 1
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result = result.times(a)
		}
		a = a.times(a)
	}
	return result
}
