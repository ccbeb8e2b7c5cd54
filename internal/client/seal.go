package client

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// Seal encrypts a value that somebody typed for the agent whose public key
// (PEM) this is: RSA-OAEP (RFC 8017, section 7.1) with SHA-256 and the label
// keyward/1/{serial}/{field}, in standard base64 (contract, "Sealing").
func Seal(publicKey, serial string, f piv.Field, value secret.String) (Sealed, error) {
	block, _ := pem.Decode([]byte(publicKey))
	if block == nil {
		return "", errors.New("the agent's public key is no PEM")
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return "", errors.New("the agent's public key cannot be read")
	}
	key, ok := parsed.(*rsa.PublicKey)
	if !ok || key.N.BitLen() < 4096 {
		return "", errors.New("the agent's public key is no RSA key of 4096 bits")
	}
	label := "keyward/1/" + serial + "/" + string(f)
	raw, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, key, []byte(value.Reveal()), []byte(label))
	if err != nil {
		return "", errors.New("the value is too long to be sealed")
	}
	return Sealed(base64.StdEncoding.EncodeToString(raw)), nil
}
