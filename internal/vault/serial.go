package vault

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
)

// MaxSerial is the longest certificate serial number in bytes (RFC 5280,
// section 4.1.2.2).
const MaxSerial = 20

// ParseSerial returns the big-endian bytes of a serial number in the form of Issued.Serial:
// lower-case hex of even length, no leading 00, 1 to 20 bytes. Anything else is ErrInvalid.
func ParseSerial(serial string) ([]byte, error) {
	if serial == "" || len(serial)%2 != 0 || len(serial) > 2*MaxSerial {
		return nil, fmt.Errorf("%w: a serial number is 1 to %d bytes in hex", ErrInvalid, MaxSerial)
	}
	for i := range len(serial) {
		if c := serial[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return nil, fmt.Errorf("%w: a serial number is lower-case hex without separators", ErrInvalid)
		}
	}
	b, err := hex.DecodeString(serial)
	if err != nil || b[0] == 0 {
		return nil, fmt.Errorf("%w: a serial number has no leading zero byte", ErrInvalid)
	}
	return b, nil
}

// CanonicalSerial converts a serial number copied from another program, in upper case or with
// colons between its bytes, to that form.
func CanonicalSerial(text string) string { return strings.ToLower(strings.ReplaceAll(text, ":", "")) }

// SerialOf is a certificate's serial number in that form.
func SerialOf(number *big.Int) string { return hex.EncodeToString(number.Bytes()) }

// Valid reports whether the reason is one that Keyward uses.
func (r Reason) Valid() bool {
	switch r {
	case Unspecified, KeyCompromise, CACompromise, AffiliationChanged, Superseded,
		CessationOfOperation, PrivilegeWithdrawn, AACompromise:
		return true
	}
	return false
}
