package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/cert"
)

// CountByWeek implements cert.Store. Each week is a range of an index, as in the report: grouping
// by a computed week would sort every certificate. A search looks only at those that end first, as
// many as a list is counted to: one that finds little would read all.
func (db *DB) CountByWeek(ctx context.Context, scope access.Scope, f cert.Filter, first time.Time, weeks int) (cert.Weeks, error) {
	out := cert.Weeks{First: first, Counts: make([]int64, weeks), AreExact: true}
	if f.Status != "" && f.Status != cert.Issued {
		return out, nil
	}
	query, args := certificateWeeks(scope, f, first, weeks)
	if f.Q != "" {
		query, args = searchedWeeks(scope, f, first, weeks, db.opts.CountTo)
	}
	type count struct{ n, read, certificates int64 }
	rows, err := queryAll(ctx, db.read, func(row scanner) (c count, err error) {
		err = row.Scan(&c.n, &c.read, &c.certificates)
		return c, err
	}, query, args...)
	var read int64
	for _, r := range rows {
		out.Counts[r.n] = r.certificates
		read += r.read
	}
	out.AreExact = f.Q == "" || read <= int64(db.opts.CountTo)
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
	attestedCertificates(w, f)
	w.is("c.not_after >= w.starts")
	w.is("c.not_after < w.starts + " + w.arg(week))
	w.compare("+c.not_after", ">", micros(f.Now)) // must not choose where each week begins
	if !f.ExpiresFrom.IsZero() {
		w.compare("+c.not_after", ">=", micros(f.ExpiresFrom))
	}
	if !f.ExpiresBefore.IsZero() {
		w.compare("+c.not_after", "<", micros(f.ExpiresBefore))
	}
	return numbers + "SELECT w.n, 0, (SELECT count(*)" + certificateTable + w.String() + ") FROM weeks AS w", w.args
}

// searchedWeeks counts, per week, rows read and matches. It reads at most one above the bound.
func searchedWeeks(scope access.Scope, f cert.Filter, first time.Time, weeks, bound int) (string, []any) {
	w := &where{}
	from := max(micros(first), micros(f.Now)+1)
	until := micros(first.Add(time.Duration(weeks) * cert.Week))
	if !f.ExpiresFrom.IsZero() {
		from = max(from, micros(f.ExpiresFrom))
	}
	if !f.ExpiresBefore.IsZero() {
		until = min(until, micros(f.ExpiresBefore))
	}
	week := "(c.not_after - " + w.arg(micros(first)) + ") / " + w.arg(cert.Week.Microseconds())
	certificateToken(w, f)
	w.scope(scope, certificateScope, f.OwnerID, f.OrganizationID, f.HWKeySerial == "")
	w.is("c.status = 'issued'")
	if f.Installed != nil {
		w.is("(c.installed_at IS NULL) = " + w.arg(!*f.Installed))
	}
	attestedCertificates(w, f)
	column := "c.not_after"
	if fewCertificates(scope, f) {
		column = "+c.not_after"
	}
	endsWithin(w, column, from, until)
	containsCertificate(w, f.Q)
	matches := w.search
	w.search = ""
	return "SELECT counted.week, count(*), sum(counted.matches) FROM (SELECT " + week + " AS week, CASE WHEN " + matches +
		" THEN 1 ELSE 0 END AS matches" + certificateFrom + w.String() + " ORDER BY " + column + " LIMIT " + w.arg(bound+1) +
		") AS counted GROUP BY counted.week", w.args
}
