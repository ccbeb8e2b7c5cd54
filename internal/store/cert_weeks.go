package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/cert"
)

// CountByWeek implements cert.Store. Each week is a range of an index, as in
// the report: grouping by a computed week would sort every certificate.
func (db *DB) CountByWeek(ctx context.Context, scope access.Scope, f cert.Filter, first time.Time, weeks int) ([]int64, error) {
	out := make([]int64, weeks)
	if f.Status != "" && f.Status != cert.Issued {
		return out, nil
	}
	query, args := certificateWeeks(scope, f, first, weeks)
	type count struct{ n, certificates int64 }
	rows, err := queryAll(ctx, db.read, func(row scanner) (c count, err error) {
		err = row.Scan(&c.n, &c.certificates)
		return c, err
	}, query, args...)
	for _, r := range rows {
		out[r.n] = r.certificates
	}
	return out, asFault("count certificates by week", err)
}

func certificateWeeks(scope access.Scope, f cert.Filter, first time.Time, weeks int) (string, []any) {
	w := &where{}
	week := cert.Week.Microseconds()
	numbers := "WITH RECURSIVE weeks (n, starts) AS (SELECT 0, CAST(" + w.arg(micros(first)) +
		" AS BIGINT) UNION ALL SELECT n + 1, starts + " + w.arg(week) + " FROM weeks WHERE n + 1 < " + w.arg(weeks) + ") "
	certificateToken(w, f)
	w.scope(scope, certificateScope, f.OwnerID, f.OrganizationID, f.HWKeySerial == "")
	w.is("c.status = 'issued'")
	if f.Installed != nil {
		w.is("(c.installed_at IS NULL) = " + w.arg(!*f.Installed))
	}
	w.is("c.not_after >= w.starts")
	w.is("c.not_after < w.starts + " + w.arg(week))
	w.compare("+c.not_after", ">", micros(f.Now)) // must not choose where each week begins
	if !f.ExpiresBefore.IsZero() {
		w.compare("+c.not_after", "<", micros(f.ExpiresBefore))
	}
	table := certificateTable
	if f.Q != "" {
		table += certificateJoin
		containsCertificate(w, f.Q)
	}
	return numbers + "SELECT w.n, (SELECT count(*)" + table + w.String() + ") FROM weeks AS w", w.args
}
