package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/store/sqlcgen"
	"github.com/keyward/keyward/internal/vault"
)

var compromised = cert.ReasonName(vault.KeyCompromise)

// revokeOne returns 0 if there is nothing to revoke.
func (t *tx) revokeOne(ctx context.Context, serialNumber string, reason vault.Reason, at time.Time) (int64, error) {
	if reason == vault.KeyCompromise {
		return t.q.CompromiseCertificate(ctx, sqlcgen.CompromiseCertificateParams{At: pointerTo(micros(at)), SerialNumber: serialNumber})
	}
	return t.q.RevokeCertificate(ctx, sqlcgen.RevokeCertificateParams{
		At: pointerTo(micros(at)), Reason: cert.ReasonName(reason), SerialNumber: serialNumber})
}

// revokeKey revokes the live certificates of a compromised key, of any owner, each with an entry in
// its own organization; cause is the certificate by which the compromise became known. Their owners
// are notified, since nothing else notifies them.
func (t *tx) revokeKey(ctx context.Context, publicKeySHA256 string, at time.Time, entry audit.Entry, cause string) error {
	rows, err := t.q.RevokeLiveOfKey(ctx, sqlcgen.RevokeLiveOfKeyParams{At: pointerTo(micros(at)), PublicKeySha256: publicKeySHA256})
	if err != nil {
		return err
	}
	for _, row := range rows {
		e := revocation(entry, row.SerialNumber).In(row.OrganizationID).Because(compromised).
			Saying("its key is the compromised one of certificate " + cause)
		c, err := t.bySerial(ctx, row.SerialNumber)
		if err != nil {
			return err
		}
		if c.OwnerID != nil && !access.SameID(c.OwnerID, entry.ActorID) {
			e = e.Notifying(notify.Message{
				To: notify.Audience{UserID: *c.OwnerID}, Kind: notify.CertificateRevoked, At: at, Params: notify.Params{
					"by": entry.Actor, "serial": c.HWKeySerial, "slot": c.Slot, "certificate": c.SerialNumber, "reason": compromised,
				},
			})
		}
		if err := t.audit(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// compromiseToken bars the keys of a lost token: also those of its owner's certificates that had
// ended, and of certificates elsewhere with such a key.
func (t *tx) compromiseToken(ctx context.Context, d hwkey.Device, r hwkey.Revocation, live []sqlcgen.RevokeLiveOfHWKeyRow) error {
	rows, err := t.q.CompromiseLastOfHWKey(ctx, sqlcgen.CompromiseLastOfHWKeyParams{
		At: pointerTo(micros(r.At)), HwkeyID: d.ID, OwnerID: d.OwnerID})
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := t.audit(ctx, revocation(r.Entry, row.SerialNumber).Because(compromised)); err != nil {
			return err
		}
		live = append(live, sqlcgen.RevokeLiveOfHWKeyRow(row))
	}
	for _, row := range live {
		if err := t.revokeKey(ctx, row.PublicKeySha256, r.At, r.Entry, row.SerialNumber); err != nil {
			return err
		}
	}
	return nil
}
