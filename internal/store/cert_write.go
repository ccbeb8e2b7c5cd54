package store

import (
	"context"
	"encoding/base64"
	"errors"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/store/sqlcgen"
	"github.com/keyward/keyward/internal/vault"
)

// InsertCertificate implements cert.Store. The store's clock decides whether a conflicting
// certificate is live.
func (db *DB) InsertCertificate(
	ctx context.Context, c cert.Certificate, entry audit.Entry, told ...notify.Message,
) (stored cert.Certificate, existed bool, err error) {
	p, err := certificateParams(c)
	if err != nil {
		return cert.Certificate{}, false, asFault("insert certificate", err)
	}
	err = db.write(ctx, "insert certificate", func(ctx context.Context, t *tx) error {
		serial, err := t.signable(ctx, c, &p)
		if err != nil {
			return err
		}
		id, old, err := t.addCertificate(ctx, p, c.Renews)
		if err != nil {
			return err
		}
		if old != nil {
			stored, existed = *old, true
			return nil
		}
		stored, existed = inserted(c, id, serial), false
		for _, m := range told {
			if err := t.notify(ctx, m); err != nil {
				return err
			}
		}
		return t.audit(ctx, about([]audit.Entry{entry}, "certificate", c.SerialNumber)...)
	})
	if err != nil {
		return cert.Certificate{}, false, err
	}
	return stored, existed, nil
}

// signable checks that the token and its owner are as the signer saw them, until the commit, and
// that the key is sound, and fills in the token's row. It returns the serial as registered.
func (t *tx) signable(ctx context.Context, c cert.Certificate, p *sqlcgen.InsertCertificateParams) (string, error) {
	query, args := t.signingStanding(c)
	s, err := queryOne(ctx, t.sql, scanSigningStanding, query, args...)
	if none(err) {
		return "", fault.New(fault.Conflict, "hwkey_unregistered",
			"The token is not registered. Register it first.")
	}
	if err != nil {
		return "", err
	}
	if c.OwnerID != nil && (!s.ownerActive || s.ownerUsername != c.OwnerUsername || s.ownerEmail != c.OwnerEmail ||
		s.ownerName != c.OwnerName || s.ownerUPN != c.OwnerUPN || s.ownerSID != c.OwnerSID) {
		return "", fault.New(fault.Conflict, "owner_not_as_asked",
			"The owner's account has just changed. Reload the token and request a new certificate.")
	}
	if !access.SameID(s.ownerID, c.OwnerID) || !access.SameID(s.organizationID, c.OrganizationID) || !s.status.Signs() {
		return "", fault.New(fault.Conflict, "hwkey_not_as_asked",
			"The token's status, owner or organization has just changed. Reload it and request a new certificate.")
	}
	if s.generation != c.Generation {
		return "", fault.New(fault.Conflict, "key_of_before",
			"The token was reset or reported lost after this key was created. Create a new key and request the certificate again.")
	}
	if s.compromised {
		return "", cert.ErrKeyCompromised
	}
	p.HwkeyID = s.id
	return s.serial, nil
}

// signingStanding queries what a certificate depends on: its token and, if the signer saw one, the
// owner, both unchanged until the commit, and whether the key was compromised. A key may have any
// number of certificates: they are not read. A concurrent revocation of one of them and this write
// cannot both commit without one seeing the other.
func (t *tx) signingStanding(c cert.Certificate) (query string, args []any) {
	const token = `SELECT h.id, h.serial, h.status, h.owner_id, h.organization_id, h.generation,
		(EXISTS (SELECT 1 FROM certificates AS c WHERE c.public_key_sha256 = $2 AND c.revocation_reason = 'keyCompromise')
		OR EXISTS (SELECT 1 FROM unrecorded_revocations AS r WHERE r.public_key_sha256 = $2 AND r.revocation_reason = 'keyCompromise')), `
	args = []any{fold(c.HWKeySerial), c.PublicKeySHA256}
	if c.OwnerID == nil {
		return t.keeping(token+"'', '', FALSE, '', '', '' FROM hwkeys AS h WHERE h.serial_key = $1", "h"), args
	}
	const owner = `u.username, u.email, u.is_active, u.name, u.upn, u.sid
		FROM hwkeys AS h JOIN users AS u ON u.id = $3 WHERE h.serial_key = $1`
	return t.keeping(token+owner, "u", "h"), append(args, *c.OwnerID)
}

type signingStands struct {
	id                        int64
	serial                    string
	status                    hwkey.Status
	ownerID, organizationID   *int64
	generation                int64
	compromised               bool
	ownerUsername, ownerEmail string
	ownerActive               bool
	ownerName                 string
	ownerUPN, ownerSID        string
}

func scanSigningStanding(row scanner) (s signingStands, err error) {
	err = row.Scan(&s.id, &s.serial, &s.status, &s.ownerID, &s.organizationID, &s.generation, &s.compromised, &s.ownerUsername, &s.ownerEmail,
		&s.ownerActive, &s.ownerName, &s.ownerUPN, &s.ownerSID)
	return s, err
}

// addCertificate returns the new row's number, or the live certificate in its place, if that is not
// the one that it renews.
func (t *tx) addCertificate(
	ctx context.Context, p sqlcgen.InsertCertificateParams, renews string,
) (int64, *cert.Certificate, error) {
	now := t.now()
	for {
		id, err := t.q.InsertCertificate(ctx, p)
		if !none(err) {
			return id, nil, err
		}
		if p.LiveKey != nil {
			old, err := liveByKey(ctx, t.sql, *p.LiveKey, now)
			if err == nil && old.SerialNumber != renews {
				return 0, &old, nil
			}
			if err != nil && !fault.Is(err, fault.NotFound) {
				return 0, nil, err
			}
			freed, err := t.q.ReleaseLiveKey(ctx, sqlcgen.ReleaseLiveKeyParams{LiveKey: p.LiveKey, Now: micros(now), Renewed: renews})
			if err != nil {
				return 0, nil, err
			}
			if freed > 0 {
				continue
			}
		}
		return 0, nil, fault.New(fault.Conflict, "certificate_exists", "A certificate with that serial number already exists.")
	}
}

func certificateParams(c cert.Certificate) (sqlcgen.InsertCertificateParams, error) {
	sans, err := listText(c.SANs)
	attestation, attestErr := attestationText(c.Attestation)
	p := sqlcgen.InsertCertificateParams{
		SerialNumber: c.SerialNumber, OwnerID: c.OwnerID, OrganizationID: c.OrganizationID, Slot: c.Slot,
		Status: string(c.Status), NotBefore: micros(c.NotBefore), NotAfter: micros(c.NotAfter),
		RevokedAt: microsOf(c.RevokedAt), RevocationReason: c.RevocationReason, PublishedAt: microsOf(c.PublishedAt),
		InstalledAt: microsOf(c.InstalledAt), CsrSha256: c.CSRSHA256, Subject: c.Subject, CommonName: c.CommonName,
		CommonNameKey: fold(c.CommonName), Sans: sans, Issuer: c.Issuer, KeyAlgorithm: c.KeyAlgorithm,
		PublicKeySha256: c.PublicKeySHA256, IssuedBy: c.IssuedBy, Attestation: attestation,
		Der: base64.StdEncoding.EncodeToString(c.DER), Profile: c.Profile,
	}
	if c.Status != cert.Revoked {
		p.Status = string(cert.Issued)
		p.LiveKey = pointerTo(liveKey(c.CSR()))
	}
	return p, errors.Join(err, attestErr)
}

// inserted is the certificate as a reader sees it.
func inserted(c cert.Certificate, id int64, serial string) cert.Certificate {
	c.ID, c.HWKeySerial, c.OwnerEmail, c.OwnerUPN, c.OwnerSID, c.Renews = id, serial, "", "", "", ""
	if c.Status != cert.Revoked {
		c.Status = cert.Issued
	}
	if c.SANs == nil {
		c.SANs = []cert.SAN{}
	}
	c.NotBefore, c.NotAfter = moment(micros(c.NotBefore)), moment(micros(c.NotAfter))
	c.RevokedAt, c.PublishedAt = momentOf(microsOf(c.RevokedAt)), momentOf(microsOf(c.PublishedAt))
	c.InstalledAt = momentOf(microsOf(c.InstalledAt))
	return c
}

var errRevoked = fault.New(fault.Conflict, "revoked", "This certificate is already revoked.")

// bySerial reads a certificate within the transaction.
func (t *tx) bySerial(ctx context.Context, serialNumber string) (cert.Certificate, error) {
	w := &where{}
	w.equal("c.serial_number", serialNumber)
	return certificate(ctx, t.sql, w, "")
}

// RevokeCertificate implements cert.Store.
func (db *DB) RevokeCertificate(
	ctx context.Context, serialNumber string, reason vault.Reason, at time.Time, entry audit.Entry,
) (stored cert.Certificate, err error) {
	err = db.write(ctx, "revoke certificate", func(ctx context.Context, t *tx) error {
		n, err := t.revokeOne(ctx, serialNumber, reason, at)
		if err != nil {
			return err
		}
		if stored, err = t.bySerial(ctx, serialNumber); err != nil {
			return err
		}
		if n == 0 {
			return errRevoked
		}
		if err := t.audit(ctx, about([]audit.Entry{entry}, "certificate", serialNumber)...); err != nil {
			return err
		}
		if reason != vault.KeyCompromise {
			return nil
		}
		return t.revokeKey(ctx, stored.PublicKeySHA256, at, entry, serialNumber)
	})
	if err != nil {
		return cert.Certificate{}, err
	}
	return stored, nil
}

// InstallCertificate implements cert.Store.
func (db *DB) InstallCertificate(
	ctx context.Context, serialNumber string, at time.Time, installed, superseded audit.Entry,
) (stored cert.Certificate, err error) {
	err = db.write(ctx, "install certificate", func(ctx context.Context, t *tx) error {
		row, err := t.q.InstallCertificate(ctx, sqlcgen.InstallCertificateParams{
			At: pointerTo(micros(at)), SerialNumber: serialNumber})
		fresh := !none(err)
		if err != nil && fresh {
			return err
		}
		if stored, err = t.bySerial(ctx, serialNumber); err != nil {
			return err
		}
		if !fresh && stored.Status == cert.Revoked {
			return fault.New(fault.Conflict, "revoked_installed", "The certificate is revoked. Request a new one.")
		}
		if !fresh {
			return nil
		}
		if err := t.audit(ctx, about([]audit.Entry{installed}, "certificate", serialNumber)...); err != nil {
			return err
		}
		return t.supersede(ctx, row, at, superseded)
	})
	if err != nil {
		return cert.Certificate{}, err
	}
	return stored, nil
}

// supersede revokes the slot's earlier certificates.
func (t *tx) supersede(ctx context.Context, row sqlcgen.InstallCertificateRow, at time.Time, entry audit.Entry) error {
	old, err := t.q.RevokeEarlierInSlot(ctx, sqlcgen.RevokeEarlierInSlotParams{
		At: pointerTo(micros(at)), Reason: cert.ReasonName(vault.Superseded), HwkeyID: row.HwkeyID, Slot: row.Slot, Before: row.ID})
	if err != nil {
		return err
	}
	for _, o := range old {
		if err := t.audit(ctx, revocation(entry, o.SerialNumber)); err != nil {
			return err
		}
	}
	return nil
}
