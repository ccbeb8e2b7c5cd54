package pki

import (
	"bytes"
	"cmp"
	"crypto/x509"
	_ "embed" // of the pinned CAs
	"encoding/pem"
	"errors"
	"fmt"
	"slices"

	"github.com/keyward/keyward/internal/textinput"
)

//go:embed yubico/roots.pem
var yubicoRoots []byte

//go:embed yubico/intermediates.pem
var yubicoIntermediates []byte

// issuer is a pinned CA that signs the F9 certificates of tokens.
type issuer struct {
	cert *x509.Certificate
	root string // common name of the CA at the top
	only string // required common name of an F9; empty: any
}

// AttestationVerifier knows the CAs that attestations may chain to.
type AttestationVerifier struct{ issuers []issuer }

// u2fRoot signed the F9 of some YubiKey 4, and is also the root of U2F certificates,
// so the F9's name is checked to tell them apart.
const (
	u2fRoot = "Yubico U2F Root CA Serial 457200631"
	f9Name  = "Yubico PIV Attestation"
)

// NewVerifier returns a verifier with Yubico's CAs, of both generations, and those of a PEM
// file, which may be empty.
func NewVerifier(extra []byte) (*AttestationVerifier, error) {
	yubico, err := readCAs(slices.Concat(yubicoRoots, yubicoIntermediates))
	if err != nil {
		return nil, err
	}
	others, err := readCAs(extra)
	if err != nil {
		return nil, err
	}
	for _, ca := range others {
		if err := mayIssue(ca); err != nil {
			return nil, err
		}
	}
	known := slices.Concat(yubico, others)
	return &AttestationVerifier{slices.Concat(lowest(yubico, known), lowest(others, known))}, nil
}

func readCAs(text []byte) ([]*x509.Certificate, error) {
	var list []*x509.Certificate
	for {
		var block *pem.Block
		if block, text = textinput.PEM(text); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			return nil, errors.New("the attestation roots may contain only certificates")
		}
		ca, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d of the attestation roots can't be read", len(list)+1)
		}
		list = append(list, ca)
	}
	if len(bytes.TrimSpace(text)) > 0 {
		return nil, errors.New("the attestation roots have text after their last PEM block")
	}
	return list, nil
}

// mayIssue rejects a token's own F9, which looks much like a CA: it would turn every
// certificate that its token signed into an attestation.
func mayIssue(ca *x509.Certificate) error {
	switch {
	case !ca.BasicConstraintsValid || !ca.IsCA:
		return fmt.Errorf("%q among the attestation roots is not a CA certificate", ca.Subject)
	case ca.MaxPathLen == 0 && ca.MaxPathLenZero:
		return fmt.Errorf("%q among the attestation roots belongs to a token, not to its maker: its path length is 0", ca.Subject)
	}
	return nil
}

// lowest returns the CAs of a list that issued no others in it: higher CAs sign
// other CAs, also for other purposes, but no F9.
func lowest(list, known []*x509.Certificate) []issuer {
	var out []issuer
	for _, ca := range list {
		if slices.ContainsFunc(list, func(c *x509.Certificate) bool { return !selfSigned(c) && issued(ca, c) }) {
			continue
		}
		i := issuer{cert: ca, root: top(ca, known).Subject.CommonName}
		if ca.Subject.CommonName == u2fRoot {
			i.only = f9Name
		}
		i.root = cmp.Or(i.root, ca.Subject.String())
		out = append(out, i)
	}
	return out
}

func top(ca *x509.Certificate, known []*x509.Certificate) *x509.Certificate {
	for range known { // bounded by the number of certificates
		at := slices.IndexFunc(known, func(c *x509.Certificate) bool { return issued(c, ca) })
		if selfSigned(ca) || at < 0 {
			break
		}
		ca = known[at]
	}
	return ca
}

func selfSigned(c *x509.Certificate) bool { return issued(c, c) }

// issued reports whether parent issued child, by name and signature. It ignores
// extensions: see the package comment.
func issued(parent, child *x509.Certificate) bool {
	return bytes.Equal(parent.RawSubject, child.RawIssuer) &&
		parent.CheckSignature(child.SignatureAlgorithm, child.RawTBSCertificate, child.Signature) == nil
}
