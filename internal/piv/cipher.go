package piv

// Cipher is a management key's algorithm, as token tools name it.
type Cipher string

// The ciphers of management keys.
const (
	TDES   Cipher = "TDES"
	AES128 Cipher = "AES128"
	AES192 Cipher = "AES192"
	AES256 Cipher = "AES256"
)

// KeyBytes returns the length of such a key, 0 for an unknown cipher.
func (c Cipher) KeyBytes() int {
	switch c {
	case TDES, AES192:
		return 24
	case AES128:
		return 16
	case AES256:
		return 32
	}
	return 0
}

// Identifier returns the cipher's number in commands (NIST SP 800-78-4, table
// 6-2), 0 for an unknown cipher.
func (c Cipher) Identifier() byte {
	return map[Cipher]byte{TDES: 0x03, AES128: 0x08, AES192: 0x0a, AES256: 0x0c}[c]
}

// CipherOf returns the cipher with that number, or "".
func CipherOf(identifier byte) Cipher {
	for _, c := range []Cipher{TDES, AES128, AES192, AES256} {
		if c.Identifier() == identifier {
			return c
		}
	}
	return ""
}
