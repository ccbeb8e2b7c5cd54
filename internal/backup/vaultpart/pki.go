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
	caPath          = "_pki/ca"   // of the first CA
	crlPath         = "_pki/crl"  // likewise
	casPath         = "_pki/cas/" // of the others, by ID
	revocationsPath = "_pki/revocations/"
)

// Forms of these documents (docs/backup-format.md); fields may be added, never changed or removed.
type (
	wireCA struct {
		PEM string `json:"pem"` // the CA, its chain, or its CSR, and its private key (PKCS #8) if the vault exports it
	}
	wireCRL struct {
		Number     uint64    `json:"number"`
		ThisUpdate time.Time `json:"this_update,omitzero"`
	}
	wireLaterCA struct {
		wireCA
		wireCRL
		Active bool `json:"active"` // instead of the first
	}
	wireRevocations struct {
		Revocations []wireRevocation `json:"revocations"`
	}
	wireRevocation struct {
		SerialNumber string       `json:"serial_number"`
		CA           string       `json:"ca,omitempty"` // ID; none: the first
		RevokedAt    time.Time    `json:"revoked_at"`
		Reason       vault.Reason `json:"reason"`             // RFC 5280, section 5.3.1
		NotAfter     time.Time    `json:"not_after,omitzero"` // of the certificate, if known
	}
)

// maxRevocations is the most in one document: some 500 kB.
const maxRevocations = 4000

// readPKI makes the documents below _pki. The numbers are read last, so that each is at
// least that of any CRL with the revocations read before.
func readPKI(ctx context.Context, from Source, each func(path string, data vault.Data) error) error {
	cas, err := casOf(ctx, from)
	if err != nil {
		return err
	}
	first := ""
	for _, ca := range cas {
		if !ca.First {
			continue
		}
		first = ca.ID
		if err := emit(each, caPath, wireCA{ca.PEM.Reveal()}); err != nil {
			return err
		}
	}
	part, parts := wireRevocations{}, 0
	flush := func() error {
		parts++
		err := emit(each, fmt.Sprintf("%s%06d", revocationsPath, parts), part)
		part.Revocations = part.Revocations[:0]
		return err
	}
	err = from.Revoked(ctx, func(r vault.Revocation) error {
		if r.CA == first {
			r.CA = ""
		}
		part.Revocations = append(part.Revocations, wireRevocation{r.Serial, r.CA, r.At.UTC(), r.Reason, r.NotAfter.UTC()})
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
	for _, ca := range cas {
		var last wireCRL
		if len(ca.Chain) > 0 {
			if last.Number, last.ThisUpdate, err = from.CRLNumber(ctx, ca.ID); err != nil {
				return err
			}
			last.ThisUpdate = last.ThisUpdate.UTC()
		}
		if ca.First {
			err = emit(each, crlPath, last)
		} else {
			err = emit(each, casPath+ca.ID, wireLaterCA{wireCA{ca.PEM.Reveal()}, last, ca.Active})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func casOf(ctx context.Context, from Source) ([]vault.ExportedCA, error) {
	if e, ok := from.(vault.CAExporter); ok {
		return e.ExportCAs(ctx)
	}
	cas, err := from.CAs(ctx)
	var list []vault.ExportedCA
	for _, ca := range cas {
		var text bytes.Buffer
		for _, der := range ca.Chain {
			_ = pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: der}) // into memory
		}
		if len(ca.Chain) > 0 { // one that was only requested is nothing without its key
			list = append(list, vault.ExportedCA{CA: ca, PEM: secret.New(text.String())})
		}
	}
	return list, err
}

func emit(each func(string, vault.Data) error, path string, document any) error {
	data, err := vault.Encode(document)
	if err != nil {
		return err
	}
	return each(path, data)
}

// authority is a CA of a backup.
type authority struct {
	vault.ExportedCA

	key      bool // the key is included
	last     wireCRL
	numbered bool // last was present
}

var errForm = errors.New("it is not of its form")

func parseCA(data vault.Data) (a authority, err error) {
	var w wireLaterCA
	if data.Decode(&w) != nil {
		return a, errForm
	}
	a.PEM, a.Active, a.last = secret.New(w.PEM), w.Active, w.wireCRL
	for rest := []byte(w.PEM); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		var spki []byte
		switch block.Type {
		case "CERTIFICATE":
			cert, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return a, errForm
			}
			a.Chain, spki = append(a.Chain, block.Bytes), cert.RawSubjectPublicKeyInfo
		case "CERTIFICATE REQUEST":
			request, err := x509.ParseCertificateRequest(block.Bytes)
			if err != nil {
				return a, errForm
			}
			a.CSR, spki = block.Bytes, request.RawSubjectPublicKeyInfo
		default:
			a.key = true
		}
		if a.ID == "" && spki != nil {
			a.ID = vault.CAID(spki)
		}
	}
	if len(a.Chain)+len(a.CSR) == 0 || len(a.Chain) == 0 && !a.key {
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
		list[i] = vault.Revocation{Serial: r.SerialNumber, CA: r.CA, At: r.RevokedAt, Reason: r.Reason, NotAfter: r.NotAfter}
	}
	return list, nil
}
