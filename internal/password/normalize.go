package password

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/keyward/keyward/internal/secret"
)

// Normalize puts a password into the form in which it is hashed and counted:
// that of the OpaqueString profile (RFC 8265, section 4.2.2), with ASCII spaces
// and in Unicode normalization form C. One keyboard sends é as one code point,
// another as two; the person typed the same.
func Normalize(password secret.String) secret.String {
	text := password.Reveal()
	if isASCII(text) || !utf8.ValidString(text) {
		return password // the policy refuses invalid UTF-8
	}
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	}, text)
	return secret.New(norm.NFC.String(text))
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}
