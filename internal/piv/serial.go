package piv

import (
	"regexp"
	"strconv"
	"strings"
)

var serial = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z-]{3,63}$`)

// ValidSerial reports whether s may be a token's recorded serial (contract, "Identifiers").
func ValidSerial(s string) bool { return serial.MatchString(s) && SerialKey(s) != "license" }

// SerialKey returns the same for serials that differ only in case: they name one token.
func SerialKey(s string) string { return strings.ToLower(s) }

// CanonicalSerial returns the form in which a new token's serial is recorded: a decimal
// one without leading zeros, as ykman, the agent and attestations write it.
func CanonicalSerial(s string) string {
	if strings.Trim(s, "0123456789") != "" {
		return s
	}
	return strings.TrimLeft(s, "0")
}

// SameSerial reports whether both name the same new token, ignoring case and leading zeros.
func SameSerial(a, b string) bool {
	return SerialKey(CanonicalSerial(a)) == SerialKey(CanonicalSerial(b))
}

// ParseYubiKeySerial reads a YubiKey's serial number in its only canonical
// form: one with a leading zero would be a second name for the same token.
func ParseYubiKeySerial(s string) (number uint32, ok bool) {
	n, err := strconv.ParseUint(s, 10, 32)
	return uint32(n), err == nil && n > 0 && strconv.FormatUint(n, 10) == s
}
