// Package identity keeps the key that identifies an agent across restarts: one
// Ed25519 key per user, generated at the first start, in a file that nobody else
// may read, in a folder that nobody else may change.
//
// The key opens nothing and authorizes nothing. It signs the agent's RSA key
// (package agentkey), so that the server need not ask the person after each
// restart whether this is still their agent.
package identity

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/keyward/keyward/internal/durable"
	"github.com/keyward/keyward/internal/hardening"
)

const (
	fileName = "agent-identity.pem"
	maxFile  = 4096 // bytes; a key takes about 120
)

// Folder returns where a user's identity is: keyward in the user's configuration
// folder ($XDG_CONFIG_HOME or ~/.config on Linux, ~/Library/Application Support
// on macOS, %AppData% on Windows).
func Folder() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("there is no place for the agent's identity: %w", err)
	}
	return filepath.Join(dir, "keyward"), nil
}

// Load reads the identity in a folder, and creates both if missing. Concurrent
// calls by several programs all get the same key. Load refuses a file that others
// may read, and files and folders that others may change.
func Load(folder string) (ed25519.PrivateKey, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("the folder of the agent's identity: %w", err)
	}
	if err := hardening.CheckTrustedPath(folder); err != nil {
		return nil, fmt.Errorf("the agent's identity would not be safe in its folder: %w", err)
	}
	path := filepath.Join(folder, fileName)
	key, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := create(path); err != nil {
			return nil, fmt.Errorf("could not create the agent's identity: %w", err)
		}
		key, err = read(path)
	}
	return key, err
}

func read(path string) (ed25519.PrivateKey, error) {
	named, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !named.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file; remove it, and the agent creates a new identity", path)
	}
	file, err := os.Open(path) // #nosec G304 -- the user's own configuration
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	opened, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(named, opened) {
		return nil, fmt.Errorf("%s was replaced a moment ago; start again", path)
	}
	if err := hardening.CheckOwnerOnly(path, opened); err != nil {
		return nil, fmt.Errorf("%w; remove it, and the agent creates an identity of your own", err)
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxFile))
	if err != nil {
		return nil, err
	}
	key, err := parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%s is not an identity; remove it, and the agent creates a new one: %w", path, err)
	}
	return key, nil
}

// parse reads one PEM block PRIVATE KEY (PKCS #8) with an Ed25519 key.
func parse(raw []byte) (ed25519.PrivateKey, error) {
	block, rest := pem.Decode(raw)
	if block == nil || block.Type != "PRIVATE KEY" || len(rest) != 0 {
		return nil, errors.New("not one PEM block PRIVATE KEY")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("not PKCS #8")
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, errors.New("not Ed25519")
	}
	return key, nil
}

// create writes a new key unless another program has written one first. A crash
// leaves no file or a complete one.
func create(path string) error {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	raw := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	if err := durable.Create(path, raw); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
