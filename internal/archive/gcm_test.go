package archive_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"math/rand/v2"
	"testing"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/test/must"
)

// TestPiecesMakeOneGCM: sealing in pieces equals, byte for byte, sealing the whole
// with the standard library.
func TestPiecesMakeOneGCM(t *testing.T) {
	t.Parallel()
	random := rand.NewChaCha8([32]byte{1})
	sizes := []int{0, 1, 15, 16, 17, 31, 4096}
	for _, whole := range []int{1, 2, 3, 7} {
		for _, beside := range []int{-17, -16, -1, 0, 1, 16, 12345} {
			sizes = append(sizes, whole*archive.PieceBytes+beside)
		}
	}
	for _, size := range sizes {
		key, nonce, message := make([]byte, 32), make([]byte, 12), make([]byte, size)
		for _, b := range [][]byte{key, nonce, message} {
			_, _ = random.Read(b)
		}
		block := must.Get(aes.NewCipher(key))(t)
		want := must.Get(cipher.NewGCM(block))(t).Seal(nil, nonce, message, nil)
		if got := must.Get(archive.NewGCM(key, nonce))(t).Seal(message); !bytes.Equal(got, want) {
			t.Errorf("%d bytes: another ciphertext, or tag %x instead of %x", size, got[size:], want[size:])
		}
	}
}
