package signon

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/keyward/keyward/internal/account"
)

// tries is how many numbered usernames are tried.
const tries = 50

// usernames returns the names to try for a new account: the claim made valid,
// then numbered, then the email. Emails too long for a username are left out.
func usernames(claimed, email string) []string {
	var own []string
	if len(email) <= account.MaxUsername {
		own = []string{email}
	}
	if own != nil && strings.EqualFold(claimed, email) {
		return own
	}
	name := account.PlainUsername(claimed)
	if name == "" && own != nil {
		return own
	}
	name = cmp.Or(name, account.PlainUsername(email), "user")
	var out []string
	if !account.Reserved(name) {
		out = append(out, name)
	}
	for n := 2; n <= tries; n++ {
		suffix := "-" + strconv.Itoa(n)
		out = append(out, name[:min(len(name), account.MaxUsername-len(suffix))]+suffix)
	}
	return append(out, own...)
}
