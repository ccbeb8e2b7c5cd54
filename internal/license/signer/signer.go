// Package signer is the vendor's side of licensing: the private key, and what it signs. Only
// keyward-licensetool uses it, not the server.
//
// The key file is an age file (age-encryption.org/v1, scrypt passphrase, armored) of the
// PKCS#8 key in PEM, so it can be recovered without this program:
//
//	age --decrypt vendor.key | openssl pkey -text
package signer

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/secret"
)

// WorkFactor of scrypt is age's default: a second and 256 MB for each guess of a passphrase.
const WorkFactor = 18

// maxKeyFile bounds what is read, in bytes.
const maxKeyFile = 64 << 10

// Seal writes the private key, encrypted. workFactor is the base-2 logarithm of scrypt's cost.
func Seal(w io.Writer, key ed25519.PrivateKey, passphrase secret.String, workFactor int) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	recipient, err := age.NewScryptRecipient(passphrase.Reveal())
	if err != nil {
		return err
	}
	recipient.SetWorkFactor(workFactor)
	armored := armor.NewWriter(w)
	sealed, err := age.Encrypt(armored, recipient)
	if err != nil {
		return err
	}
	if err := pem.Encode(sealed, &pem.Block{Type: "PRIVATE KEY", Bytes: der}); err != nil {
		return err
	}
	return errors.Join(sealed.Close(), armored.Close())
}

// ErrPassphrase: wrong passphrase for the key file.
var ErrPassphrase = errors.New("this is not the passphrase of the key file")

// Open reads what Seal wrote. ErrPassphrase.
func Open(r io.Reader, passphrase secret.String) (ed25519.PrivateKey, error) {
	identity, err := age.NewScryptIdentity(passphrase.Reveal())
	if err != nil {
		return nil, err
	}
	plain, err := age.Decrypt(armor.NewReader(io.LimitReader(r, maxKeyFile)), identity)
	if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
		return nil, ErrPassphrase
	}
	if err != nil {
		return nil, fmt.Errorf("this is not a key file of keyward-licensetool: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(plain, maxKeyFile))
	if err != nil {
		return nil, fmt.Errorf("the key file is damaged: %w", err)
	}
	block, rest := pem.Decode(text)
	if block == nil || block.Type != "PRIVATE KEY" || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("the key file contains no private key")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("the key file contains no private key")
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, errors.New("the key file contains a key other than Ed25519")
	}
	return key, nil
}

// Issue signs a license. Its error is that of license.Parse and names the wrong fields.
func Issue(key ed25519.PrivateKey, l license.License) (license.File, error) {
	signed, err := license.Signed(l)
	if err != nil {
		return license.File{}, err
	}
	return license.NewFile(l, ed25519.Sign(key, signed))
}
