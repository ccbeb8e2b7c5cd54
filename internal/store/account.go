package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// ChangeUser implements account.UserStore.
func (db *DB) ChangeUser(
	ctx context.Context, scope access.Scope, id int64, to **int64, decide func(account.UserState) (account.UserChange, error),
) (stored account.User, inUse int64, err error) {
	err = db.writeInTurn(ctx, "change user", (*sqlcgen.Queries).LockAccounts, func(ctx context.Context, t *tx) error {
		if _, err := t.changeUser(ctx, scope, id, to, decide); err != nil {
			return err
		}
		if stored, err = t.userByID(ctx, id); err != nil {
			return err
		}
		inUse, err = t.q.CountTokensInUse(ctx, &id)
		return err
	})
	if err != nil {
		return account.User{}, 0, err
	}
	return stored, inUse, nil
}

// ChangeUsers implements account.UserStore.
func (db *DB) ChangeUsers(
	ctx context.Context, scope access.Scope, ids []int64, decide func(account.UserState) (account.UserChange, error),
) (changed int, err error) {
	err = db.writeInTurn(ctx, "change users", (*sqlcgen.Queries).LockAccounts, func(ctx context.Context, t *tx) error {
		changed = 0 // a transaction may be begun again
		for _, id := range ids {
			did, err := t.changeUser(ctx, scope, id, nil, decide)
			if err != nil {
				return err
			}
			if did {
				changed++
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return changed, nil
}

// changeUser reports whether decide wanted a change.
func (t *tx) changeUser(
	ctx context.Context, scope access.Scope, id int64, to **int64, decide func(account.UserState) (account.UserChange, error),
) (bool, error) {
	state, err := t.userState(ctx, scope, id, to)
	if err != nil {
		return false, err
	}
	change, err := decide(state)
	if err != nil || len(change.Entries) == 0 {
		return false, err
	}
	return true, t.writeUser(ctx, state.User, change)
}

func (t *tx) userByID(ctx context.Context, id int64) (account.User, error) {
	return userByID(ctx, t.sql, id)
}

func userByID(ctx context.Context, from querier, id int64) (account.User, error) {
	return queryOne(ctx, from, scanUser, "SELECT "+userColumns+userFrom+" WHERE u.id = $1", id)
}

// userState reads what a change depends on, after taking the account's lock.
func (t *tx) userState(ctx context.Context, scope access.Scope, id int64, to **int64) (state account.UserState, err error) {
	if _, err := t.q.LockUser(ctx, id); err != nil {
		return state, err
	}
	w := &where{}
	w.equal("u.id", id)
	w.scope(scope, columns{"u.organization_id", "u.id"}, nil, nil, false)
	state.User, err = queryOne(ctx, t.sql, scanUser, "SELECT "+userColumns+userFrom+w.String(), w.args...)
	if none(err) {
		return state, noUser
	}
	if err != nil {
		return state, err
	}
	organizationID := state.User.OrganizationID
	if to != nil {
		organizationID = *to
	}
	if organizationID != nil {
		o, err := queryOne(ctx, t.sql, scanOrganization, organizationColumns+organizationFrom+" WHERE o.id = $1", *organizationID)
		if err != nil && !none(err) {
			return state, err
		}
		if err == nil {
			state.Organization = &o
		}
	}
	if state.OtherAdmins, err = t.q.CountOtherAdmins(ctx, id); err != nil {
		return state, err
	}
	if state.TokensInUse, err = t.q.CountTokensInUse(ctx, &id); err != nil {
		return state, err
	}
	if state.TokensOwned, err = t.q.CountTokensOwned(ctx, &id); err != nil {
		return state, err
	}
	state.Certificates, err = t.certificatesOf(ctx, id, t.now())
	return state, err
}

// writeUser writes a change of the account as it was.
func (t *tx) writeUser(ctx context.Context, was account.User, c account.UserChange) error {
	u := c.User
	if u.Username != was.Username || u.Email != was.Email {
		if err := t.changeLogins(ctx, c); err != nil {
			return err
		}
	}
	if u.UPN != was.UPN || u.SID != was.SID {
		if err := t.changeDirectory(ctx, was, c); err != nil {
			return err
		}
	}
	if err := t.checkOrganization(ctx, u.OrganizationID); err != nil {
		return err
	}
	err := t.q.UpdateUser(ctx, sqlcgen.UpdateUserParams{
		ID: was.ID, Username: u.Username, UsernameKey: fold(u.Username), Email: u.Email, EmailKey: fold(u.Email),
		Role: string(u.Role), OrganizationID: u.OrganizationID, IsActive: u.IsActive,
		MustChangePassword: u.MustChangePassword, PasswordHash: u.PasswordHash,
		PasswordChangedAt: micros(u.PasswordChangedAt), UpdatedAt: micros(c.At), Name: u.Name, NameKey: fold(u.Name),
		Upn: u.UPN, Sid: u.SID,
	})
	if err != nil {
		return err
	}
	if u.Rules() && !was.Rules() {
		c.Entries[0] = c.Entries[0].Notifying(account.AdminAdded(u, c.Entries[0]))
	}
	if err := t.audit(ctx, c.Entries...); err != nil {
		return err
	}
	if !u.SameStanding(was) || u.Username != was.Username || u.Email != was.Email {
		// The link was for the account as it was, and went to its former address.
		if err := t.q.DeleteInvitation(ctx, was.ID); err != nil {
			return err
		}
	}
	if c.Invite != nil {
		err := t.q.PutInvitation(ctx, sqlcgen.PutInvitationParams{
			UserID: was.ID, TokenHash: c.Invite.Hash, ExpiresAt: micros(c.Invite.ExpiresAt)})
		if err != nil {
			return err
		}
	}
	if c.Unlock {
		if err := t.clearLock(ctx, was.ID, c.At); err != nil {
			return err
		}
	}
	if !access.SameID(was.OrganizationID, u.OrganizationID) {
		if err := t.moveTokens(ctx, was.ID, u.OrganizationID, c.MoveTokens); err != nil {
			return err
		}
	}
	if c.Revoke != nil {
		if err := t.revokeNamed(ctx, c.At, *c.Revoke); err != nil {
			return err
		}
	}
	if c.SuspendTokens != nil {
		if err := t.suspendTokens(ctx, was.ID, *c.SuspendTokens); err != nil {
			return err
		}
	}
	if c.EndSessions != nil {
		return t.signOutUser(ctx, was.ID, c.At, *c.EndSessions)
	}
	return nil
}

// moveTokens moves a user's tokens into another organization, with the certificates that may have
// to be revoked there.
func (t *tx) moveTokens(ctx context.Context, ownerID int64, to *int64, entry audit.Entry) error {
	moved, err := t.q.MoveTokensOfUser(ctx, sqlcgen.MoveTokensOfUserParams{OrganizationID: to, OwnerID: &ownerID})
	if err != nil {
		return err
	}
	for _, token := range moved {
		err := t.q.MoveIssuedCertificates(ctx, sqlcgen.MoveIssuedCertificatesParams{OrganizationID: to, HwkeyID: token.ID})
		if err != nil {
			return err
		}
		entry.TargetID = token.Serial
		if err := t.audit(ctx, entry); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) suspendTokens(ctx context.Context, ownerID int64, entry audit.Entry) error {
	tokens, err := t.q.LockTokensInUse(ctx, &ownerID)
	if err != nil {
		return err
	}
	why := entry.Details
	for _, token := range tokens {
		if err := t.q.SuspendToken(ctx, token.ID); err != nil {
			return err
		}
		entry.TargetID, entry.OrganizationID = token.Serial, token.OrganizationID
		entry.Details = "from " + token.Status + " to suspended: " + why
		if err := t.audit(ctx, entry); err != nil {
			return err
		}
	}
	return nil
}

// signOutUser ends all of the user's sign-ins. Families come before sessions, in the order in which
// a refresh takes them: a session that a refresh begins at this moment is then seen.
func (t *tx) signOutUser(ctx context.Context, userID int64, at time.Time, entry audit.Entry) error {
	err := t.q.RevokeFamiliesOfUser(ctx, sqlcgen.RevokeFamiliesOfUserParams{At: pointerTo(micros(at)), UserID: userID})
	if err != nil {
		return err
	}
	ended, err := t.q.EndSessionsOfUser(ctx, sqlcgen.EndSessionsOfUserParams{At: micros(at), UserID: userID})
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

// auditEnded writes the entry of a session that was live until then; one that had expired was ended
// by nobody.
func (t *tx) auditEnded(ctx context.Context, id, expires int64, at time.Time, entry audit.Entry) error {
	if expires <= micros(at) {
		return nil
	}
	entry.TargetID = audit.ID(id)
	return t.audit(ctx, entry)
}
