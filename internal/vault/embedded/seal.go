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
type Seal interface {
	// Kind is written into the vault, to distinguish the wrong kind of seal from a wrong key.
	Kind() string
	// Create returns the key of a new vault, with parameters to keep beside it in the clear. A key
	// that must be stored is durable when Create returns.
	Create(ctx context.Context) (key, params []byte, err error)
	// Key returns the key of an existing vault. It never makes a new one.
	Key(ctx context.Context, params []byte) ([]byte, error)
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
	key, err = s.Key(ctx, nil)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return key, nil, err
	}
	if err := makeDir(filepath.Dir(s.path)); err != nil {
		return nil, nil, err
	}
	key = make([]byte, keySize)
	_, _ = rand.Read(key)
	if err := durable.Create(s.path, []byte(hex.EncodeToString(key)+"\n")); err != nil {
		if errors.Is(err, fs.ErrExist) { // another process was faster
			key, err = s.Key(ctx, nil)
		}
		return key, nil, err
	}
	return key, nil, nil
}

func (s fileSeal) Key(context.Context, []byte) ([]byte, error) {
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the seal key file is missing: restore it from your copy: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("the seal key file can't be read: %w", err)
	}
	defer clear(text)
	key, err := parseKey(string(bytes.TrimSpace(text)))
	if err != nil {
		return nil, fmt.Errorf("the seal key file does not contain a key of 64 hex digits: restore it from your copy")
	}
	return key, nil
}

type keySeal struct{ key secret.String }

// KeySeal takes the key itself, for example from the environment: 32 bytes
// as 64 hex digits or as base64.
func KeySeal(key secret.String) Seal { return keySeal{key} }

func (keySeal) Kind() string { return kindKey }

func (s keySeal) Create(ctx context.Context) (key, params []byte, err error) {
	key, err = s.Key(ctx, nil)
	return key, nil, err
}

func (s keySeal) Key(context.Context, []byte) ([]byte, error) {
	if s.key.Empty() {
		return nil, errors.New("no seal key is set")
	}
	key, err := parseKey(strings.TrimSpace(s.key.Reveal()))
	if err != nil {
		return nil, errors.New("the seal key is not 32 bytes as 64 hex digits or base64")
	}
	return key, nil
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
