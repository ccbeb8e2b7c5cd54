package vaultpart

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// Paths of the documents made from the PKI.
const (
	caPath          = "_pki/ca"
	crlPath         = "_pki/crl"
	revocationsPath = "_pki/revocations/"
)

// Forms of these documents (docs/backup-format.md); fields may be added, never changed or removed.
type (
	wireCA struct {
		PEM string `json:"pem"` // the CA, its chain, and its private key (PKCS #8) if the vault exports it
	}
	wireCRL struct {
		Number     uint64    `json:"number"`
		ThisUpdate time.Time `json:"this_update,omitzero"`
	}
	wireRevocations struct {
		Revocations []wireRevocation `json:"revocations"`
	}
	wireRevocation struct {
		SerialNumber string       `json:"serial_number"`
		RevokedAt    time.Time    `json:"revoked_at"`
		Reason       vault.Reason `json:"reason"`             // RFC 5280, section 5.3.1
		NotAfter     time.Time    `json:"not_after,omitzero"` // of the certificate, if known
	}
)

// maxRevocations is the most in one document: some 500 kB.
const maxRevocations = 4000

// exporter is a vault that exports its CA's key.
type exporter interface {
	// ExportCA returns the CA as PEM: its certificate, its chain and the private key.
	ExportCA(ctx context.Context) (secret.String, error)
}

// readPKI makes the documents below _pki. The number is read last, so that it is at
// least that of any CRL with the revocations read before.
func readPKI(ctx context.Context, from Source, each func(path string, data vault.Data) error) error {
	text, err := caOf(ctx, from)
	if err != nil {
		return err
	}
	if err := emit(each, caPath, wireCA{text.Reveal()}); err != nil {
		return err
	}
	part, parts := wireRevocations{}, 0
	flush := func() error {
		parts++
		err := emit(each, fmt.Sprintf("%s%06d", revocationsPath, parts), part)
		part.Revocations = part.Revocations[:0]
		return err
	}
	err = from.Revoked(ctx, func(r vault.Revocation) error {
		part.Revocations = append(part.Revocations, wireRevocation{r.Serial, r.At.UTC(), r.Reason, r.NotAfter.UTC()})
		if len(part.Revocations) < maxRevocations {
			return nil
		}
		return flush()
	})
	if err == nil && len(part.Revocations) > 0 {
		err = flush()
	}
	if err != nil {
		return err
	}
	number, at, err := from.CRLNumber(ctx)
	if err != nil {
		return err
	}
	return emit(each, crlPath, wireCRL{number, at.UTC()})
}

func caOf(ctx context.Context, from Source) (secret.String, error) {
	if e, ok := from.(exporter); ok {
		return e.ExportCA(ctx)
	}
	chain, err := from.Chain(ctx)
	var text bytes.Buffer
	for _, der := range chain {
		_ = pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: der}) // into memory
	}
	return secret.New(text.String()), err
}

func emit(each func(string, vault.Data) error, path string, document any) error {
	data, err := vault.Encode(document)
	if err != nil {
		return err
	}
	return each(path, data)
}

// authority is the CA of a backup.
type authority struct {
	chain [][]byte      // DER, the CA first; empty: no CA in the backup
	text  secret.String // PEM
	key   bool          // the key is included
}

var errForm = errors.New("it is not of its form")

func parseCA(data vault.Data) (a authority, err error) {
	var w wireCA
	if data.Decode(&w) != nil {
		return a, errForm
	}
	a.text = secret.New(w.PEM)
	for rest := []byte(w.PEM); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			a.key = true
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return a, errForm
		}
		a.chain = append(a.chain, block.Bytes)
	}
	if len(a.chain) == 0 {
		return a, errForm
	}
	return a, nil
}

func parseCRL(data vault.Data) (w wireCRL, err error) {
	if data.Decode(&w) != nil {
		return w, errForm
	}
	return w, nil
}

func isRevocations(path string) bool { return strings.HasPrefix(path, revocationsPath) }

func parseRevocations(data vault.Data) ([]vault.Revocation, error) {
	var w wireRevocations
	if data.Decode(&w) != nil {
		return nil, errForm
	}
	list := make([]vault.Revocation, len(w.Revocations))
	for i, r := range w.Revocations {
		if _, err := vault.ParseSerial(r.SerialNumber); err != nil || !r.Reason.Valid() {
			return nil, errForm
		}
		list[i] = vault.Revocation{Serial: r.SerialNumber, At: r.RevokedAt, Reason: r.Reason, NotAfter: r.NotAfter}
	}
	return list, nil
}
