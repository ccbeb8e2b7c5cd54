package store

import (
	"context"
	"encoding/base64"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/intentlog"
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
		key, err := t.q.RevokeUnrecorded(ctx, sqlcgen.RevokeUnrecordedParams{
			SerialNumber: r.Serial, RevokedAt: micros(r.At), RevocationReason: cert.ReasonName(r.Reason), NotAfter: notAfter,
			PublicKeySha256: publicKeySHA256, Der: base64.StdEncoding.EncodeToString(r.Certificate),
		})
		if none(err) {
			return errRevoked
		}
		if err != nil {
			return err
		}
		if err := t.audit(ctx, about([]audit.Entry{entry}, "certificate", r.Serial)...); err != nil {
			return err
		}
		if r.Reason != vault.KeyCompromise || key == "" {
			return nil
		}
		return t.revokeKey(ctx, key, r.At, entry, r.Serial)
	})
}

// UnrecordedRevocations implements cert.Store.
func (db *DB) UnrecordedRevocations(ctx context.Context, serialNumbers []string) (map[string]cert.Unrecorded, error) {
	out := make(map[string]cert.Unrecorded, len(serialNumbers))
	for part := range slices.Chunk(serialNumbers, chunk) {
		w := &where{}
		oneOf(w, "r.serial_number", part)
		list, err := queryAll(ctx, db.read, scanUnrecorded, `SELECT r.serial_number, r.revoked_at, r.revocation_reason, r.published_at,
			r.not_after, r.der, r.public_key_sha256 FROM unrecorded_revocations AS r`+w.String(), w.args...)
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
	if err := row.Scan(&serialNumber, &at, &reason, &published, &notAfter, &der, &r.Key); err != nil {
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

// CertificatesDER implements cert.Store.
func (db *DB) CertificatesDER(ctx context.Context, serialNumbers []string) (map[string][]byte, error) {
	out := make(map[string][]byte, len(serialNumbers))
	for part := range slices.Chunk(serialNumbers, chunk) {
		w := &where{}
		oneOf(w, "c.serial_number", part)
		_, err := queryAll(ctx, db.read, func(row scanner) (none struct{}, err error) {
			var serial, der string
			if err := row.Scan(&serial, &der); err != nil {
				return none, err
			}
			out[serial], err = base64.StdEncoding.DecodeString(der)
			return none, err
		}, "SELECT c.serial_number, c.der FROM certificates AS c"+w.String(), w.args...)
		if err != nil {
			return nil, asFault("certificates", err)
		}
	}
	return out, nil
}

// IssuanceProofs implements intentlog.IssuanceDatabase.
func (db *DB) IssuanceProofs(ctx context.Context, serialNumbers []string) (map[string]intentlog.IssuanceProof, error) {
	out := make(map[string]intentlog.IssuanceProof, len(serialNumbers))
	for part := range slices.Chunk(serialNumbers, chunk) {
		w := &where{}
		oneOf(w, "c.serial_number", part)
		_, err := queryAll(ctx, db.read, func(row scanner) (none struct{}, err error) {
			var serial, der string
			var p intentlog.IssuanceProof
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
		oneOf(w, "e.target_key", part) // folding leaves serial numbers unchanged
		w.equal("e.action", string(audit.CertificateIssued))
		w.equal("e.outcome", string(audit.Success))
		rows, err := queryAll(ctx, db.read, newTyped(20).row, "SELECT "+auditColumns+", e.actor_key, e.target_key FROM audit_entries AS e"+
			w.String(), w.args...)
		if err != nil {
			return nil, asFault("issuance proofs", err)
		}
		for _, row := range rows {
			p := out[row.TargetID]
			p.Entries = append(p.Entries, row)
			out[row.TargetID] = p
		}
	}
	return out, nil
}

// CertificatesAfter implements intentlog.IssuanceDatabase.
func (db *DB) CertificatesAfter(
	ctx context.Context, after int64, from, ends time.Time, limit int,
) (serialNumbers []string, last int64, err error) {
	serialNumbers, err = queryAll(ctx, db.read, func(row scanner) (serial string, err error) {
		err = row.Scan(&last, &serial)
		return serial, err
	}, `SELECT c.id, c.serial_number FROM certificates AS c WHERE c.id > $1 AND c.not_before < $2 AND c.not_after > $3
		ORDER BY c.id LIMIT $4`, after, micros(from), micros(ends), limit)
	return serialNumbers, last, asFault("certificates", err)
}
