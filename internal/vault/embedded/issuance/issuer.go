package issuance

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
)

// Backdate is how far notBefore lies in the past, for clocks that are slow.
const Backdate = 30 * time.Second

// Profile is what all certificates of an issuer have in common.
type Profile struct {
	KeyTypes   []piv.KeyType // accepted subject keys
	MaxTTL     time.Duration // from notBefore to notAfter
	CA         string        // the issuer's ID (vault.CAID)
	CRL        string        // URL of the CRL distribution point
	CAIssuers  string        // URL of the CA certificate
	OCSP       []string      // URL of the OCSP responder, if certificates name one
	serialSize int           // always 20; a field so that tests read it
}

// Issuer signs end-entity certificates with one CA key.
type Issuer struct {
	cert    *x509.Certificate
	cas     []*x509.Certificate // the chain, issuer first
	chain   [][]byte            // likewise, as DER
	key     crypto.Signer
	alg     algorithm
	profile Profile
	limits  pki.NameLimits
	fixed   [][]byte // the extensions that are the same for all, as DER
}

// NewIssuer makes an issuer from a CA chain (issuing certificate first, root
// last) and the issuing key.
func NewIssuer(chain []*x509.Certificate, key crypto.Signer, p Profile) (*Issuer, error) {
	alg, err := algorithmOf(key.Public())
	if err != nil {
		return nil, err
	}
	p.serialSize = vault.MaxSerial
	i := &Issuer{cert: chain[0], cas: chain, key: key, alg: alg, profile: p}
	for _, c := range chain {
		i.chain = append(i.chain, c.Raw)
	}
	if i.limits, err = pki.NameLimitsOf(chain); err != nil {
		return nil, err
	}
	i.fixed, err = fixedExtensions(chain[0].SubjectKeyId, p)
	return i, err
}

// Linted is a vault.Prepared. Only Lint makes a usable one.
type Linted struct {
	issuer *Issuer
	tbs    []byte
	cert   *x509.Certificate // tbs as lint read it
	serial []byte
	used   atomic.Bool
}

// Lint checks a request against the profile and builds what will be signed. vault.ErrInvalid if the
// request does not fit; also a CSRRejected fault if the CSR's author can fix it.
//
// Validity: notBefore is 30 seconds before now; notAfter is now plus the
// requested TTL, but the whole period from notBefore to notAfter is never
// longer than MaxTTL and never ends after the CA's own.
func (i *Issuer) Lint(req vault.SignRequest, now time.Time) (*Linted, error) {
	names, err := pki.CheckNames(req)
	if err != nil {
		return nil, err
	}
	csr := req.CSR.Request()
	if err := pki.CheckCSR(csr, i.profile.KeyTypes); err != nil {
		return nil, err
	}
	if req.TTL < 0 {
		return nil, invalid("the lifetime is negative")
	}
	t := template{names: names, public: csr.PublicKey, usage: req.Usage}
	if t.usage.Key == 0 {
		t.usage = vault.DefaultUsage(csr.PublicKey)
	}
	if err := pki.CheckPurposes(i.cas, t.usage.Purposes); err != nil {
		return nil, err
	}
	t.notBefore, t.notAfter = i.validity(req.TTL, now)
	if !t.notAfter.After(now) {
		return nil, vault.ErrEnded
	}
	if err := i.limits.Check(names); err != nil {
		return nil, err
	}
	t.serial = newSerial(i.profile.serialSize)
	tbs, err := i.build(&t)
	if err != nil {
		return nil, err
	}
	cert, err := i.lint(tbs, &t)
	if err != nil {
		return nil, fmt.Errorf("%w: the certificate would break its profile: %w", vault.ErrInvalid, err)
	}
	return &Linted{issuer: i, tbs: tbs, cert: cert, serial: t.serial}, nil
}

// Unsigned implements vault.Prepared.
func (l *Linted) Unsigned() vault.Unsigned {
	return vault.Unsigned{
		Serial: fmt.Sprintf("%x", l.serial), SHA256: sha256.Sum256(l.tbs), NotAfter: l.cert.NotAfter, CA: l.issuer.profile.CA,
	}
}

func (i *Issuer) validity(ttl time.Duration, now time.Time) (notBefore, notAfter time.Time) {
	now = now.UTC().Truncate(time.Second)
	notBefore = now.Add(-Backdate)
	notAfter = notBefore.Add(i.profile.MaxTTL)
	if ttl > 0 && ttl < i.profile.MaxTTL {
		// Rounded up, so that no requested second is lost.
		if end := now.Add(ttl + time.Second - 1).Truncate(time.Second); end.Before(notAfter) {
			notAfter = end
		}
	}
	if notAfter.After(i.cert.NotAfter) {
		notAfter = i.cert.NotAfter
	}
	return notBefore, notAfter
}

// newSerial draws a serial number with 8·size-2 random bits. The top bits
// are 01: positive, and never a leading zero byte.
func newSerial(size int) []byte {
	serial := make([]byte, size)
	_, _ = rand.Read(serial)
	serial[0] = serial[0]&0x3f | 0x40
	return serial
}

// Sign implements vault.Prepared.
func (l *Linted) Sign(context.Context) (vault.Issued, error) {
	if l == nil || l.issuer == nil || l.used.Swap(true) {
		return vault.Issued{}, errors.New("issuance: nothing linted to sign, or signed before")
	}
	i := l.issuer
	signature, err := i.alg.sign(i.key, l.tbs)
	if err != nil {
		return vault.Issued{}, fmt.Errorf("%w: signing failed: %w", vault.ErrUnavailable, err)
	}
	// Except for the signature, this is what lint read: parsing it again would show the same.
	l.cert.Raw, l.cert.Signature = assemble(l.tbs, i.alg.der, signature), signature
	return vault.Issued{
		Certificate: l.cert,
		Chain:       slices.Clone(i.chain),
		CA:          i.profile.CA,
		Serial:      fmt.Sprintf("%x", l.serial),
	}, nil
}

// algorithm is how a CA key signs.
type algorithm struct {
	hash crypto.Hash
	der  []byte // AlgorithmIdentifier
	x509 x509.SignatureAlgorithm
}

// SHA-256 with RSA (RFC 4055) and ECDSA with the hash of the curve's size
// (RFC 5758).
var (
	rsaSHA256   = algorithm{crypto.SHA256, []byte{0x30, 0x0d, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 0x0b, 5, 0}, x509.SHA256WithRSA}
	ecdsaSHA256 = algorithm{crypto.SHA256, []byte{0x30, 0x0a, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2}, x509.ECDSAWithSHA256}
	ecdsaSHA384 = algorithm{crypto.SHA384, []byte{0x30, 0x0a, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 3}, x509.ECDSAWithSHA384}
)

func algorithmOf(public any) (algorithm, error) {
	switch piv.KeyTypeOf(public) {
	case piv.RSA2048, piv.RSA3072, piv.RSA4096:
		return rsaSHA256, nil
	case piv.ECP256:
		return ecdsaSHA256, nil
	case piv.ECP384:
		return ecdsaSHA384, nil
	}
	return algorithm{}, invalid("the CA key is not RSA with 2048, 3072 or 4096 bits, P-256 or P-384")
}

func (a algorithm) sign(key crypto.Signer, tbs []byte) ([]byte, error) {
	h := a.hash.New()
	h.Write(tbs)
	// The signature is not verified, which would cost as much as an ECDSA signature: crypto/rsa
	// verifies its own result, and crypto/ecdsa never uses a nonce twice, so a fault reveals no
	// key.
	return key.Sign(rand.Reader, h.Sum(nil), a.hash)
}

// SignDigest signs a digest with an RSA (PKCS #1 v1.5) or ECDSA key and
// verifies the result, for what is signed seldom and read by many.
func SignDigest(key crypto.Signer, digest []byte, hash crypto.Hash) ([]byte, error) {
	signature, err := key.Sign(rand.Reader, digest, hash)
	if err != nil {
		return nil, err
	}
	ok := false
	switch public := key.Public().(type) {
	case *rsa.PublicKey:
		ok = rsa.VerifyPKCS1v15(public, hash, digest, signature) == nil
	case *ecdsa.PublicKey:
		ok = ecdsa.VerifyASN1(public, digest, signature)
	}
	if !ok {
		return nil, errors.New("the signature does not verify")
	}
	return signature, nil
}

// Algorithm returns how a CA key signs: the hash, and the AlgorithmIdentifier as DER.
func Algorithm(public any) (crypto.Hash, []byte, error) {
	a, err := algorithmOf(public)
	return a.hash, bytes.Clone(a.der), err
}

func invalid(what string) error { return fmt.Errorf("%w: %s", vault.ErrInvalid, what) }
