package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"

	"github.com/keyward/keyward/internal/crlcache"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

var _ crlcache.Shared = (*DB)(nil)

// CRLMark implements crlcache.Shared.
func (db *DB) CRLMark(ctx context.Context) (int64, error) {
	mark, err := db.q().CRLMark(ctx)
	return mark, asFault("crl mark", err)
}

// KeepCRL implements crlcache.Shared.
func (db *DB) KeepCRL(ctx context.Context, c crlcache.Copy) error {
	var chain []byte
	for _, der := range c.Chain {
		chain = append(chain, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	ca := sha256.Sum256(c.Chain[0])
	return db.write(ctx, "keep crl", func(ctx context.Context, t *tx) error {
		return t.q.KeepCRL(ctx, sqlcgen.KeepCRLParams{
			Ca: hex.EncodeToString(ca[:]), Number: int64(c.Number), // #nosec G115 -- a count of lists
			FetchedAt: micros(c.FetchedAt), Der: base64.StdEncoding.EncodeToString(c.DER), Chain: string(chain),
		})
	})
}

// LastCRL implements crlcache.Shared.
func (db *DB) LastCRL(ctx context.Context) (c crlcache.Copy, found bool, err error) {
	row, err := db.q().LastCRL(ctx)
	if none(err) {
		return c, false, nil
	}
	if err != nil {
		return c, false, asFault("last crl", err)
	}
	c.Number, c.FetchedAt = uint64(row.Number), moment(row.FetchedAt) // #nosec G115 -- as it was kept
	if c.DER, err = base64.StdEncoding.DecodeString(row.Der); err != nil {
		return c, false, asFault("last crl", err)
	}
	for rest := []byte(row.Chain); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return c, true, nil
		}
		c.Chain = append(c.Chain, block.Bytes)
	}
}
