package store

import (
	"context"
	"encoding/base64"
	"slices"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/store/sqlcgen"
	"github.com/keyward/keyward/internal/vault"
)

// RevokeUnrecorded implements cert.Store.
func (db *DB) RevokeUnrecorded(ctx context.Context, r vault.Revocation, publicKeySHA256 string, entry audit.Entry) error {
	return db.write(ctx, "revoke unrecorded", func(ctx context.Context, t *tx) error {
		notAfter := int64(0)
		if !r.NotAfter.IsZero() {
			notAfter = micros(r.NotAfter)
		}
		n, err := t.q.RevokeUnrecorded(ctx, sqlcgen.RevokeUnrecordedParams{
			SerialNumber: r.Serial, RevokedAt: micros(r.At), RevocationReason: cert.ReasonName(r.Reason), NotAfter: notAfter,
			PublicKeySha256: publicKeySHA256, Der: base64.StdEncoding.EncodeToString(r.Certificate),
		})
		if err != nil {
			return err
		}
		if n == 0 {
			return errRevoked
		}
		if err := t.audit(ctx, about([]audit.Entry{entry}, "certificate", r.Serial)...); err != nil {
			return err
		}
		if r.Reason != vault.KeyCompromise || publicKeySHA256 == "" {
			return nil
		}
		return t.revokeKey(ctx, publicKeySHA256, r.At, entry, r.Serial)
	})
}

// UnrecordedRevocations implements cert.Store.
func (db *DB) UnrecordedRevocations(ctx context.Context, serialNumbers []string) (map[string]cert.Unrecorded, error) {
	out := make(map[string]cert.Unrecorded, len(serialNumbers))
	for part := range slices.Chunk(serialNumbers, chunk) {
		w := &where{}
		oneOf(w, "r.serial_number", part)
		list, err := queryAll(ctx, db.read, scanUnrecorded, `SELECT r.serial_number, r.revoked_at, r.revocation_reason, r.published_at,
			r.not_after, r.der FROM unrecorded_revocations AS r`+w.String(), w.args...)
		if err != nil {
			return nil, asFault("unrecorded revocations", err)
		}
		for _, r := range list {
			out[r.Serial] = r
		}
	}
	return out, nil
}

func scanUnrecorded(row scanner) (r cert.Unrecorded, err error) {
	var serialNumber, reason, der string
	var at, notAfter int64
	var published *int64
	if err := row.Scan(&serialNumber, &at, &reason, &published, &notAfter, &der); err != nil {
		return r, err
	}
	r.Revocation, err = revocationOf(serialNumber, reason, der, at, notAfter)
	r.Published = published != nil
	return r, err
}

// Usernames implements cert.Store.
func (db *DB) Usernames(ctx context.Context, accounts []int64) (map[int64]string, error) {
	type named struct {
		id   int64
		name string
	}
	out := make(map[int64]string, len(accounts))
	for part := range slices.Chunk(accounts, chunk) {
		w := &where{}
		oneOf(w, "u.id", part)
		list, err := queryAll(ctx, db.read, func(row scanner) (n named, err error) {
			err = row.Scan(&n.id, &n.name)
			return n, err
		}, "SELECT u.id, u.username FROM users AS u"+w.String(), w.args...)
		if err != nil {
			return nil, asFault("usernames", err)
		}
		for _, n := range list {
			out[n.id] = n.name
		}
	}
	return out, nil
}

// IssuanceProofs implements cert.Proofs.
func (db *DB) IssuanceProofs(ctx context.Context, serialNumbers []string) (map[string]cert.Proof, error) {
	out := make(map[string]cert.Proof, len(serialNumbers))
	for part := range slices.Chunk(serialNumbers, chunk) {
		w := &where{}
		oneOf(w, "c.serial_number", part)
		_, err := queryAll(ctx, db.read, func(row scanner) (none struct{}, err error) {
			var serial, der string
			var p cert.Proof
			if err := row.Scan(&serial, &p.PublicKeySHA256, &der); err != nil {
				return none, err
			}
			p.DER, err = base64.StdEncoding.DecodeString(der)
			out[serial] = p
			return none, err
		}, "SELECT c.serial_number, c.public_key_sha256, c.der FROM certificates AS c"+w.String(), w.args...)
		if err != nil {
			return nil, asFault("issuance proofs", err)
		}
		w = &where{}
		oneOf(w, "e.target_key", part) // serial numbers are folded as they are
		w.equal("e.action", string(audit.CertificateIssued))
		w.equal("e.outcome", string(audit.Success))
		logged, err := queryAll(ctx, db.read, scanText, "SELECT e.target_id FROM audit_entries AS e"+w.String(), w.args...)
		if err != nil {
			return nil, asFault("issuance proofs", err)
		}
		for _, serial := range logged {
			p := out[serial]
			p.Logged = true
			out[serial] = p
		}
	}
	return out, nil
}
