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

type passphraseSeal struct{ read func() (secret.String, error) }

// PassphraseSeal derives the key from a passphrase of at least 12 characters
// with Argon2id.
func PassphraseSeal(read func() (secret.String, error)) Seal { return passphraseSeal{read} }

func (passphraseSeal) Kind() string { return kindPassphrase }

func (s passphraseSeal) Create(context.Context) (key, params []byte, err error) {
	text, err := s.text()
	if err != nil {
		return nil, nil, err
	}
	if tooShort(text) {
		return nil, nil, errors.New("the vault's passphrase needs at least 12 characters")
	}
	k := newKDF()
	return k.derive(text), k.encode(), nil
}

func tooShort(passphrase secret.String) bool {
	return utf8.RuneCountInString(passphrase.Reveal()) < minPassphrase
}

func (s passphraseSeal) Keys(_ context.Context, params []byte) (keys []Key, err error) {
	text, err := s.text()
	if err != nil {
		return nil, err
	}
	k, err := parseKDF(params)
	if err != nil {
		return nil, err
	}
	all := text.Lines()
	if len(all) == 0 || !text.Equal(all[0]) { // a passphrase may have line breaks
		keys = append(keys, Key{Key: k.derive(text), Whole: true})
	}
	for i, passphrase := range all {
		next := Key{}
		if i == 0 || !tooShort(passphrase) {
			next.Key = k.derive(passphrase)
		}
		keys = append(keys, next)
	}
	return keys, nil
}

func (passphraseSeal) Settle([]byte) error { return nil }

func (s passphraseSeal) text() (secret.String, error) {
	text, err := s.read()
	if err == nil && text.Empty() {
		err = errors.New("no passphrase is set for the vault")
	}
	return text, err
}

func (k kdf) derive(passphrase secret.String) []byte {
	return argon2.IDKey([]byte(passphrase.Reveal()), k.salt[:], k.time, k.memory, k.threads, keySize)
}
