package account

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/keyward/keyward/internal/textinput"
)

const maxName = 128 // characters of a person's name

// KnownName returns a person's name as another system reports it, or "" if it is not
// one line of text.
func KnownName(text string) string {
	text = cleanName(text)
	if !textinput.ValidLine(text, maxName) {
		return ""
	}
	return text
}

func cleanName(text string) string { return norm.NFC.String(strings.TrimSpace(text)) }

// ValidEmail reports whether text can be an account's email: an addr-spec of
// RFC 5322 in ASCII, at most 254 bytes, without display name, comments or
// quoting, because certificates contain it.
func ValidEmail(text string) bool { return validEmail(text) }

// MailAddress returns where mail reaches an account: its email, or "" for one at
// localhost, such as the first administrator's until someone changes it.
func MailAddress(email string) string {
	if strings.HasSuffix(strings.ToLower(email), "@localhost") {
		return ""
	}
	return email
}
