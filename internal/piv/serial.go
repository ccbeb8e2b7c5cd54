package piv

import (
	"regexp"
	"strconv"
	"strings"
)

var serial = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z-]{3,63}$`)

// ValidSerial tells whether s may be a token's serial on record (contract,
// "Identifiers").
func ValidSerial(s string) bool { return serial.MatchString(s) && SerialKey(s) != "license" }

// SerialKey is the same for serials that differ by case alone: they name one
// token.
func SerialKey(s string) string { return strings.ToLower(s) }

// CanonicalSerial is the form in which a new token's serial goes on record: one of digits
// alone without leading zeros, as ykman, the agent and attestations write it.
func CanonicalSerial(s string) string {
	if strings.Trim(s, "0123456789") != "" {
		return s
	}
	return strings.TrimLeft(s, "0")
}

// SameSerial tells whether both name one new token, in any case and with zeros in front.
func SameSerial(a, b string) bool {
	return SerialKey(CanonicalSerial(a)) == SerialKey(CanonicalSerial(b))
}

// ParseYubiKeySerial reads the number that a YubiKey has for a serial in its
// one canonical form: one with a leading zero would name the same token
// twice.
func ParseYubiKeySerial(s string) (number uint32, ok bool) {
	n, err := strconv.ParseUint(s, 10, 32)
	return uint32(n), err == nil && n > 0 && strconv.FormatUint(n, 10) == s
}
