package piv

import (
	"strings"

	"github.com/keyward/keyward/internal/secret"
)

// Field is one of a token's three secrets.
type Field string

// The fields, as the contract names them.
const (
	PIN           Field = "pin"
	PUK           Field = "puk"
	ManagementKey Field = "management_key"
)

// Fields lists them in the order of changing them on a card.
var Fields = []Field{ManagementKey, PUK, PIN}

// Names joins fields with commas.
func Names(fields []Field) string {
	texts := make([]string, len(fields))
	for i, f := range fields {
		texts[i] = string(f)
	}
	return strings.Join(texts, ",")
}

// Valid reports whether f is one of the three.
func (f Field) Valid() bool { return f == PIN || f == PUK || f == ManagementKey }

// Values of a YubiKey from the factory and after a reset (Yubico, "PIV Tool:
// default values"). They are public knowledge.
const (
	FactoryPIN           = "123456"
	FactoryPUK           = "12345678"
	FactoryManagementKey = "010203040506070801020304050607080102030405060708"
)

// Factory returns the field's factory value.
func (f Field) Factory() secret.String {
	switch f {
	case PIN:
		return secret.New(FactoryPIN)
	case PUK:
		return secret.New(FactoryPUK)
	default:
		return secret.New(FactoryManagementKey)
	}
}
