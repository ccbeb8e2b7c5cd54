package account

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MaxUsername is the maximum length of a username: it becomes a common name (RFC 5280,
// appendix A.1, ub-common-name), even if it is the account's email.
const MaxUsername = 64

var username = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// PlainUsername derives a username of letters, digits, dots, dashes and underscores from
// a name used elsewhere: marks are dropped (Zoë becomes Zoe), everything else becomes a
// dash. Of an email address it takes the part before the @. Empty: nothing is left.
func PlainUsername(called string) string {
	if local, _, found := strings.Cut(called, "@"); found {
		called = local
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(called) {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		default:
			b.WriteByte('-')
		}
		if b.Len() >= MaxUsername {
			break
		}
	}
	return strings.Trim(b.String(), "-.")
}

// usernameOf returns the username of an account created without one: its email, or the
// part before the @ if that is too long. Empty: nothing usable is left.
func usernameOf(email string) string {
	if len(email) <= MaxUsername {
		return email
	}
	name := PlainUsername(email)
	if Reserved(name) {
		name += "-2"
	}
	return name
}
