package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"

	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/store/sqlcgen"
	"github.com/keyward/keyward/internal/vault"
)

var _ pki.SharedCRL = (*DB)(nil)

// CRLMark implements pki.SharedCRL.
func (db *DB) CRLMark(ctx context.Context) (int64, error) {
	mark, err := db.q().CRLMark(ctx)
	return mark, asFault("crl mark", err)
}

// RevocationOf implements cert.Store.
func (db *DB) RevocationOf(ctx context.Context, issuer, serialNumber string) (known bool, revoked *vault.Revocation, err error) {
	rows, err := db.q().RevocationOf(ctx, sqlcgen.RevocationOfParams{SerialNumber: serialNumber, Issuer: issuer})
	if err != nil {
		return false, nil, asFault("revocation of", err)
	}
	for _, row := range rows {
		if row.RevokedAt == nil {
			continue
		}
		r, err := revocationOf(serialNumber, row.RevocationReason, "", *row.RevokedAt, 0)
		if err != nil {
			return false, nil, asFault("revocation of", err)
		}
		revoked = &r
	}
	return len(rows) > 0, revoked, nil
}

// RevocationMark implements cert.Store.
func (db *DB) RevocationMark(ctx context.Context) (string, error) {
	row, err := db.q().RevocationMark(ctx)
	return fmt.Sprintf("%d/%d", row.Carried, row.Unpublished), asFault("revocation mark", err)
}

// KeepCRL implements pki.SharedCRL.
func (db *DB) KeepCRL(ctx context.Context, c pki.CRLCopy) error {
	key, number, at := caKey(c.Chain[0]), int64(c.Number), micros(c.FetchedAt) // #nosec G115 -- a count of lists
	return db.write(ctx, "keep crl", func(ctx context.Context, t *tx) error {
		switch kept, err := t.q.KeptCRLNumber(ctx, key); {
		case none(err):
		case err != nil || kept > number:
			return err
		case kept == number: // the list may be long
			return t.q.TouchCRL(ctx, sqlcgen.TouchCRLParams{Ca: key, FetchedAt: at})
		}
		var chain []byte
		for _, der := range c.Chain {
			chain = append(chain, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
		}
		return t.q.KeepCRL(ctx, sqlcgen.KeepCRLParams{
			Ca: key, Number: number, FetchedAt: at, Der: base64.StdEncoding.EncodeToString(c.DER), Chain: string(chain),
		})
	})
}

// caKey is the key of the copies of a CA, DER.
func caKey(ca []byte) string {
	sum := sha256.Sum256(ca)
	return hex.EncodeToString(sum[:])
}

// CRLCopies implements pki.SharedCRL.
func (db *DB) CRLCopies(ctx context.Context) ([]pki.CRLCopy, error) {
	rows, err := db.q().CRLCopies(ctx)
	if err != nil {
		return nil, asFault("crl copies", err)
	}
	var list []pki.CRLCopy
	for _, row := range rows {
		c, err := crlCopy(row)
		if err != nil {
			return nil, asFault("crl copies", err)
		}
		list = append(list, c)
	}
	return list, nil
}

// NewerCRL implements pki.SharedCRL.
func (db *DB) NewerCRL(ctx context.Context, ca []byte, number uint64) (pki.CRLCopy, bool, error) {
	row, err := db.q().NewerCRL(ctx, sqlcgen.NewerCRLParams{Ca: caKey(ca), Number: int64(number)}) // #nosec G115 -- a count of lists
	if none(err) {
		return pki.CRLCopy{}, false, nil
	}
	if err != nil {
		return pki.CRLCopy{}, false, asFault("newer crl", err)
	}
	c, err := crlCopy(sqlcgen.CRLCopiesRow(row))
	return c, err == nil, asFault("newer crl", err)
}

func crlCopy(row sqlcgen.CRLCopiesRow) (c pki.CRLCopy, err error) {
	c.Number, c.FetchedAt = uint64(row.Number), moment(row.FetchedAt) // #nosec G115 -- as it was kept
	if c.DER, err = base64.StdEncoding.DecodeString(row.Der); err != nil {
		return c, err
	}
	for rest := []byte(row.Chain); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return c, nil
		}
		c.Chain = append(c.Chain, block.Bytes)
	}
}

// NewestCertificate implements pki.SharedCRL.
func (db *DB) NewestCertificate(ctx context.Context, issuer string) ([]byte, error) {
	text, err := db.q().NewestCertificateDER(ctx, issuer)
	if none(err) {
		return nil, nil
	}
	if err != nil {
		return nil, asFault("newest certificate", err)
	}
	der, err := base64.StdEncoding.DecodeString(text)
	return der, asFault("newest certificate", err)
}
