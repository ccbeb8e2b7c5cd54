package issuance

import (
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// Responder signs the certificate of an OCSP signer; see vault.PKI. It has no address of a CRL:
// id-pkix-ocsp-nocheck says that nobody need ask about it.
func (i *Issuer) Responder(public crypto.PublicKey, now time.Time) (*x509.Certificate, error) {
	notBefore := now.UTC().Truncate(time.Second).Add(-vault.ResponderBackdate)
	notAfter := now.Add(vault.ResponderTTL).UTC().Truncate(time.Second)
	if notAfter.After(i.cert.NotAfter) {
		notAfter = i.cert.NotAfter
	}
	if !notAfter.After(now) {
		return nil, vault.ErrEnded
	}
	spki, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return nil, err
	}
	id, err := keyID(spki)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(newSerial(i.profile.serialSize)),
		Subject:      pkix.Name{CommonName: vault.ResponderName},
		NotBefore:    notBefore, NotAfter: notAfter,
		SignatureAlgorithm: i.alg.x509,
		KeyUsage:           x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning},
		BasicConstraintsValid: true,
		SubjectKeyId:          id, AuthorityKeyId: i.cert.SubjectKeyId,
		ExtraExtensions: []pkix.Extension{vault.NoCheck()},
	}, i.cert, public, i.key)
	if err != nil {
		return nil, fmt.Errorf("sign the OCSP signer's certificate: %w", err)
	}
	return x509.ParseCertificate(der)
}
