package archive

import (
	"fmt"
	"runtime/debug"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/secret"
)

// Length of an encryption password in characters (contract, "Backup and restore").
const (
	MinPassword = 12
	MaxPassword = 1024
)

// Costs of Argon2id, version 1.3 (specification, "Backup file").
const (
	kdfPasses    = 3
	kdfMemoryKiB = 64 << 10
	kdfThreads   = 4
	keyBytes     = 32
)

// Password encrypts backups. It is in the form of RFC 8265 (NFC, plain spaces), so
// that any keyboard types the same one. It does not print itself.
type Password struct{ text secret.String }

// NewPassword takes a password for new backups. InvalidRequest, about the field
// encryption_password, unless it is UTF-8 of MinPassword to MaxPassword characters.
func NewPassword(text secret.String) (Password, error) {
	p := TypedPassword(text)
	return p, p.check()
}

// TypedPassword takes a password to open a backup: the rule does not apply, since a
// backup may be older than it.
func TypedPassword(text secret.String) Password { return Password{password.Normalize(text)} }

func (p Password) check() error {
	text := p.text.Reveal()
	if n := utf8.RuneCountInString(text); n < MinPassword || n > MaxPassword || !utf8.ValidString(text) {
		return fault.Invalid(fault.BadLength("encryption_password", MinPassword, MaxPassword))
	}
	return nil
}

// Format hides the password from every verb.
func (p Password) Format(f fmt.State, verb rune) { p.text.Format(f, verb) }

// deriver derives the 32-byte key for a salt.
type deriver func(salt []byte) []byte

// derive is the deriver of a password. It takes 64 MiB and about 0.2 s of CPU time.
func (p Password) derive(salt []byte) []byte {
	text := []byte(p.text.Reveal())
	defer clear(text)
	debug.FreeOSMemory() // do not keep earlier garbage beside them
	key := argon2.IDKey(text, salt, kdfPasses, kdfMemoryKiB, kdfThreads, keyBytes)
	debug.FreeOSMemory() // otherwise the next derivation adds to it, until the next collection
	return key
}
