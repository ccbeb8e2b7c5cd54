package pki

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/textinput"
)

// Errors of an attestation that contradicts itself, or the claim. Test with errors.Is.
var (
	ErrMalformed = errors.New("attestation: not as a token makes it")
	ErrSignature = errors.New("attestation: a signature is not its issuer's")
	ErrKey       = errors.New("attestation: of another key")
	ErrSerial    = errors.New("attestation: of another token")
	ErrSlot      = errors.New("attestation: of another slot")
)

// Errors of an attestation that counts as none: it contradicts nothing, and cannot be trusted.
var (
	ErrUnknownIssuer = errors.New("attestation: nobody who is trusted has issued it")
	ErrNoSerial      = errors.New("attestation: without a serial number")
	ErrUnknownValue  = errors.New("attestation: a value whose meaning is not known")
)

// TreatAsUnattested reports whether, after an error of Verify, the key is treated like
// one without an attestation.
func TreatAsUnattested(err error) bool {
	return errors.Is(err, ErrUnknownIssuer) || errors.Is(err, ErrNoSerial) || errors.Is(err, ErrUnknownValue)
}

// Expected is what an attestation should prove.
type Expected struct {
	Key    crypto.PublicKey // whose possession a CSR proves
	Serial string           // of the token, as recorded
	Slot   piv.Slot
}

// maxCertificate is the maximum size of a certificate in bytes of PEM; real ones have 1,200.
const maxCertificate = 8 << 10

// Verify checks a slot's attestation and the F9 that came with it, each one PEM
// block, against the claim and up to a pinned CA. Contradictions are reported before
// unknowns. With an error, the statement is empty, except for the firmware if a
// pinned CA vouches for it: with ErrNoSerial and ErrUnknownValue.
//
// It differs from general X.509 verification in three ways. F9 must be issued directly by a
// pinned CA: tokens with firmware 4.3 to 5.2 may have an F9 without basicConstraints, and a
// verifier that ignores those along a whole path also accepts an attestation signed by a slot
// key whose own genuine attestation poses as F9. Only the F9 that came with the leaf counts:
// a production batch shares it, and nearly all have the same name. Validity times are ignored:
// they are the batch's. There is no challenge, so it is compared with the key whose possession
// a CSR proves. Real chains: testdata/chains/README.md.
func (v *AttestationVerifier) Verify(chain []string, claim Expected) (Statement, error) {
	if len(chain) != 2 { // we have any others, and one in between would be forged
		return Statement{}, fmt.Errorf("%w: %d certificates, not the slot's and F9's", ErrMalformed, len(chain))
	}
	leaf, err := parse(chain[0])
	if err != nil {
		return Statement{}, err
	}
	f9, err := parse(chain[1])
	if err != nil {
		return Statement{}, err
	}
	if !slices.Contains(f9Keys, piv.KeyTypeOf(f9.PublicKey)) {
		return Statement{}, fmt.Errorf("%w: F9 has a key of another kind", ErrMalformed)
	}
	if !issued(f9, leaf) {
		return Statement{}, fmt.Errorf("%w: F9 has not signed the slot's attestation", ErrSignature)
	}
	s, err := read(leaf)
	if contradiction := claim.against(s, err); contradiction != nil {
		return Statement{}, contradiction
	}
	by, issuerErr := v.issuerOf(f9)
	if issuerErr != nil {
		return Statement{}, issuerErr
	}
	if err == nil && s.Serial == 0 {
		err = ErrNoSerial
	}
	if err != nil {
		return Statement{Firmware: s.Firmware}, err
	}
	s.Root = by.root
	return s, nil
}

// f9Keys are the allowed types of an F9's key: a larger one only costs time.
var f9Keys = []piv.KeyType{piv.RSA2048, piv.RSA3072, piv.RSA4096, piv.ECP256, piv.ECP384}

// parse parses exactly one PEM block CERTIFICATE.
func parse(text string) (*x509.Certificate, error) {
	if len(text) > maxCertificate {
		return nil, fmt.Errorf("%w: a certificate is longer than %d bytes", ErrMalformed, maxCertificate)
	}
	block, rest := textinput.PEM(text)
	if block == nil || block.Type != "CERTIFICATE" || len(block.Headers) > 0 || len(rest) > 0 {
		return nil, fmt.Errorf("%w: not one PEM block CERTIFICATE", ErrMalformed)
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%w: a certificate cannot be read", ErrMalformed)
	}
	if len(c.UnhandledCriticalExtensions) > 0 {
		return nil, fmt.Errorf("%w: a critical extension that no token has", ErrMalformed)
	}
	return c, nil
}

// against compares a statement, read with err, with the claim.
func (c Expected) against(s Statement, err error) error {
	switch {
	case errors.Is(err, ErrMalformed):
		return err
	case s.Key != nil && !piv.SameKey(s.Key, c.Key):
		return ErrKey
	case s.Serial != 0 && strconv.FormatUint(uint64(s.Serial), 10) != c.Serial:
		return ErrSerial
	case s.Slot != c.Slot:
		return ErrSlot
	}
	return nil
}

// issuerOf returns the pinned CA that signed an F9. A pinned CA's name without its
// signature is a forgery.
func (v *AttestationVerifier) issuerOf(f9 *x509.Certificate) (issuer, error) {
	named := false
	for _, i := range v.issuers {
		if issued(i.cert, f9) {
			return i, checkF9(f9, i)
		}
		named = named || bytes.Equal(i.cert.RawSubject, f9.RawIssuer)
	}
	if named {
		return issuer{}, fmt.Errorf("%w: F9 is not of the CA that it names", ErrSignature)
	}
	return issuer{}, ErrUnknownIssuer
}

// checkF9 rejects what a pinned CA has signed for another purpose, including itself.
func checkF9(f9 *x509.Certificate, by issuer) error {
	switch {
	case bytes.Equal(f9.RawSubject, f9.RawIssuer):
		return fmt.Errorf("%w: a CA in F9's place", ErrMalformed)
	case f9.BasicConstraintsValid && !f9.IsCA, f9.KeyUsage != 0 && f9.KeyUsage&x509.KeyUsageCertSign == 0:
		return fmt.Errorf("%w: F9 may not sign certificates", ErrMalformed)
	case by.only != "" && f9.Subject.CommonName != by.only:
		return fmt.Errorf("%w: %q has another purpose", ErrMalformed, f9.Subject.CommonName)
	}
	return nil
}
