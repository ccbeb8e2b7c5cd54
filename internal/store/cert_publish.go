package store

import (
	"context"
	"encoding/base64"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/store/sqlcgen"
	"github.com/keyward/keyward/internal/vault"
)

// chunk is how many serial numbers one statement names.
const chunk = 512

// UnpublishedRevocations implements cert.Store.
func (db *DB) UnpublishedRevocations(ctx context.Context, skip, limit int) ([]vault.Revocation, error) {
	rows, err := db.q().UnpublishedRevocations(ctx, sqlcgen.UnpublishedRevocationsParams{
		Skipped: int32(min(skip, 1<<30)), MaxRows: int32(min(limit, 1<<30)),
	})
	if err != nil {
		return nil, asFault("unpublished revocations", err)
	}
	out := make([]vault.Revocation, len(rows))
	for i, row := range rows {
		out[i], err = revocationOf(row.SerialNumber, row.RevocationReason, row.Der, value(row.RevokedAt), row.NotAfter)
		if err != nil {
			return nil, asFault("unpublished revocations", err)
		}
	}
	return out, nil
}

// revocationOf reads a row. A reason that only a later version knows becomes Unspecified: the
// revocation must still reach the CRL.
func revocationOf(serialNumber, reason, der string, at, notAfter int64) (r vault.Revocation, err error) {
	r = vault.Revocation{Serial: serialNumber, At: moment(at)}
	r.Reason, _ = cert.ParseReason(reason)
	if notAfter != 0 {
		r.NotAfter = moment(notAfter)
	}
	if der != "" {
		r.Certificate, err = base64.StdEncoding.DecodeString(der)
	}
	return r, err
}

// UnpublishedUnrecorded implements cert.Store.
func (db *DB) UnpublishedUnrecorded(ctx context.Context, skip, limit int) ([]vault.Revocation, error) {
	rows, err := db.q().UnpublishedUnrecorded(ctx, sqlcgen.UnpublishedUnrecordedParams{
		Skipped: int32(min(skip, 1<<30)), MaxRows: int32(min(limit, 1<<30)),
	})
	if err != nil {
		return nil, asFault("unpublished unrecorded", err)
	}
	out := make([]vault.Revocation, len(rows))
	for i, row := range rows {
		out[i], err = revocationOf(row.SerialNumber, row.RevocationReason, row.Der, row.RevokedAt, row.NotAfter)
		if err != nil {
			return nil, asFault("unpublished unrecorded", err)
		}
	}
	return out, nil
}

// MarkPublished implements cert.Store. The first time counts; what is not revoked, or was found
// compromised since, stays unchanged. It moves the mark that other servers follow (CRLMark).
func (db *DB) MarkPublished(ctx context.Context, carried []vault.Revocation, at time.Time) error {
	if len(carried) == 0 {
		return nil
	}
	var compromise, others []string
	for _, r := range carried {
		if r.Reason == vault.KeyCompromise {
			compromise = append(compromise, r.Serial)
		} else {
			others = append(others, r.Serial)
		}
	}
	return db.write(ctx, "mark published", func(ctx context.Context, t *tx) error {
		if err := t.markPublished(ctx, compromise, at, true); err != nil {
			return err
		}
		if err := t.markPublished(ctx, others, at, false); err != nil {
			return err
		}
		return t.q.MoveCRLMark(ctx)
	})
}

// markPublished marks revocations as they were published: for a certificate found compromised
// meanwhile, the vault has another reason.
func (t *tx) markPublished(ctx context.Context, serialNumbers []string, at time.Time, asCompromised bool) error {
	for part := range slices.Chunk(serialNumbers, chunk) {
		for _, table := range []string{"certificates", "unrecorded_revocations"} {
			w := &where{}
			set := "UPDATE " + table + " SET published_at = " + w.arg(micros(at))
			if table == "certificates" {
				w.is("status = 'revoked'")
			}
			w.is("published_at IS NULL")
			if !asCompromised {
				w.is("revocation_reason <> 'keyCompromise'")
			}
			oneOf(w, "serial_number", part)
			if _, err := t.sql.ExecContext(ctx, set+w.String(), w.args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// KnownAmong implements cert.Store.
func (db *DB) KnownAmong(ctx context.Context, serialNumbers []string) (map[string]bool, error) {
	out := make(map[string]bool, len(serialNumbers))
	for part := range slices.Chunk(serialNumbers, chunk) {
		w := &where{}
		oneOf(w, "c.serial_number", part)
		found, err := queryAll(ctx, db.read, scanText, "SELECT c.serial_number FROM certificates AS c"+w.String(), w.args...)
		if err != nil {
			return nil, asFault("known among", err)
		}
		for _, serial := range found {
			out[serial] = true
		}
	}
	return out, nil
}

// PublishedRevocations implements cert.Store: in the order of issue.
func (db *DB) PublishedRevocations(
	ctx context.Context, after int64, ends time.Time, limit int,
) (serialNumbers []string, last int64, err error) {
	rows, err := db.q().PublishedRevocations(ctx, sqlcgen.PublishedRevocationsParams{
		After: after, Ends: micros(ends), MaxRows: int32(min(limit, 1<<30)),
	})
	for _, row := range rows {
		serialNumbers, last = append(serialNumbers, row.SerialNumber), row.ID
	}
	return serialNumbers, last, asFault("published revocations", err)
}

// PublishedUnrecorded implements cert.Store.
func (db *DB) PublishedUnrecorded(ctx context.Context, ends time.Time) (out []vault.Revocation, err error) {
	rows, err := db.q().PublishedUnrecorded(ctx, micros(ends))
	for _, row := range rows {
		r, bad := revocationOf(row.SerialNumber, row.RevocationReason, row.Der, row.RevokedAt, row.NotAfter)
		if bad != nil {
			return nil, asFault("published unrecorded", bad)
		}
		out = append(out, r)
	}
	return out, asFault("published unrecorded", err)
}

// Unpublish implements cert.Store.
func (db *DB) Unpublish(ctx context.Context, serialNumbers []string) error {
	return db.write(ctx, "unpublish", func(ctx context.Context, t *tx) error {
		for part := range slices.Chunk(serialNumbers, chunk) {
			w := &where{}
			oneOf(w, "serial_number", part)
			for _, table := range []string{"certificates", "unrecorded_revocations"} {
				if _, err := t.sql.ExecContext(ctx, "UPDATE "+table+" SET published_at = NULL"+w.String(), w.args...); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// IssuedAmong implements cert.Store.
func (db *DB) IssuedAmong(ctx context.Context, serialNumbers []string) ([]string, error) {
	var out []string
	for part := range slices.Chunk(serialNumbers, chunk) {
		w := &where{}
		w.is("c.status = 'issued'")
		oneOf(w, "c.serial_number", part)
		found, err := queryAll(ctx, db.read, scanText, "SELECT c.serial_number FROM certificates AS c"+w.String(), w.args...)
		if err != nil {
			return nil, asFault("issued among", err)
		}
		out = append(out, found...)
	}
	return out, nil
}

func scanText(row scanner) (text string, err error) {
	err = row.Scan(&text)
	return text, err
}
