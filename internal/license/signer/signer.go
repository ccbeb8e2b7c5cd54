// Package signer is the vendor's side of licensing: the private key, and what it signs. Only
// keyward-licensetool uses it, not the server.
//
// The key file is an encrypted PKCS #8 key in PEM (RFC 5958, RFC 8018: PBES2 with scrypt and
// AES-256-CBC), which standard tools read, too:
//
//	openssl pkey -in vendor.key -text
package signer

import (
	"bytes"
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"fmt"
	"io"

	"github.com/youmark/pkcs8"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/secret"
)

// cost of a guess of the passphrase: 16 MB of memory, which is about what openssl allows,
// eight times over.
var cost = pkcs8.Opts{
	Cipher:  pkcs8.AES256CBC,
	KDFOpts: pkcs8.ScryptOpts{SaltSize: 16, CostParameter: 1 << 14, BlockSize: 8, ParallelizationParameter: 8},
}

const (
	maxKeyFile = 64 << 10 // bytes that are read
	blockType  = "ENCRYPTED PRIVATE KEY"
)

// Seal writes the private key, encrypted.
func Seal(w io.Writer, key ed25519.PrivateKey, passphrase secret.String) error {
	if passphrase.Empty() { // the library would not encrypt
		return errors.New("a passphrase is needed")
	}
	der, err := pkcs8.MarshalPrivateKey(key, []byte(passphrase.Reveal()), &cost)
	if err != nil {
		return err
	}
	return pem.Encode(w, &pem.Block{Type: blockType, Bytes: der})
}

// ErrPassphrase: wrong passphrase for the key file. A damaged file can look like that.
var ErrPassphrase = errors.New("this is not the passphrase of the key file")

// Open reads an encrypted PKCS #8 key: what Seal wrote, or openssl. ErrPassphrase.
func Open(r io.Reader, passphrase secret.String) (ed25519.PrivateKey, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxKeyFile))
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(text, []byte("-----BEGIN AGE ")) {
		return nil, errors.New("this key file is of an earlier version. Convert it: " +
			"age --decrypt OLD | openssl pkcs8 -topk8 -scrypt -out NEW")
	}
	block, rest := pem.Decode(text)
	if block == nil || block.Type != blockType || len(bytes.TrimSpace(rest)) > 0 {
		return nil, fmt.Errorf("this is not a key file: one PEM block %s", blockType)
	}
	if passphrase.Empty() {
		return nil, ErrPassphrase
	}
	parsed, _, err := pkcs8.ParsePrivateKey(block.Bytes, []byte(passphrase.Reveal()))
	switch key, ok := parsed.(ed25519.PrivateKey); {
	case err != nil && err.Error() == "pkcs8: incorrect password":
		return nil, ErrPassphrase
	case err != nil:
		return nil, fmt.Errorf("the key file can't be read: %w", err)
	case !ok:
		return nil, errors.New("the key file contains a key other than Ed25519")
	default:
		return key, nil
	}
}

// Issue signs a license. Its error is that of license.Parse and names the wrong fields.
func Issue(key ed25519.PrivateKey, l license.License) (license.File, error) {
	signed, err := license.Signed(l)
	if err != nil {
		return license.File{}, err
	}
	return license.NewFile(l, ed25519.Sign(key, signed))
}
