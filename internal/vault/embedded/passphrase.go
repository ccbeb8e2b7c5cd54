package embedded

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/keyward/keyward/internal/secret"
)

// minPassphrase is the shortest passphrase, in characters.
const minPassphrase = 12

// kdf are the parameters of Argon2id (RFC 9106), kept beside the wrapped key.
type kdf struct {
	time, memory uint32 // passes; KiB
	threads      uint8
	salt         [16]byte
}

// newKDF has the cost that the specification sets for backups ("Backup
// file"): 3 passes over 64 MiB by 4 lanes.
func newKDF() kdf {
	k := kdf{time: 3, memory: 64 << 10, threads: 4}
	_, _ = rand.Read(k.salt[:])
	return k
}

const kdfSize = 1 + 4 + 4 + 1 + 16

func (k kdf) encode() []byte {
	b := []byte{1}
	b = binary.BigEndian.AppendUint32(b, k.time)
	b = binary.BigEndian.AppendUint32(b, k.memory)
	b = append(b, k.threads)
	return append(b, k.salt[:]...)
}

// parseKDF reads the parameters. They are not authenticated before the key is derived, so the work
// that they demand is capped.
func parseKDF(b []byte) (kdf, error) {
	if len(b) != kdfSize || b[0] != 1 {
		return kdf{}, errors.New("the vault's passphrase parameters are malformed")
	}
	k := kdf{
		time:    binary.BigEndian.Uint32(b[1:]),
		memory:  binary.BigEndian.Uint32(b[5:]),
		threads: b[9],
		salt:    [16]byte(b[10:]),
	}
	if k.time < 1 || k.time > 16 || k.memory < 8<<10 || k.memory > 1<<20 || k.threads < 1 || k.threads > 16 {
		return kdf{}, errors.New("the vault's passphrase parameters are out of range")
	}
	return k, nil
}

type passphraseSeal struct{ passphrase secret.String }

// PassphraseSeal derives the key from a passphrase of at least 12 characters
// with Argon2id.
func PassphraseSeal(passphrase secret.String) Seal { return passphraseSeal{passphrase} }

func (passphraseSeal) Kind() string { return kindPassphrase }

func (s passphraseSeal) Create(context.Context) (key, params []byte, err error) {
	if utf8.RuneCountInString(s.passphrase.Reveal()) < minPassphrase {
		return nil, nil, errors.New("the vault's passphrase needs at least 12 characters")
	}
	k := newKDF()
	return s.derive(k), k.encode(), nil
}

func (s passphraseSeal) Key(_ context.Context, params []byte) ([]byte, error) {
	if s.passphrase.Empty() {
		return nil, errors.New("no passphrase is set for the vault")
	}
	k, err := parseKDF(params)
	if err != nil {
		return nil, err
	}
	return s.derive(k), nil
}

func (s passphraseSeal) derive(k kdf) []byte {
	return argon2.IDKey([]byte(s.passphrase.Reveal()), k.salt[:], k.time, k.memory, k.threads, keySize)
}
