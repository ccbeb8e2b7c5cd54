package store

import (
	"context"
	"math"
	"strconv"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
)

// ListCertificates implements cert.Store.
func (db *DB) ListCertificates(
	ctx context.Context, scope access.Scope, f cert.Filter, p page.Request,
) (page.Page[cert.Certificate], error) {
	byEnd := f.Sort == cert.EndsFirst || f.Sort == cert.EndsLast
	o, err := db.orderOf(certificateSorts, f.Sort, fewCertificates(scope, f) || f.Installed != nil && !*f.Installed, p)
	var last *certificateEnd
	if err == nil && byEnd && p.Before != 0 {
		last, err = endOf(p)
	}
	if err != nil {
		return page.Page[cert.Certificate]{}, err
	}
	query, args, _ := certificatePage(scope, f, p, o, last)
	_, _, w := certificatePage(scope, f, page.Request{}, o, nil) // of all pages
	rows, err := queryAll(ctx, db.read, scanCertificate, query, args...)
	number := func(c cert.Certificate) int64 { return c.ID }
	return makePage("list certificates", rows, err, p, number, certificateKey(f.Sort),
		db.counted(ctx, certificateTable, certificateJoin, w))
}

// certificateKey returns the value that a list is sorted by; nil if that is the id.
func certificateKey(s page.Sort) func(cert.Certificate) string {
	switch name, _ := s.By(); name {
	case "not_after":
		return func(c cert.Certificate) string { return strconv.FormatInt(micros(c.NotAfter), 10) }
	case "issued":
		return func(cert.Certificate) string { return "" }
	case "common_name":
		return func(c cert.Certificate) string { return fold(c.CommonName) }
	}
	return nil
}

// certificatePage selects a page, and returns its conditions; a page by end continues after last.
// One person's or one token's certificates are few: they are found by that, and sorted. All else
// comes in the order of an index.
func certificatePage(scope access.Scope, f cert.Filter, p page.Request, o order, last *certificateEnd) (string, []any, where) {
	w := &where{}
	named, issued := o.column != "", f.Sort == cert.NewestFirst || f.Sort == cert.OldestFirst
	few := fewCertificates(scope, f)
	certificateToken(w, f)
	from, until := ending(f)
	rare := !few && issued && rareCertificates(w, f, from, until)
	// The unconfirmed are few: their one index serves all organizations and states.
	unconfirmed := !few && !issued && f.Installed != nil && !*f.Installed
	w.scope(scope, certificateScope, f.OwnerID, f.OrganizationID, f.HWKeySerial == "" && !rare && !unconfirmed)
	certificateState(w, f, unconfirmed || named && !o.bare)
	if f.Lapsed {
		w.is(lapsed)
	}
	if f.Q != "" {
		containsCertificate(w, f.Q)
	}
	var by string
	if issued || named {
		column := "+c.not_after"
		if o.bare {
			column = "c.not_after"
		}
		endsWithin(w, column, from, until)
		by = o.by(w, "c.id", p)
	} else {
		by = certificatesByEnd(w, f.Sort == cert.EndsLast, few, from, until, last)
	}
	conditions := *w
	return certificateShort + w.String() + by + " LIMIT " + w.arg(p.Limit+1), w.args, conditions
}

// certificateToken adds the token that the filter names.
func certificateToken(w *where, f cert.Filter) {
	if f.HWKeySerial == "" {
		return
	}
	token := "(SELECT k.id FROM hwkeys AS k WHERE k.serial_key = " + w.arg(fold(f.HWKeySerial)) + ")"
	if canonical := piv.CanonicalSerial(f.HWKeySerial); canonical != f.HWKeySerial {
		token = "COALESCE(" + token + ", (SELECT k.id FROM hwkeys AS k WHERE k.serial_key = " + w.arg(fold(canonical)) + "))"
	}
	w.is("c.hwkey_id = " + token)
}

// lapsed holds for an expired certificate if its token is in use and its slot got no other since. A
// late renewal revokes the expired one.
const lapsed = "EXISTS (SELECT 1 FROM hwkeys AS a WHERE a.id = c.hwkey_id AND a.status = 'active')" +
	" AND NOT EXISTS (SELECT 1 FROM certificates AS n WHERE n.hwkey_id = c.hwkey_id AND n.id > c.id AND n.slot = c.slot)"

var certificateSorts = map[string]sortable{"common_name": textual("c.common_name_key"), "issued": asMade}

// fewCertificates reports whether the filter asks for one person's or one token's.
func fewCertificates(scope access.Scope, f cert.Filter) bool {
	return f.HWKeySerial != "" || f.OwnerID != nil || scope.Reach == access.Own
}

// ending returns when the certificates that a filter selects end: from, inclusive, and until,
// exclusive.
func ending(f cert.Filter) (from, until int64) {
	from, until = math.MinInt64, math.MaxInt64
	switch now := micros(f.Now); f.Status {
	case cert.Issued:
		from = now + 1
	case cert.Expired:
		until = now + 1
	}
	if !f.ExpiresFrom.IsZero() {
		from = max(from, micros(f.ExpiresFrom))
	}
	if !f.ExpiresBefore.IsZero() {
		until = min(until, micros(f.ExpiresBefore))
	}
	return from, until
}

// endsWithin adds the bounds that are set.
func endsWithin(w *where, column string, from, until int64) {
	if from != math.MinInt64 {
		w.compare(column, ">=", from)
	}
	if until != math.MaxInt64 {
		w.compare(column, "<", until)
	}
}

// rareCertificates finds those that are few among the live ones, and often the oldest, by their own
// index; the list, by issue, would read all. It reports whether it did.
func rareCertificates(w *where, f cert.Filter, from, until int64) bool {
	x := &where{args: w.args}
	switch {
	case f.Installed != nil && !*f.Installed:
		x.is("x.installed_at IS NULL")
		endsWithin(x, "x.not_after", from, until)
	case f.Lapsed, f.Status == cert.Issued && !f.ExpiresBefore.IsZero():
		x.is("x.status = 'issued'")
		endsWithin(x, "x.not_after", from, until)
	default:
		return false
	}
	w.args = x.args
	w.is("c.id IN (SELECT x.id FROM certificates AS x" + x.String() + ")")
	return true
}

// certificateState adds the status, literally for the partial indexes unless weak, and whether the
// certificate was seen on a token.
func certificateState(w *where, f cert.Filter, weak bool) {
	column := "c.status"
	if weak {
		column = "COALESCE(c.status, '')"
	}
	switch f.Status {
	case "":
	case cert.Revoked:
		w.is(column + " = 'revoked'")
	case cert.Issued, cert.Expired:
		w.is(column + " = 'issued'")
	default:
		w.is("FALSE")
	}
	switch {
	case f.Installed == nil:
	case *f.Installed:
		w.is("c.installed_at IS NOT NULL")
	default:
		w.is("c.installed_at IS NULL")
	}
	attestedCertificates(w, f)
}

// attestedCertificates adds whether the key is attested, so that no index is chosen for that.
func attestedCertificates(w *where, f cert.Filter) {
	if f.Attested != nil {
		w.is("(c.attestation IS NULL) = " + w.arg(!*f.Attested))
	}
}

// certificateEnd is a place in the list by end: within a microsecond, ids.
type certificateEnd struct{ at, id int64 }

// endOf returns the place that a cursor names.
func endOf(p page.Request) (*certificateEnd, error) {
	at, err := strconv.ParseInt(p.After, 10, 64)
	if err != nil || strconv.FormatInt(at, 10) != p.After {
		return nil, fault.Invalid(page.BadCursor)
	}
	return &certificateEnd{at, p.Before}, nil
}

// certificatesByEnd adds the range and returns the order. Where a page begins, only one bound may
// choose the place in the index: the last row seen, if there is one. Among rows that end in its
// very microsecond SQLite reads the ids in the index again, but not the rows.
func certificatesByEnd(w *where, descending, few bool, from, until int64, last *certificateEnd) string {
	column, direction, beyond := "c.not_after", "", " > "
	if descending {
		direction, beyond = " DESC", " < "
	}
	if few {
		column = "+c.not_after"
	}
	begin := column
	if last != nil {
		begin = "+c.not_after"
		w.is("(" + column + ", c.id)" + beyond + "(" + w.arg(last.at) + ", " + w.arg(last.id) + ")")
	}
	if descending {
		endsWithin(w, column, from, math.MaxInt64)
		endsWithin(w, begin, math.MinInt64, until)
	} else {
		endsWithin(w, begin, from, math.MaxInt64)
		endsWithin(w, column, math.MinInt64, until)
	}
	return " ORDER BY " + column + direction + ", c.id" + direction
}

// containsCertificate adds "part of the common name or the token's serial,
// or the start of the serial number".
func containsCertificate(w *where, q string) {
	part := escapeLike.Replace(fold(q)) + "%"
	anywhere, start := w.arg("%"+part), w.arg(part)
	w.search = `(c.common_name_key LIKE ` + anywhere + ` ESCAPE '\' OR h.serial_key LIKE ` + anywhere +
		` ESCAPE '\' OR c.serial_number LIKE ` + start + ` ESCAPE '\')`
}
