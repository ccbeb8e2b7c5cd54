package issuance

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
)

// RootYears is the lifetime of a root that Keyward makes (specification,
// "Public PKI endpoints").
const RootYears = 10

// NewRoot makes a CA key and its self-signed certificate. It signs end-entity
// certificates only (path length 0).
func NewRoot(keyType piv.KeyType, commonName string, now time.Time) (*x509.Certificate, crypto.Signer, error) {
	if err := pki.CheckCommonName(commonName); err != nil {
		return nil, nil, err
	}
	key, err := generate(keyType)
	if err != nil {
		return nil, nil, err
	}
	alg, err := algorithmOf(key.Public())
	if err != nil {
		return nil, nil, err
	}
	spki, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, nil, fmt.Errorf("encode the CA key: %w", err)
	}
	id, err := keyID(spki)
	if err != nil {
		return nil, nil, err
	}
	notBefore := now.UTC().Truncate(time.Second).Add(-Backdate)
	template := &x509.Certificate{
		SerialNumber:          new(big.Int).SetBytes(newSerial(vault.MaxSerial)),
		Subject:               pkix.Name{CommonName: commonName},
		NotBefore:             notBefore,
		NotAfter:              notBefore.AddDate(RootYears, 0, 0),
		SignatureAlgorithm:    alg.x509,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
		SubjectKeyId:          id,
		AuthorityKeyId:        id,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, nil, fmt.Errorf("sign the CA certificate: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	return cert, key, err
}

// NewRequest makes a CA key and a CSR for it, DER: another CA decides what the certificate says.
func NewRequest(keyType piv.KeyType, commonName string) ([]byte, crypto.Signer, error) {
	if err := pki.CheckCommonName(commonName); err != nil {
		return nil, nil, err
	}
	key, err := generate(keyType)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: commonName}}, key)
	return der, key, err
}

func generate(keyType piv.KeyType) (crypto.Signer, error) {
	switch keyType {
	case piv.RSA2048:
		return rsa.GenerateKey(rand.Reader, 2048)
	case piv.RSA3072:
		return rsa.GenerateKey(rand.Reader, 3072)
	case piv.RSA4096:
		return rsa.GenerateKey(rand.Reader, 4096)
	case piv.ECP256:
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case piv.ECP384:
		return ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	}
	return nil, invalid("the CA key type is not one of rsa-2048, rsa-3072, rsa-4096, ec-p256, ec-p384")
}
