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

// ParseYubiKeySerial reads the number that a YubiKey has for a serial in its
// one canonical form: one with a leading zero would name the same token
// twice.
func ParseYubiKeySerial(s string) (number uint32, ok bool) {
	n, err := strconv.ParseUint(s, 10, 32)
	return uint32(n), err == nil && n > 0 && strconv.FormatUint(n, 10) == s
}
