package store

import (
	"context"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

var (
	usernameTaken = fault.New(fault.Conflict, "username_taken", "That username is taken. Choose another.").
			About(fault.Wrong("username", "of_another", "belongs to another account"))
	emailTaken = fault.New(fault.Conflict, "email_taken", "That email address belongs to another account. Use another one.").
			About(fault.Wrong("email", "of_another", "belongs to another account"))
)

// reserved is the Conflict for a name in a certificate of its former holder: anyone who reads that
// certificate would take the new holder for the former one.
func reserved(field string, until time.Time) error {
	day := dayOf(until)
	if field == "username" {
		return fault.Newf(fault.Conflict, "username_reserved",
			"A certificate of that username's former owner is valid until {until}. Choose another username.", day).
			About(fault.Wrong("username", "reserved_for_former", "is still reserved for its former owner"))
	}
	return fault.Newf(fault.Conflict, "email_reserved",
		"A certificate of that email address's former owner is valid until {until}. Use another address.", day).
		About(fault.Wrong("email", "reserved_for_former", "is still reserved for its former owner"))
}

func dayOf(until time.Time) fault.Params {
	return fault.Params{"until": until.UTC().Format(time.DateOnly)}
}

// claimLogin takes a name for the account; each name belongs to at most one account, as username or
// email.
func (t *tx) claimLogin(ctx context.Context, id int64, name, field string, taken error) error {
	n, err := t.q.ClaimLogin(ctx, sqlcgen.ClaimLoginParams{LoginKey: fold(name), UserID: id, Now: pointerTo(micros(t.now()))})
	if err != nil || n > 0 {
		return err
	}
	until, err := t.q.LoginReserved(ctx, fold(name))
	switch {
	case err != nil:
		return err
	case until != nil:
		return reserved(field, moment(*until))
	}
	return taken
}

// claimLogins takes username and email for a new account.
func (t *tx) claimLogins(ctx context.Context, id int64, u account.User) error {
	if err := t.claimLogin(ctx, id, u.Username, "username", usernameTaken); err != nil {
		return err
	}
	return t.claimLogin(ctx, id, u.Email, "email", emailTaken)
}

// changeLogins claims the account's new names and gives up the others. The claim comes first: two
// accounts that swap their emails then refuse each other instead of waiting for each other. A name
// in a certificate of the account stays reserved until the last such certificate ends, even a
// revoked one: not everybody checks the CRL.
func (t *tx) changeLogins(ctx context.Context, c account.UserChange) error {
	u := c.User
	if err := t.claimLogin(ctx, u.ID, u.Email, "email", emailTaken); err != nil {
		return err
	}
	if err := t.claimLogin(ctx, u.ID, u.Username, "username", usernameTaken); err != nil {
		return err
	}
	former, err := t.q.FormerLogins(ctx, sqlcgen.FormerLoginsParams{UserID: u.ID, UsernameKey: fold(u.Username), EmailKey: fold(u.Email)})
	if err != nil {
		return err
	}
	carrying, err := t.certificatesOf(ctx, u.ID, c.At)
	if err != nil {
		return err
	}
	for _, key := range former {
		until := lastOf(carrying, func(c account.Certificate) bool { return c.Carries(key) })
		if until.IsZero() {
			err = t.q.DropLogin(ctx, key)
		} else {
			err = t.q.ReserveLogin(ctx, sqlcgen.ReserveLoginParams{LoginKey: key, ReservedUntil: pointerTo(micros(until))})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// certificatesOf returns the account's certificates that have not ended.
func (t *tx) certificatesOf(ctx context.Context, ownerID int64, now time.Time) ([]account.Certificate, error) {
	rows, err := t.q.CertificatesOfOwner(ctx, sqlcgen.CertificatesOfOwnerParams{OwnerID: &ownerID, NotAfter: micros(now)})
	if err != nil {
		return nil, err
	}
	var list []account.Certificate
	for _, row := range rows {
		sans, err := listOf[cert.SAN](row.Sans)
		if err != nil {
			return nil, err
		}
		c := account.Certificate{SerialNumber: row.SerialNumber, Names: []string{row.CommonName},
			Revoked: row.Status == string(cert.Revoked), NotAfter: moment(row.NotAfter)}
		if account.ValidUPN(row.CommonName) {
			c.UPNs = []string{row.CommonName}
		}
		for _, san := range sans {
			nameIn(&c, san)
		}
		list = append(list, c)
	}
	return list, nil
}

func nameIn(c *account.Certificate, san cert.SAN) {
	switch san.Type {
	case "email":
		c.Names = append(c.Names, san.Value)
	case "upn":
		c.UPNs = append(c.UPNs, san.Value)
	case "sid":
		c.SIDs = append(c.SIDs, san.Value)
	case "uri":
		if sid, found := strings.CutPrefix(san.Value, pki.SIDPrefix); found {
			c.SIDs = append(c.SIDs, sid)
		}
	case "krb5_principal":
		principal, _, _ := strings.Cut(san.Value, "@")
		c.Principals = append(c.Principals, principal)
	}
}

// revokeNamed revokes certificates with the change of the account that they name.
func (t *tx) revokeNamed(ctx context.Context, at time.Time, r account.Revocation) error {
	reason := cert.ReasonName(r.Reason)
	for _, serialNumber := range r.SerialNumbers {
		n, err := t.q.RevokeCertificate(ctx, sqlcgen.RevokeCertificateParams{
			At: pointerTo(micros(at)), Reason: reason, SerialNumber: serialNumber})
		if err != nil {
			return err
		}
		if n == 0 {
			continue // already revoked
		}
		if err := t.audit(ctx, revocation(r.Entry, serialNumber).Because(reason)); err != nil {
			return err
		}
	}
	return nil
}
