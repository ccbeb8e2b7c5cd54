package store

import (
	"context"
	"encoding/base64"
	"maps"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
)

const certificateColumns = `c.id, c.serial_number, h.serial, c.owner_id, c.organization_id, c.slot, c.status,
	c.not_before, c.not_after, c.revoked_at, c.revocation_reason, c.published_at, c.installed_at, c.csr_sha256,
	c.subject, c.common_name, c.sans, c.issuer, c.key_algorithm, c.public_key_sha256, c.issued_by, c.attested`

const certificateFrom = ` FROM certificates AS c JOIN hwkeys AS h ON h.id = c.hwkey_id`

const (
	certificateQuery = "SELECT " + certificateColumns + ", c.der" + certificateFrom
	certificateShort = "SELECT " + certificateColumns + ", ''" + certificateFrom
)

func scanCertificate(row scanner) (c cert.Certificate, err error) {
	var notBefore, notAfter int64
	var revoked, published, installed *int64
	var sans, der string
	err = row.Scan(&c.ID, &c.SerialNumber, &c.HWKeySerial, &c.OwnerID, &c.OrganizationID, &c.Slot, &c.Status,
		&notBefore, &notAfter, &revoked, &c.RevocationReason, &published, &installed, &c.CSRSHA256, &c.Subject,
		&c.CommonName, &sans, &c.Issuer, &c.KeyAlgorithm, &c.PublicKeySHA256, &c.IssuedBy, &c.Attested, &der)
	if err != nil {
		return c, err
	}
	c.NotBefore, c.NotAfter = moment(notBefore), moment(notAfter)
	c.RevokedAt, c.PublishedAt, c.InstalledAt = momentOf(revoked), momentOf(published), momentOf(installed)
	if c.SANs, err = listOf[cert.SAN](sans); err != nil || der == "" {
		return c, err
	}
	c.DER, err = base64.StdEncoding.DecodeString(der)
	return c, err
}

var noCertificate = fault.New(fault.NotFound, "There is no such certificate.")

// certificate reads one row, with DER.
func certificate(ctx context.Context, from querier, w *where, order string) (cert.Certificate, error) {
	c, err := one(ctx, from, scanCertificate, certificateQuery+w.String()+order, w.args...)
	if none(err) {
		err = noCertificate
	}
	return c, err
}

// LiveByCSR implements cert.Store.
func (db *DB) LiveByCSR(ctx context.Context, hwkeySerial, slot, csrSHA256 string, now time.Time) (cert.Certificate, error) {
	c, err := liveByKey(ctx, db.read, liveKey(hwkeySerial, slot, csrSHA256), now)
	return c, failed("live certificate by CSR", err)
}

func liveByKey(ctx context.Context, from querier, key string, now time.Time) (cert.Certificate, error) {
	w := &where{}
	w.equal("c.live_key", key)
	w.compare("c.not_after", ">", micros(now))
	return certificate(ctx, from, w, "")
}

// LiveOf implements cert.Store. The map's keys are the serials as asked for.
func (db *DB) LiveOf(ctx context.Context, hwkeySerials []string, now time.Time) (map[string][]cert.Certificate, error) {
	asked := make(map[string][]string, len(hwkeySerials))
	for _, serial := range hwkeySerials {
		asked[fold(serial)] = append(asked[fold(serial)], serial)
	}
	out := make(map[string][]cert.Certificate, len(hwkeySerials))
	for part := range slices.Chunk(slices.Collect(maps.Keys(asked)), chunk) {
		w := &where{}
		in(w, "h.serial_key", part)
		w.is("c.status = 'issued'")
		w.compare("+c.not_after", ">", micros(now))
		rows, err := list(ctx, db.read, scanCertificate, certificateShort+w.String()+" ORDER BY c.id DESC", w.args...)
		if err != nil {
			return nil, failed("live certificates", err)
		}
		for _, c := range rows {
			for _, serial := range asked[fold(c.HWKeySerial)] {
				out[serial] = append(out[serial], c)
			}
		}
	}
	return out, nil
}

var certificateScope = columns{"c.organization_id", "c.owner_id"}

// Certificate implements cert.Store.
func (db *DB) Certificate(ctx context.Context, scope access.Scope, serialNumber string) (cert.Certificate, error) {
	w := &where{}
	w.equal("c.serial_number", serialNumber)
	w.scope(scope, certificateScope, nil, nil, false)
	c, err := certificate(ctx, db.read, w, "")
	return c, failed("certificate", err)
}

// ListCertificates implements cert.Store.
func (db *DB) ListCertificates(ctx context.Context, scope access.Scope, f cert.Filter, p page.Request) (page.Page[cert.Certificate], error) {
	w := &where{}
	certificateConditions(w, scope, f)
	w.before("c.id", p.Before)
	rows, err := list(ctx, db.read, scanCertificate,
		certificateShort+w.String()+" ORDER BY c.id DESC LIMIT "+w.arg(p.Limit+1), w.args...)
	if err != nil {
		return page.Page[cert.Certificate]{}, failed("list certificates", err)
	}
	return page.Make(rows, p.Limit, func(c cert.Certificate) int64 { return c.ID }), nil
}

func certificateConditions(w *where, scope access.Scope, f cert.Filter) {
	if f.HWKeySerial != "" {
		w.is("c.hwkey_id = (SELECT k.id FROM hwkeys AS k WHERE k.serial_key = " + w.arg(fold(f.HWKeySerial)) + ")")
	}
	// Those that end soon are few among the live ones, and the oldest: their
	// index finds them where the list, newest first, would read it all.
	soon := f.Status == cert.Issued && !f.ExpiresBefore.IsZero() && f.HWKeySerial == "" && f.OwnerID == nil &&
		scope.Reach != access.Own
	if soon {
		w.is("c.id IN (SELECT x.id FROM certificates AS x WHERE x.not_after > " + w.arg(micros(f.Now)) +
			" AND x.not_after < " + w.arg(micros(f.ExpiresBefore)) + ")")
	}
	w.scope(scope, certificateScope, f.OwnerID, f.OrganizationID, f.HWKeySerial == "" && !soon)
	switch f.Status {
	case "":
	case cert.Revoked:
		w.is("c.status = 'revoked'") // literally, for the partial indexes
	case cert.Issued:
		w.is("c.status = 'issued'")
		w.compare("+c.not_after", ">", micros(f.Now))
	case cert.Expired:
		w.is("c.status = 'issued'")
		w.compare("+c.not_after", "<=", micros(f.Now))
	default:
		w.is("FALSE")
	}
	if !f.ExpiresBefore.IsZero() {
		w.compare("+c.not_after", "<", micros(f.ExpiresBefore))
	}
	if f.Q != "" {
		containsCertificate(w, f.Q)
	}
}

// containsCertificate adds "part of the common name or the token's serial,
// or the start of the serial number".
func containsCertificate(w *where, q string) {
	part := escapeLike.Replace(fold(q)) + "%"
	anywhere, start := w.arg("%"+part), w.arg(part)
	w.is(`(c.common_name_key LIKE ` + anywhere + ` ESCAPE '\' OR h.serial_key LIKE ` + anywhere +
		` ESCAPE '\' OR c.serial_number LIKE ` + start + ` ESCAPE '\')`)
}

// liveKey names a token, slot and CSR.
func liveKey(hwkeySerial, slot, csrSHA256 string) string {
	return fold(hwkeySerial) + "/" + slot + "/" + csrSHA256
}
