package store

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/ca"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// A certificate stays with its organization when its owner moves to another, whose managers alone
// see the name and address that the owner has there: a username may be an email. The certificate's
// own name is known where it was issued.
const certificateColumns = `c.id, c.serial_number, h.serial, c.owner_id, c.organization_id, c.slot, c.status,
	c.not_before, c.not_after, c.revoked_at, c.revocation_reason, c.published_at, c.installed_at, c.csr_sha256,
	c.subject, c.common_name, c.sans, c.issuer, c.key_algorithm, c.public_key_sha256, c.issued_by, c.attestation, c.profile,
	CASE WHEN u.organization_id IS DISTINCT FROM c.organization_id AND u.username LIKE '%@%' THEN c.common_name
		ELSE COALESCE(u.username, '') END,
	CASE WHEN u.organization_id IS NOT DISTINCT FROM c.organization_id THEN COALESCE(u.name, '') ELSE '' END`

const (
	certificateTable = " FROM certificates AS c"
	certificateJoin  = ` JOIN hwkeys AS h ON h.id = c.hwkey_id LEFT JOIN users AS u ON u.id = c.owner_id`
	certificateFrom  = certificateTable + certificateJoin
)

const (
	certificateQuery = "SELECT " + certificateColumns + ", c.der" + certificateFrom
	certificateShort = "SELECT " + certificateColumns + ", ''" + certificateFrom
)

func scanCertificate(row scanner) (c cert.Certificate, err error) {
	var notBefore, notAfter int64
	var revoked, published, installed *int64
	var sans, der string
	var attestation *string
	err = row.Scan(&c.ID, &c.SerialNumber, &c.HWKeySerial, &c.OwnerID, &c.OrganizationID, &c.Slot, &c.Status,
		&notBefore, &notAfter, &revoked, &c.RevocationReason, &published, &installed, &c.CSRSHA256, &c.Subject,
		&c.CommonName, &sans, &c.Issuer, &c.KeyAlgorithm, &c.PublicKeySHA256, &c.IssuedBy, &attestation,
		&c.Profile, &c.OwnerUsername, &c.OwnerName, &der)
	if err != nil {
		return c, err
	}
	c.NotBefore, c.NotAfter = moment(notBefore), moment(notAfter)
	c.RevokedAt, c.PublishedAt, c.InstalledAt = momentOf(revoked), momentOf(published), momentOf(installed)
	if c.Attestation, err = attestationOf(attestation); err != nil {
		return c, err
	}
	if c.SANs, err = listOf[cert.SAN](sans); err != nil || der == "" {
		return c, err
	}
	c.DER, err = base64.StdEncoding.DecodeString(der)
	return c, err
}

// attestationText is an attestation as a column holds it; NULL if there is none.
func attestationText(a *cert.Attestation) (*string, error) {
	if a == nil {
		return nil, nil
	}
	raw, err := json.Marshal(a)
	return pointerTo(string(raw)), err
}

func attestationOf(text *string) (*cert.Attestation, error) {
	if text == nil {
		return nil, nil
	}
	a := &cert.Attestation{}
	return a, json.Unmarshal([]byte(*text), a)
}

// KeyCompromised implements cert.Store.
func (db *DB) KeyCompromised(ctx context.Context, publicKeySHA256 string) (bool, error) {
	compromised, err := db.q().KeyCompromised(ctx, publicKeySHA256)
	return compromised, asFault("key compromised", err)
}

var noCertificate = fault.New(fault.NotFound, "no_certificate", "There is no such certificate.")

// certificate reads one row, with DER.
func certificate(ctx context.Context, from querier, w *where, order string) (cert.Certificate, error) {
	c, err := queryOne(ctx, from, scanCertificate, certificateQuery+w.String()+order, w.args...)
	if none(err) {
		err = noCertificate
	}
	return c, err
}

// LiveByCSR implements cert.Store.
func (db *DB) LiveByCSR(
	ctx context.Context, of cert.CSR, publicKeySHA256 string, now time.Time,
) (c cert.Certificate, err error) {
	key := liveKey(of)
	known, err := db.q().KnownOfCSR(ctx, sqlcgen.KnownOfCSRParams{PublicKeySha256: publicKeySHA256, LiveKey: &key})
	switch {
	case err != nil:
	case known.Compromised:
		err = cert.ErrKeyCompromised
	case !known.Signed:
		err = noCertificate
	default:
		c, err = liveByKey(ctx, db.read, key, now)
	}
	return c, asFault("live certificate by CSR", err)
}

func liveByKey(ctx context.Context, from querier, key string, now time.Time) (cert.Certificate, error) {
	w := &where{}
	w.equal("c.live_key", key)
	w.compare("c.not_after", ">", micros(now))
	return certificate(ctx, from, w, "")
}

// LiveOf implements cert.Store. The map's keys are the serials as given.
func (db *DB) LiveOf(ctx context.Context, hwkeySerials []string, now time.Time) (map[string][]cert.Certificate, error) {
	asked := make(map[string][]string, len(hwkeySerials))
	for _, serial := range hwkeySerials {
		asked[fold(serial)] = append(asked[fold(serial)], serial)
	}
	out := make(map[string][]cert.Certificate, len(hwkeySerials))
	for part := range slices.Chunk(slices.Collect(maps.Keys(asked)), chunk) {
		w := &where{}
		oneOf(w, "h.serial_key", part)
		w.is("c.status = 'issued'")
		w.compare("+c.not_after", ">", micros(now))
		rows, err := queryAll(ctx, db.read, scanCertificate, certificateShort+w.String()+" ORDER BY c.id DESC", w.args...)
		if err != nil {
			return nil, asFault("live certificates", err)
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
	return c, asFault("certificate", err)
}

// liveKey names a token, slot, CSR and profile; the default profile has no name here, as before
// there were others.
func liveKey(of cert.CSR) string {
	key := fold(of.HWKeySerial) + "/" + of.Slot + "/" + of.SHA256
	if of.Profile != profile.Default && of.Profile != "" {
		key += "/" + of.Profile
	}
	return key
}

// ProfileAlive implements profile.Certificates.
func (db *DB) ProfileAlive(ctx context.Context, name string, now time.Time) (bool, error) {
	alive, err := db.q().ProfileAlive(ctx, sqlcgen.ProfileAliveParams{Profile: name, Now: micros(now)})
	return alive, asFault("certificates of a profile", err)
}

// LiveByIssuer implements ca.Certificates.
func (db *DB) LiveByIssuer(ctx context.Context, now time.Time) (map[string]ca.Issued, error) {
	rows, err := db.q().LiveByIssuer(ctx, micros(now))
	if err != nil {
		return nil, asFault("live by issuer", err)
	}
	out := make(map[string]ca.Issued, len(rows))
	for _, row := range rows {
		out[row.Issuer] = ca.Issued{Live: row.Live, Last: moment(row.Last)}
	}
	return out, nil
}
