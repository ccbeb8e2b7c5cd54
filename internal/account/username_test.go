package account

import (
	"strings"
	"testing"
)

// TestUsernameOf: a username made from an email fits a common name, and is not reserved
// for the audit log.
func TestUsernameOf(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 55) + ".example.org"
	for email, want := range map[string]string{
		"nina@example.org":                       "nina@example.org",
		"nina.o'neil@" + long:                    "nina.o-neil",
		"system@" + long:                         "system-2",
		"'@" + long:                              "",
		strings.Repeat("n", 64) + "@example.org": strings.Repeat("n", 64),
		strings.Repeat("n", 52) + "@example.org": strings.Repeat("n", 52) + "@example.org",
	} {
		if got := usernameOf(email); got != want {
			t.Errorf("%s: %q, want %q", email, got, want)
		}
	}
	for _, name := range []string{strings.Repeat("n", 65), strings.Repeat("n", 53) + "@example.org"} {
		bad := checkNames(NewUser{Username: name, Email: strings.Repeat("n", 53) + "@example.org"})
		if len(bad) != 1 || bad[0].Code != "bad_username" {
			t.Errorf("%s: %v", name, bad)
		}
	}
}
