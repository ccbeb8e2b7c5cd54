package store

import (
	"context"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// ChangeOrganization implements account.OrganizationStore.
func (db *DB) ChangeOrganization(
	ctx context.Context, scope access.Scope, id int64, decide func(account.Organization) (account.OrganizationChange, error),
) (stored account.Organization, err error) {
	err = db.writeInTurn(ctx, "change organization", (*sqlcgen.Queries).LockAccounts, func(ctx context.Context, t *tx) error {
		w := &where{}
		w.equal("o.id", id)
		w.scope(scope, columns{organization: "o.id"}, nil, nil, false)
		was, err := queryOne(ctx, t.sql, scanOrganization, organizationColumns+organizationFrom+w.String(), w.args...)
		if none(err) {
			return noOrganization
		}
		if err != nil {
			return err
		}
		change, err := decide(was)
		if err != nil {
			return err
		}
		if len(change.Entries) > 0 {
			if err := t.writeOrganization(ctx, was, change); err != nil {
				return err
			}
		}
		stored, err = queryOne(ctx, t.sql, scanOrganization, organizationColumns+organizationFrom+" WHERE o.id = $1", id)
		return err
	})
	if err != nil {
		return account.Organization{}, err
	}
	return stored, nil
}

func (t *tx) writeOrganization(ctx context.Context, was account.Organization, c account.OrganizationChange) error {
	id, o := was.ID, c.Organization
	taken, err := t.q.OrganizationNameTaken(ctx, sqlcgen.OrganizationNameTakenParams{NameKey: fold(o.Name), ID: id})
	if err != nil {
		return err
	}
	if taken > 0 {
		return nameTaken
	}
	if !slices.Equal(o.EmailDomains, was.EmailDomains) {
		if err := t.checkDomains(ctx, id, o.EmailDomains); err != nil {
			return err
		}
	}
	domains, err := listText(o.EmailDomains)
	if err != nil {
		return err
	}
	suffixes, err := listText(o.UPNSuffixes)
	if err != nil {
		return err
	}
	err = t.q.UpdateOrganization(ctx, sqlcgen.UpdateOrganizationParams{
		ID: id, Name: o.Name, NameKey: fold(o.Name), IsActive: o.IsActive, EmailDomains: domains, UpdatedAt: micros(c.At),
		UpnSuffixes: suffixes, KerberosRealm: o.KerberosRealm})
	if err != nil {
		return err
	}
	if err := t.audit(ctx, c.Entries...); err != nil {
		return err
	}
	if c.EndSessions != nil {
		return t.signOutMembers(ctx, id, c.At, *c.EndSessions)
	}
	return nil
}

var nameTaken = fault.New(fault.Conflict, "name_taken", "An organization with that name already exists. Choose another name.")

// checkDomains is Conflict if emails of current members are in none of the domains. An email has
// one @ (package account), so its end decides.
func (t *tx) checkDomains(ctx context.Context, id int64, domains []string) error {
	if len(domains) == 0 {
		return nil
	}
	w := &where{}
	w.equal("u.organization_id", id)
	for _, d := range domains {
		w.is("u.email_key NOT LIKE " + w.arg("%@"+escapeLike.Replace(fold(d))) + ` ESCAPE '\'`)
	}
	var n int64
	// Not through the statement cache: there is one text per number of domains.
	row := t.sql.base.QueryRowContext(ctx, "SELECT count(*) FROM users AS u"+w.String(), w.args...)
	if err := row.Scan(&n); err != nil || n == 0 {
		return err
	}
	return fault.Newf(fault.Conflict, "emails_outside",
		"Emails of members outside these domains: {count}. Change the emails first, or add their domains.", fault.Params{"count": n})
}

// signOutMembers ends all sign-ins of its members, and their invitations. It first locks the
// members: a sign-in under way either is done, and its session is seen, or finds the organization
// disabled.
func (t *tx) signOutMembers(ctx context.Context, id int64, at time.Time, entry audit.Entry) error {
	if err := t.q.LockMembers(ctx, &id); err != nil {
		return err
	}
	err := t.q.RevokeFamiliesOfOrganization(ctx, sqlcgen.RevokeFamiliesOfOrganizationParams{
		At: pointerTo(micros(at)), OrganizationID: &id})
	if err != nil {
		return err
	}
	ended, err := t.q.EndSessionsOfOrganization(ctx, sqlcgen.EndSessionsOfOrganizationParams{
		At: micros(at), OrganizationID: &id})
	if err != nil {
		return err
	}
	_, err = t.sql.ExecContext(ctx, "DELETE FROM invitations WHERE user_id IN (SELECT u.id FROM users AS u WHERE u.organization_id = $1)", id)
	if err != nil {
		return err
	}
	for _, s := range ended {
		if err := t.auditEnded(ctx, s.ID, s.ExpiresAt, at, entry); err != nil {
			return err
		}
	}
	return nil
}

// checkDisabled is AccountDisabled if the organization is disabled. It is a statement of its own,
// after the account's lock, so that it sees what was committed before that.
func (t *tx) checkDisabled(ctx context.Context, organizationID *int64) error {
	if organizationID == nil {
		return nil
	}
	n, err := t.q.OrganizationDisabled(ctx, *organizationID)
	if err == nil && n > 0 {
		err = account.User{IsActive: true, OrganizationDisabled: true}.MaySignIn()
	}
	return err
}
