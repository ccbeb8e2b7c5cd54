// Package secret has a string type that cannot be printed. PINs, PUKs,
// management keys, passwords and bearer tokens use it throughout Keyward, so
// that no log line, error or JSON answer shows one by accident.
package secret

import (
	"crypto/subtle"
	"fmt"
	"log/slog"
	"strings"
)

const redacted = "[redacted]"

// String is a secret text. Its zero value is the empty secret.
type String struct{ value string }

// New wraps a text as a secret.
func New(value string) String { return String{value} }

// Reveal returns the text. Reviews should look at every call.
func (s String) Reveal() string { return s.value }

// Empty reports whether there is no secret.
func (s String) Empty() bool { return s.value == "" }

// Equal compares in constant time (for equal lengths).
func (s String) Equal(other String) bool {
	return subtle.ConstantTimeCompare([]byte(s.value), []byte(other.value)) == 1
}

// String hides the text.
func (s String) String() string { return redacted }

// GoString hides the text from %#v.
func (s String) GoString() string { return redacted }

// Format hides the text from every verb.
func (s String) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// LogValue hides the text from slog.
func (s String) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText hides the text from JSON and every other encoder.
func (s String) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// UnmarshalText reads a secret from a request or a setting.
func (s *String) UnmarshalText(text []byte) error {
	s.value = string(text)
	return nil
}

// Fixed is a source of a secret that never changes.
func Fixed(value string) func() (String, error) {
	return func() (String, error) { return New(value), nil }
}

// Lines are the secrets of a text with one per line. While a secret is being replaced, the former one
// and the new one are there, the new one last.
func (s String) Lines() (all []String) {
	for line := range strings.SplitSeq(s.value, "\n") {
		if line = strings.TrimSuffix(line, "\r"); strings.TrimSpace(line) != "" {
			all = append(all, New(line))
		}
	}
	return all
}
