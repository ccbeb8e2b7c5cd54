package user

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MaxUsername is how long a username may be: it becomes a common name (RFC 5280, appendix
// A.1, ub-common-name), also where it is the account's email.
const MaxUsername = 64

var username = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// PlainUsername makes a username of letters, digits, dots, dashes and underscores of what
// somebody is called elsewhere: marks are dropped (Zoë is Zoe), everything else becomes a
// dash. Of an email address the part before the @ is taken. Empty: nothing is left.
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

// usernameOf is the username of an account that is given none: its email, or its beginning
// where that is too long. Empty: it has none to give.
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
