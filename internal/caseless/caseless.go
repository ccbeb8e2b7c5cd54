// Package caseless compares texts ignoring case and the ways in which Unicode
// writes the same character.
package caseless

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold gives the form in which texts that differ in case alone are equal:
// normalised (NFC), case folded, and normalised again, since folding can
// undo the first (Unicode Standard, section 3.13, "Caseless Matching").
func Fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
