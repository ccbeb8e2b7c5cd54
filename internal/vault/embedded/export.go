package embedded

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded/issuance"
)

// ExportCA returns the CA as PEM: its certificate, those above it, and the private key (PKCS #8),
// for backups and for moving it to another vault.
func (e *Engine) ExportCA(ctx context.Context) (secret.String, error) {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return secret.String{}, err
	}
	ca := v.ca.Load()
	var text bytes.Buffer
	for _, cert := range ca.chain {
		if err := pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}); err != nil {
			return secret.String{}, err
		}
	}
	key, err := x509.MarshalPKCS8PrivateKey(ca.key)
	if err != nil {
		return secret.String{}, err
	}
	if err := pem.Encode(&text, &pem.Block{Type: "PRIVATE KEY", Bytes: key}); err != nil {
		return secret.String{}, err
	}
	return secret.New(text.String()), nil
}

// CRLNumber implements vault.Numbered.
func (e *Engine) CRLNumber(ctx context.Context) (number uint64, thisUpdate time.Time, err error) {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return 0, time.Time{}, err
	}
	var mark crlMark
	err = v.view(func(r reader) (err error) {
		mark, err = r.crlMark()
		return err
	})
	if mark.made.Unix() > 0 { // the list is this CA's
		thisUpdate = mark.made
	}
	return mark.number, thisUpdate, err
}

// ReplaceCA replaces the vault's CA, durably and atomically, with the PEM that ExportCA returns.
// The vault's revocations stay on its lists; the caller adds those of the new CA first. CRL numbers
// continue above both the vault's and the given one. vault.ErrInvalid if the CA does not fit; the
// same CA again changes only the number.
func (e *Engine) ReplaceCA(ctx context.Context, ca secret.String, above uint64) error {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return err
	}
	chain, key, err := issuance.ParseCA([]byte(ca.Reveal()), e.now())
	if err != nil {
		return err
	}
	next, err := e.newIssuer(&authority{chain, key})
	if err != nil {
		return err
	}
	record, err := next.encode()
	if err != nil {
		return err
	}
	return v.list.replace(ctx, next.authority, func(ctx context.Context) error {
		return v.writer.do(ctx, len(record), func(t *txn) error {
			mark, err := t.crlMark()
			if err != nil {
				return err
			}
			if above > vault.HighestCRL {
				return fmt.Errorf("%w: no CRL has the number %d", vault.ErrInvalid, above)
			}
			mark.number = max(mark.number, above)
			// No list of this CA has shown anything yet (see listed).
			mark.made = time.Unix(0, 0)
			if err := t.seal(bucketPKI, keyCA, record); err != nil {
				return err
			}
			return t.seal(bucketPKI, keyCRL, mark.encode())
		}, func() { v.ca.Store(next) })
	})
}
