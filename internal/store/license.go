package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/licensepolicy"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

var _ licensepolicy.Store = (*DB)(nil)

// RecordLicense implements licensepolicy.Store.
func (db *DB) RecordLicense(ctx context.Context, r licensepolicy.Record, entry audit.Entry) error {
	var summary []byte
	if r.Summary != nil {
		var err error
		if summary, err = json.Marshal(r.Summary); err != nil {
			return fmt.Errorf("store: summary of a license: %w", err)
		}
	}
	return db.write(ctx, "record license", func(ctx context.Context, t *tx) error {
		err := t.q.InsertLicenseEvent(ctx, sqlcgen.InsertLicenseEventParams{
			At: micros(r.At), Operation: string(r.Operation), Outcome: string(r.Outcome), Actor: r.Actor, Message: r.Message,
			Summary: string(summary), Reason: r.Reason,
		})
		if err != nil {
			return err
		}
		return t.audit(ctx, entry)
	})
}

const licenseColumns = "h.id, h.at, h.operation, h.outcome, h.actor, h.message, h.summary, h.reason"

func scanLicenseRecord(row scanner) (r licensepolicy.Record, err error) {
	var at int64
	var summary string
	if err := row.Scan(&r.ID, &at, &r.Operation, &r.Outcome, &r.Actor, &r.Message, &summary, &r.Reason); err != nil {
		return r, err
	}
	r.At = moment(at)
	if summary != "" {
		r.Summary = &licensepolicy.Summary{}
		err = json.Unmarshal([]byte(summary), r.Summary)
	}
	return r, err
}

// LicenseHistory implements licensepolicy.Store.
func (db *DB) LicenseHistory(ctx context.Context, p page.Request) (page.Page[licensepolicy.Record], error) {
	list := listed[licensepolicy.Record]{"SELECT " + licenseColumns, " FROM license_history AS h", "", "h.id",
		scanLicenseRecord, func(r licensepolicy.Record) int64 { return r.ID }}
	return list.page(ctx, db, "license history", &where{}, p)
}
