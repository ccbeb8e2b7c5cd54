package piv

import (
	"encoding/hex"
	"slices"
)

// Slot is a key slot (NIST SP 800-73-4, part 1, table 4b).
type Slot string

// The slots that Keyward uses. Authentication is the default.
const (
	Authentication     Slot = "9a"
	Signature          Slot = "9c"
	KeyManagement      Slot = "9d"
	CardAuthentication Slot = "9e"
)

// Slots lists them in display order.
var Slots = []Slot{Authentication, Signature, KeyManagement, CardAuthentication}

// Valid reports whether s is one of the four.
func (s Slot) Valid() bool { return slices.Contains(Slots, s) }

// Reference returns the key reference in commands; 0 if there is no such slot.
func (s Slot) Reference() byte {
	if b, err := hex.DecodeString(string(s)); err == nil && len(b) == 1 {
		return b[0]
	}
	return 0
}

// CertificateObject returns the data object of the slot's certificate (NIST SP
// 800-73-4, part 1, table 3); 0 if there is no such slot.
func (s Slot) CertificateObject() uint32 {
	return map[Slot]uint32{
		Authentication: 0x5FC105, Signature: 0x5FC10A, KeyManagement: 0x5FC10B, CardAuthentication: 0x5FC101,
	}[s]
}

// PINPolicies are the names of a key's PIN policies, indexed by their number in
// commands and metadata (Yubico).
var PINPolicies = []string{"default", "never", "once", "always", "match_once", "match_always"}

// TouchPolicies are the names of a key's touch policies, likewise.
var TouchPolicies = []string{"default", "never", "always", "cached"}
