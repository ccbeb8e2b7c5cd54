package ocsp

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // a KeyHash is SHA-1 (RFC 6960, section 4.2.1)
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// signerRenewal is how long before its end a signer gets a successor.
const signerRenewal = 10 * 24 * time.Hour

// signer is a delegated OCSP signer of one CA (RFC 6960, section 4.2.2.2).
type signer struct {
	ca        issuer
	key       crypto.Signer
	hash      crypto.Hash
	algorithm []byte // AlgorithmIdentifier
	der       []byte // of its certificate
	keyHash   []byte
	notBefore time.Time
	notAfter  time.Time
	last      bool // it ends with its CA: none after it would last longer
}

// serves reports whether it may sign for that CA now. A signer from the future was made while the clock was
// ahead.
func (s *signer) serves(ca issuer, now time.Time) bool {
	return s != nil && bytes.Equal(s.ca.der, ca.der) && !now.Before(s.notBefore) && now.Before(s.notAfter)
}

// issuer is a CA as CertIDs name it.
type issuer struct {
	id     string
	name   string // distinguished name (RFC 4514)
	cert   *x509.Certificate
	der    []byte
	hashes map[crypto.Hash]named
}

type named struct{ name, key string }

// AlgorithmIdentifiers: sha256WithRSAEncryption (RFC 4055, section 5) and ecdsa-with-SHA256 (RFC
// 5758, section 3.2).
var (
	rsaSHA256   = []byte{0x30, 0x0d, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 0x0b, 5, 0}
	ecdsaSHA256 = []byte{0x30, 0x0a, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2}
)

func newIssuer(ca vault.CA) (issuer, error) {
	cert, err := x509.ParseCertificate(ca.Chain[0])
	if err != nil {
		return issuer{}, err
	}
	key, err := keyBits(cert.RawSubjectPublicKeyInfo)
	if err != nil {
		return issuer{}, err
	}
	i := issuer{id: ca.ID, name: cert.Subject.String(), cert: cert, der: cert.Raw, hashes: map[crypto.Hash]named{}}
	for _, known := range oidHashes {
		i.hashes[known.hash] = named{digest(known.hash, cert.RawSubject), digest(known.hash, key)}
	}
	return i, nil
}

// issued reports whether a CertID names a certificate of this CA.
func (i issuer) issued(id certID) bool {
	hashes, ok := i.hashes[id.hash]
	return ok && hashes == named{string(id.nameHash), string(id.keyHash)}
}

func digest(h crypto.Hash, of []byte) string {
	d := h.New()
	d.Write(of)
	return string(d.Sum(nil))
}

// keyBits is the content of a SubjectPublicKeyInfo's BIT STRING, which CertIDs and KeyHashes are of.
func keyBits(spki []byte) ([]byte, error) {
	var info struct {
		Algorithm asn1.RawValue
		Key       asn1.BitString
	}
	_, err := asn1.Unmarshal(spki, &info)
	return info.Key.Bytes, err
}

// newSigner makes a key and has the CA certify it.
func newSigner(ctx context.Context, pki vault.PKI, ca issuer) (s *signer, err error) {
	cert := ca.cert
	s = &signer{ca: ca, hash: crypto.SHA256}
	if _, ok := cert.PublicKey.(*ecdsa.PublicKey); ok {
		s.algorithm = ecdsaSHA256
		s.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	} else {
		s.algorithm = rsaSHA256
		s.key, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	if err != nil {
		return nil, err
	}
	made, err := pki.IssueResponder(ctx, ca.id, s.key)
	if err != nil {
		return nil, err
	}
	if err := made.CheckSignatureFrom(cert); err != nil {
		return nil, fmt.Errorf("%w: the CA was replaced meanwhile: %w", vault.ErrUnavailable, err)
	}
	bits, err := keyBits(made.RawSubjectPublicKeyInfo)
	if err != nil {
		return nil, err
	}
	sum := sha1.Sum(bits) //nolint:gosec // see above
	s.der, s.keyHash, s.notBefore, s.notAfter = made.Raw, sum[:], made.NotBefore, made.NotAfter
	s.last = !s.notAfter.Before(cert.NotAfter)
	return s, nil
}
