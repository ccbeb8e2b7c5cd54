package signon

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/keyward/keyward/internal/user"
)

// maxUsername is the contract's bound of usernames that are no email.
const maxUsername = 64

// tries is how many numbered usernames are tried.
const tries = 50

// usernames are the names to try for a new account: that of the claim made
// valid, then numbered, then the email.
func usernames(claimed, email string) []string {
	if strings.EqualFold(claimed, email) {
		return []string{email}
	}
	name := plain(claimed)
	if name == "" {
		return []string{email}
	}
	var out []string
	if !user.Reserved(name) {
		out = append(out, name)
	}
	for n := 2; n <= tries; n++ {
		suffix := "-" + strconv.Itoa(n)
		out = append(out, name[:min(len(name), maxUsername-len(suffix))]+suffix)
	}
	return append(out, email)
}

// plain makes a username of letters, digits, dots, dashes and underscores:
// marks are dropped (Zoë is Zoe), everything else becomes a dash. Of an email
// address the part before the @ is taken.
func plain(claimed string) string {
	if local, _, found := strings.Cut(claimed, "@"); found {
		claimed = local
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(claimed) {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		default:
			b.WriteByte('-')
		}
		if b.Len() >= maxUsername {
			break
		}
	}
	return strings.Trim(b.String(), "-.")
}
