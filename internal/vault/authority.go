package vault

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// CA is one of an engine's certificate authorities.
type CA struct {
	ID string // CAID of its key; it stays
	// Chain is DER: its own certificate first, the root last; empty while it was only requested.
	Chain [][]byte
	CSR   []byte // DER, while it was only requested
	// Active is the one that signs certificates. The others sign their CRL and OCSP signer.
	Active bool
	// First is the one that the addresses without an ID belong to.
	First bool
}

// Active names the active CA where an ID is asked for.
const Active = ""

// NewCA asks for another CA.
type NewCA struct {
	KeyType    piv.KeyType
	CommonName string
	SelfSigned bool // otherwise there is a CSR for somebody else to sign
}

// CAID names a CA by its key: 16 hex digits of the SHA-256 of the SubjectPublicKeyInfo.
func CAID(spki []byte) string {
	sum := sha256.Sum256(spki)
	return hex.EncodeToString(sum[:8])
}

// Addresses are the paths at which a CA's list and certificate are published, below the base of the
// addresses in certificates.
func Addresses(ca string, first bool) (crl, caIssuers string) {
	if first {
		return "/api/pki/crl", "/api/pki/ca.cer"
	}
	return "/api/pki/crl/" + ca, "/api/pki/ca/" + ca + ".cer"
}

// ActiveCA returns the CA that signs certificates.
func ActiveCA(ctx context.Context, pki interface {
	CAs(ctx context.Context) ([]CA, error)
},
) (CA, error) {
	all, err := pki.CAs(ctx)
	if err != nil {
		return CA{}, err
	}
	if len(all) == 0 || len(all[0].Chain) == 0 {
		return CA{}, fmt.Errorf("%w: it has no CA", ErrUnavailable)
	}
	return all[0], nil
}

// Issued reports whether a CA's name and key identifier are those of a certificate's issuer.
func (c CA) Issued(cert *x509.Certificate) bool {
	if len(c.Chain) == 0 {
		return false
	}
	ca, err := x509.ParseCertificate(c.Chain[0])
	return err == nil && bytes.Equal(ca.RawSubject, cert.RawIssuer) &&
		(len(cert.AuthorityKeyId) == 0 || bytes.Equal(cert.AuthorityKeyId, ca.SubjectKeyId))
}

// IssuerOf returns the CA that issued a certificate; false if none of them did.
func IssuerOf(all []CA, cert *x509.Certificate) (CA, bool) {
	i := slices.IndexFunc(all, func(c CA) bool { return c.Issued(cert) })
	if i < 0 {
		return CA{}, false
	}
	return all[i], true
}

// ExportedCA is a CA outside its engine.
type ExportedCA struct {
	CA

	PEM   secret.String // its chain, or else its CSR, and the private key (PKCS #8); without one, of an engine that keeps it
	Above uint64        // for CARestorer: the numbers of its CRLs continue above this one
}

// CAExporter is a PKI that gives away its keys, for backups and for a move to another engine.
type CAExporter interface {
	ExportCAs(ctx context.Context) ([]ExportedCA, error)
}

// CARestore is what a restore of CAs does to those that the engine has.
type CARestore struct {
	Replace bool // the first and the active CA are those restored
	Drop    bool // with Replace: the former first one signed nothing, and goes
}

// CARestorer is a PKI that takes CAs with their keys.
type CARestorer interface {
	// RestoreCAs adds CAs, durably and atomically, to those that the engine has. Each gets the
	// revocations that Revoke was given for it before. ErrInvalid if one does not fit.
	RestoreCAs(ctx context.Context, cas []ExportedCA, how CARestore) error
}
