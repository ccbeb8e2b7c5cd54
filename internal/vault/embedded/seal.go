package embedded

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/keyward/keyward/internal/durable"
	"github.com/keyward/keyward/internal/secret"
)

// keySize is the size of every symmetric key, in bytes: AES-256.
const keySize = 32

// Seal holds the key-encryption key of a vault, which is never stored in the vault's own file.
//
// During a change of the key, it holds several, one per line, the new one last. A vault that an earlier
// one opens is wrapped under the last (Reseal). So at no moment is there a vault without its key.
type Seal interface {
	// Kind is written into the vault, to distinguish the wrong kind of seal from a wrong key.
	Kind() string
	// Create returns the key of a new vault, with parameters to keep beside it in the clear. A key
	// that must be stored is durable when Create returns.
	Create(ctx context.Context) (key, params []byte, err error)
	// Keys returns the keys that may open an existing vault with these parameters, in their order. It
	// never makes a new one.
	Keys(ctx context.Context, params []byte) ([]Key, error)
	// Settle forgets all keys but the last, if their file is Keyward's own and that is its last one.
	Settle(last []byte) error
}

// Key is a line of a seal.
type Key struct {
	Key   []byte // empty: it is none, or too short a passphrase
	Whole bool   // it is the text of all lines, which is no list if it opens the vault
}

// Kinds of seal. A raw key has the same kind wherever it comes from, so that it may move from a
// file to the environment.
const (
	kindKey        = "key"
	kindPassphrase = "passphrase"
)

type fileSeal struct{ path string }

// FileSeal keeps the key in a file (mode 0600, 64 hex digits and a newline), created with the vault
// if it does not exist. Keep it on another disk than the vault's file and its backups: both
// together open everything.
func FileSeal(path string) Seal { return fileSeal{path} }

func (fileSeal) Kind() string { return kindKey }

func (s fileSeal) Create(ctx context.Context) (key, params []byte, err error) {
	key, _, err = lastKey(s.Keys(ctx, nil))
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return key, nil, err
	}
	if err := makeDir(filepath.Dir(s.path)); err != nil {
		return nil, nil, err
	}
	line := NewKey()
	if err := durable.Create(s.path, []byte(line.Reveal()+"\n")); err != nil {
		if errors.Is(err, fs.ErrExist) { // another process was faster
			return lastKey(s.Keys(ctx, nil))
		}
		return nil, nil, err
	}
	key, err = parseKey(line.Reveal())
	return key, nil, err
}

// NewKey returns a key in the form of a seal key's file: 64 hex digits.
func NewKey() secret.String {
	key := make([]byte, keySize)
	_, _ = rand.Read(key)
	return secret.New(hex.EncodeToString(key))
}

func (s fileSeal) Keys(context.Context, []byte) ([]Key, error) {
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the seal key file is missing: restore it from your copy: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("the seal key file can't be read: %w", err)
	}
	defer clear(text)
	keys := parseKeys(secret.New(string(text)))
	if len(keys) == 0 {
		return nil, fmt.Errorf("the seal key file does not contain a key of 64 hex digits: restore it from your copy")
	}
	return keys, nil
}

func (s fileSeal) Settle(last []byte) error {
	path, err := filepath.EvalSymlinks(s.path)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	defer clear(text)
	all := secret.New(string(text)).Lines()
	if len(all) == 0 {
		return errors.New("it is empty")
	}
	final := all[len(all)-1].Reveal()
	if key, err := parseKey(strings.TrimSpace(final)); err != nil || !bytes.Equal(key, last) {
		return errors.New("it has changed meanwhile")
	}
	return durable.Replace(path, []byte(final+"\n"), 0o600)
}

type keySeal struct{ read func() (secret.String, error) }

// KeySeal takes the key itself, for example from the environment: 32 bytes
// as 64 hex digits or as base64.
func KeySeal(read func() (secret.String, error)) Seal { return keySeal{read} }

func (keySeal) Kind() string { return kindKey }

func (s keySeal) Create(ctx context.Context) (key, params []byte, err error) {
	return lastKey(s.Keys(ctx, nil))
}

func (s keySeal) Keys(context.Context, []byte) ([]Key, error) {
	text, err := s.read()
	if err != nil {
		return nil, err
	}
	keys := parseKeys(text)
	switch {
	case text.Empty():
		return nil, errors.New("no seal key is set")
	case len(keys) == 0:
		return nil, errors.New("the seal key is not 32 bytes as 64 hex digits or base64")
	}
	return keys, nil
}

func (keySeal) Settle([]byte) error { return nil }

// lastKey is that of a new vault.
func lastKey(keys []Key, err error) (key, params []byte, _ error) {
	if err != nil {
		return nil, nil, err
	}
	if key = keys[len(keys)-1].Key; len(key) == 0 {
		return nil, nil, errors.New("the last line is not 32 bytes as 64 hex digits or base64")
	}
	return key, nil, nil
}

// parseKeys reads a key per line; none if no line is one.
func parseKeys(text secret.String) (keys []Key) {
	found := false
	for _, line := range text.Lines() {
		key, err := parseKey(strings.TrimSpace(line.Reveal()))
		found = found || err == nil
		keys = append(keys, Key{Key: key})
	}
	if !found {
		return nil
	}
	return keys
}

// parseKey reads 32 bytes as hex or base64. Its error reveals nothing of them.
func parseKey(text string) ([]byte, error) {
	if len(text) == hex.EncodedLen(keySize) {
		if key, err := hex.DecodeString(text); err == nil {
			return key, nil
		}
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if key, err := enc.Strict().DecodeString(text); err == nil && len(key) == keySize {
			return key, nil
		}
	}
	return nil, errors.New("not a key")
}
