package signon

import (
	"context"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/session"
)

// admit finds or creates the account of an identity, and gives it the role,
// organization, UPN and SID of its claims. With a *Refusal it returns the account concerned,
// if any.
func (s *Service) admit(ctx context.Context, c session.Client, set Settings, id Identity, reauthenticate bool) (account.User, error) {
	for range 3 {
		u, err := s.Store.UserByIdentity(ctx, id.Issuer, id.Subject)
		switch {
		case err == nil:
			if u, err = s.existing(ctx, c, set, id, u); err != nil {
				return u, err
			}
			return s.name(ctx, c, set, id, u)
		case !fault.Is(err, fault.NotFound):
			return account.User{}, err
		case !set.CreateUsers || reauthenticate:
			return account.User{}, refuse(NoAccount, nil)
		case s.Grows != nil && s.Grows(ctx) != nil:
			return account.User{}, refuse(LicenseRestricted, nil)
		}
		u, err = s.create(ctx, c, set, id)
		if err == nil {
			return s.name(ctx, c, set, id, u)
		}
		f, ok := fault.As(err)
		if !ok || f.Code != fault.Conflict {
			return u, err
		}
		if len(f.Fields) > 0 {
			return account.User{}, refuse(AccountConflict, err)
		}
		// Another tab created the account in between. The next try finds it:
		// accounts are never deleted.
	}
	return account.User{}, refuse(AccountConflict, nil)
}

func (s *Service) existing(ctx context.Context, c session.Client, set Settings, id Identity, u account.User) (account.User, error) {
	if !u.IsActive {
		return u, refuse(AccountDisabled, nil)
	}
	present := Placement{u.Role, u.OrganizationID}
	next, reason := set.place(id.Claims, &present)
	if reason != "" {
		return u, refuse(reason, nil)
	}
	if u.Role == next.Role && access.SameID(u.OrganizationID, next.OrganizationID) {
		if u.OrganizationDisabled {
			return u, refuse(OrganizationDisabled, nil)
		}
		return u, nil
	}
	if reason, err := s.admits(ctx, next, u.Email); err != nil || reason != "" {
		return u, orRefuse(reason, err)
	}
	return s.move(ctx, c, u, next)
}

// move gives an account the role and organization of its claims, as the system.
// The last active global admin keeps the role and may sign in.
func (s *Service) move(ctx context.Context, c session.Client, u account.User, next Placement) (account.User, error) {
	actor := access.Actor{IPAddress: c.IPAddress, RequestID: c.RequestID}
	moved, err := s.Accounts.Update(ctx, actor, access.All(), u.ID, account.UserPatch{Role: &next.Role, OrganizationID: &next.OrganizationID})
	if fault.Is(err, fault.Conflict) {
		s.Log.Warn("single sign-on: the claims would demote the last active global admin; the role was kept",
			"user_id", u.ID, "request_id", c.RequestID)
		return u, nil
	}
	if err != nil {
		return u, err
	}
	return moved.User, nil
}

// admits returns why an organization does not accept a member with that email.
func (s *Service) admits(ctx context.Context, p Placement, email string) (Reason, error) {
	if p.OrganizationID == nil {
		return "", nil
	}
	o, err := s.Organizations.Organization(ctx, access.All(), *p.OrganizationID)
	switch {
	case fault.Is(err, fault.NotFound):
		return OrganizationDisabled, nil
	case err != nil:
		return "", err
	case !o.IsActive:
		return OrganizationDisabled, nil
	case !o.Accepts(email):
		return EmailRefused, nil
	}
	return "", nil
}

func orRefuse(reason Reason, err error) error {
	if err != nil {
		return err
	}
	return refuse(reason, nil)
}

// create makes the account of a person who signs in for the first time.
func (s *Service) create(ctx context.Context, c session.Client, set Settings, id Identity) (account.User, error) {
	email := text(id.Claims, "email")
	switch {
	case !account.ValidEmail(email):
		return account.User{}, refuse(EmailMissing, nil)
	case denied(id.Claims, "email_verified"):
		return account.User{}, refuse(EmailUnverified, nil)
	}
	p, reason := set.place(id.Claims, nil)
	if reason != "" {
		return account.User{}, refuse(reason, nil)
	}
	if reason, err := s.admits(ctx, p, email); err != nil || reason != "" {
		return account.User{}, orRefuse(reason, err)
	}
	now := s.Now()
	u := account.User{
		Name: account.KnownName(text(id.Claims, "name")), Email: email, Role: p.Role, OrganizationID: p.OrganizationID,
		IsActive: true, AuthSource: account.OIDC,
		CreatedAt: now, UpdatedAt: now, PasswordChangedAt: now,
	}
	actor := access.Actor{IPAddress: c.IPAddress, RequestID: c.RequestID}
	entry := audit.By(actor, audit.UserCreated, "user", "", "at the first single sign-on, role "+string(p.Role)).In(p.OrganizationID)
	return s.Store.InsertIdentity(ctx, id.Issuer, id.Subject, u, usernames(text(id.Claims, set.UsernameClaim), email), entry)
}
