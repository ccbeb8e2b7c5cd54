package password

import (
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/keyward/keyward/internal/secret"
)

// Random returns a password of 24 letters and digits (139 bits) for a first
// sign-in. It must be changed at once, so it need not follow the policy.
func Random() (secret.String, error) {
	const alphabet = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789" // 56, without look-alikes
	var out strings.Builder
	for out.Len() < 24 {
		var b [1]byte
		if _, err := rand.Read(b[:]); err != nil {
			return secret.String{}, fmt.Errorf("random password: %w", err)
		}
		if int(b[0]) < 256/len(alphabet)*len(alphabet) {
			out.WriteByte(alphabet[int(b[0])%len(alphabet)])
		}
	}
	return secret.New(out.String()), nil
}
