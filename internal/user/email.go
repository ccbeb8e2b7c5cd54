package user

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/keyward/keyward/internal/oneline"
)

const maxName = 128 // characters of a person's name

// KnownName is a person's name as somebody else tells it; empty where it is no line of
// text.
func KnownName(text string) string {
	text = cleanName(text)
	if !oneline.Valid(text, maxName) {
		return ""
	}
	return text
}

func cleanName(text string) string { return norm.NFC.String(strings.TrimSpace(text)) }

// ValidEmail tells whether text can be an account's email: an addr-spec of
// RFC 5322 in ASCII, at most 254 bytes, without display name, comments or
// quoting, since it is to stand in certificates.
func ValidEmail(text string) bool { return validEmail(text) }

// MailAddress is where mail reaches an account: its email, or nothing for one at
// localhost, such as the first administrator has until somebody gives them another.
func MailAddress(email string) string {
	if strings.HasSuffix(strings.ToLower(email), "@localhost") {
		return ""
	}
	return email
}
