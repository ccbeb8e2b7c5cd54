package account

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/textinput"
)

// UserPatch is what a PATCH requests; nil is unchanged, a pointer to nil clears.
type UserPatch struct {
	IsActive       *bool
	Email          *string
	Name           *string
	UPN            *string // empty: none
	SID            *string // empty: none
	Role           *access.Role
	OrganizationID **int64
	SuspendTokens  bool // with IsActive false: the assigned and active tokens, too
	// RevokeCertificates decides about live certificates: with IsActive false,
	// all that were issued to the account, otherwise those with a name that it
	// gives up. May be nil where there are none.
	RevokeCertificates *bool
}

// Changed is an account after a change, and the change's effect on what it holds.
type Changed struct {
	User        User
	TokensInUse int64 // assigned and active ones
	Left
}

func (p *UserPatch) check() error {
	var bad []fault.Field
	if p.Email != nil {
		email := norm.NFC.String(strings.TrimSpace(*p.Email))
		p.Email = &email
		if !validEmail(email) {
			bad = append(bad, badEmail)
		}
	}
	if p.Name != nil {
		name := cleanName(*p.Name)
		p.Name = &name
		if !textinput.ValidLine(name, maxName) {
			bad = append(bad, fault.BadText("name", maxName))
		}
	}
	bad = append(bad, p.checkDirectory()...)
	if p.Role != nil && !p.Role.Valid() {
		bad = append(bad, fault.NotOneOf("role", access.Roles...))
	}
	if p.SuspendTokens && !p.disables() {
		bad = append(bad, fault.Wrong("suspend_tokens", "needs_disabling", "is only allowed with is_active false"))
	}
	if p.revokes() && p.Email == nil && p.UPN == nil && p.SID == nil && !p.disables() {
		bad = append(bad, fault.Wrong("revoke_certificates", "needs_end_of_name",
			"is only allowed with an email, a upn or a sid, or with is_active false"))
	}
	if len(bad) > 0 {
		return fault.Invalid(bad...)
	}
	return nil
}

func (p *UserPatch) checkDirectory() []fault.Field {
	var upn, sid string
	if p.UPN != nil {
		upn, p.UPN = *p.UPN, &upn
	}
	if p.SID != nil {
		sid, p.SID = *p.SID, &sid
	}
	return checkDirectory(&upn, &sid)
}

// disables reports whether the account is to be disabled, or stay so.
func (p *UserPatch) disables() bool { return p.IsActive != nil && !*p.IsActive }

func (p *UserPatch) revokes() bool { return p.RevokeCertificates != nil && *p.RevokeCertificates }

// Update changes an account. Disabling ends its sessions and, if the patch says
// so, suspends its tokens and revokes its certificates, in the same transaction.
func (s *Users) Update(ctx context.Context, a access.Actor, scope access.Scope, id int64, p UserPatch) (done Changed, err error) {
	if err := p.check(); err != nil {
		return Changed{}, err
	}
	var c UserChange
	now := s.Now()
	nameCounts, err := counts(ctx, s.NameCounts, p.Name != nil)
	if err != nil {
		return Changed{}, err
	}
	done.User, done.TokensInUse, err = s.Store.ChangeUser(ctx, scope, id, p.OrganizationID, func(state UserState) (UserChange, error) {
		if err := within(scope, state.User); err != nil {
			return UserChange{}, err
		}
		next := p.apply(state.User)
		if next.Username != state.User.Username && len(next.Username) > MaxUsername {
			return UserChange{}, fault.Invalid(fault.Wrongf("email", "too_long_username",
				"has more than {max} characters, and is this account's username, too: use a shorter one", fault.Params{"max": MaxUsername}))
		}
		if err := p.allowed(a, scope, state, next); err != nil {
			return UserChange{}, err
		}
		if err := access.CheckEffects(ctx, now, p.leading(state.User, next, nameCounts)...); err != nil {
			return UserChange{}, err
		}
		c = p.change(a, state, next, now)
		done.Left = Left{}
		if c.SuspendTokens != nil {
			done.TokensSuspended = state.TokensInUse
		}
		err := p.certificates(a, state, &c)
		return c, err
	})
	if err != nil {
		return Changed{}, err
	}
	if c.Revoke != nil {
		done.CertificatesRevoked = len(c.Revoke.SerialNumbers)
		done.CertificatesUnpublished = s.publish(ctx, c.Revoke.SerialNumbers)
	}
	return done, nil
}

// within hides global admins from managers, who may never act on one.
func within(scope access.Scope, u User) error {
	if scope.Reach != access.Everything && u.Role == access.GlobalAdmin {
		return fault.New(fault.NotFound, "no_user", "There is no such user.")
	}
	return nil
}

// apply returns the account as the patch wants it.
func (p *UserPatch) apply(u User) User {
	if p.IsActive != nil {
		u.IsActive = *p.IsActive
	}
	if p.Role != nil {
		u.Role = *p.Role
	}
	if p.Name != nil {
		u.Name = *p.Name
	}
	if p.UPN != nil {
		u.UPN = *p.UPN
	}
	if p.SID != nil {
		u.SID = *p.SID
	}
	switch {
	case p.OrganizationID != nil:
		u.OrganizationID = *p.OrganizationID
	case u.Role == access.GlobalAdmin:
		u.OrganizationID = nil
	}
	if p.Email != nil && *p.Email != u.Email {
		if strings.EqualFold(u.Username, u.Email) {
			u.Username = *p.Email // a username that is an email must be the account's own
		}
		u.Email = *p.Email
	}
	return u
}

// allowed checks a change against the invariants (contract, "Roles"), in the
// order of what the actor may learn.
func (p *UserPatch) allowed(a access.Actor, scope access.Scope, state UserState, next User) error {
	u := state.User
	self := a.UserID != 0 && a.UserID == u.ID
	moved := !access.SameID(next.OrganizationID, u.OrganizationID)
	if a.APIKeyID != 0 && (next.Role != u.Role || u.Role != access.User && p.changes(u, next)) {
		return keyGivesNoPower()
	}
	switch {
	case self && next.Role != u.Role:
		return fault.New(fault.PermissionDenied, "own_role", "You can't change your own role. Ask another administrator.")
	case self && u.IsActive && !next.IsActive:
		return fault.New(fault.PermissionDenied, "own_account", "You can't disable your own account. Ask another administrator.")
	case scope.Reach != access.Everything && next.Role == access.GlobalAdmin:
		return fault.New(fault.PermissionDenied, "global_admin_needed", "Only a global administrator can give this role. Ask one.")
	case scope.Reach != access.Everything && moved:
		return fault.New(fault.PermissionDenied, "account_move",
			"Only a global administrator can move an account to another organization. Ask one.")
	case next.Role == access.GlobalAdmin && next.OrganizationID != nil:
		return fault.Invalid(NotOfGlobalAdmin)
	case next.Role == access.OrgManager && next.OrganizationID == nil:
		return fault.Invalid(NeededByManager)
	case u.Role == access.GlobalAdmin && u.IsActive && state.OtherAdmins == 0 && (next.Role != u.Role || !next.IsActive):
		return fault.New(fault.Conflict, "last_admin", "This is the last active global administrator. Add another one first.")
	}
	if err := mayName(scope, state.Organization, u, next); err != nil {
		return err
	}
	return p.fits(state, next, moved)
}

// keyGivesNoPower is the error for an API key: one that made managers could
// sign in as one, and reach the secrets and keys that keys must not.
func keyGivesNoPower() error {
	return fault.New(fault.PermissionDenied, "api_key_accounts",
		"An API key can only create and change accounts with the role user. Sign in as a person for more.")
}

// changes reports whether the patch would change anything about the account.
func (p *UserPatch) changes(u, next User) bool {
	return next.IsActive != u.IsActive || next.Email != u.Email || next.Name != u.Name || next.UPN != u.UPN || next.SID != u.SID ||
		!access.SameID(next.OrganizationID, u.OrganizationID) || p.SuspendTokens || p.revokes()
}

// counts asks whether a name that changes is one in certificates (contract §2).
func counts(ctx context.Context, ask func(context.Context) (bool, error), changes bool) (bool, error) {
	if ask == nil || !changes {
		return false, nil
	}
	return ask(ctx)
}

// leading returns the fields that change, except for changes that only take away.
func (p *UserPatch) leading(u, next User, nameCounts bool) (fields []string) {
	for field, changes := range map[string]bool{
		"role":            next.Role != u.Role,
		"is_active":       next.IsActive && !u.IsActive,
		"email":           next.Email != u.Email,
		"name":            nameCounts && next.Name != u.Name,
		"upn":             next.UPN != u.UPN,
		"sid":             next.SID != u.SID,
		"organization_id": !access.SameID(next.OrganizationID, u.OrganizationID),
	} {
		if changes {
			fields = append(fields, field)
		}
	}
	return fields
}

// fits checks whether the organization accepts the account.
func (p *UserPatch) fits(state UserState, next User, moved bool) error {
	if next.OrganizationID == nil || (!moved && p.Email == nil) {
		return nil
	}
	o := state.Organization
	switch {
	case o == nil:
		return fault.Invalid(UnknownOrganization("organization_id"))
	case moved && !o.IsActive:
		return fault.Invalid(OrganizationDisabled)
	case o.Accepts(next.Email):
		return nil
	case p.Email == nil:
		return fault.Invalid(fault.Wrong("organization_id", "email_outside_its_domains",
			"names an organization whose email domains the account's email is not in"))
	case !moved && next.Email == state.User.Email:
		return nil // unchanged
	default:
		return fault.Invalid(EmailOutside)
	}
}

// change works out what to write, with the entries.
func (p *UserPatch) change(a access.Actor, state UserState, next User, now time.Time) UserChange {
	u := state.User
	c := UserChange{User: next, At: now}
	entry := func(action audit.Action, details string) audit.Entry {
		return audit.By(a, action, "user", audit.ID(u.ID), details).In(next.OrganizationID)
	}
	if next.Email != u.Email {
		details := "email from " + u.Email + " to " + next.Email
		if next.Username != u.Username {
			details += ", which is the username, too"
		}
		changed := entry(audit.UserUpdated, details)
		if u.Email != "" {
			changed = changed.Notifying(notify.Message{
				To: notify.Audience{UserID: u.ID}, Kind: notify.EmailChanged, Address: u.Email, At: now,
				Params: notify.Params{"by": a.Username, "former": u.Email},
			})
		}
		c.Entries = append(c.Entries, changed)
	}
	if next.Name != u.Name {
		c.Entries = append(c.Entries, entry(audit.UserUpdated, fmt.Sprintf("name from %q to %q", u.Name, next.Name)))
	}
	if next.UPN != u.UPN {
		c.Entries = append(c.Entries, entry(audit.UserUpdated, named("UPN", u.UPN, next.UPN)))
	}
	if next.SID != u.SID {
		c.Entries = append(c.Entries, entry(audit.UserUpdated, named("SID", u.SID, next.SID)))
	}
	if rises(u.Role, next.Role) && u.MustChangePassword {
		// The person who set it knows it, and would be the first to use the new rights.
		c.User.PasswordHash, c.User.MustChangePassword = "", false
		c.Entries = append(c.Entries, entry(audit.UserUpdated, "the password that somebody else had set is void: the account waits "+
			"for an invitation or another password"))
	}
	if next.Role != u.Role {
		c.Entries = append(c.Entries, entry(audit.UserRoleChanged, fmt.Sprintf("from %s to %s", u.Role, next.Role)))
	}
	if !access.SameID(next.OrganizationID, u.OrganizationID) {
		details := fmt.Sprintf("%s from %s to %s, with %d tokens", u.Username, place(u.OrganizationID),
			place(next.OrganizationID), state.TokensOwned)
		// Filed in both: the managers of neither see the other's entries.
		c.Entries = append(c.Entries, entry(audit.UserUpdated, details).In(u.OrganizationID), entry(audit.UserUpdated, details))
		c.MoveTokens = audit.By(a, audit.HWKeyUpdated, "hwkey", "", "organization changed with the owner's").In(next.OrganizationID)
	}
	switch {
	case next.IsActive && !u.IsActive:
		c.Entries = append(c.Entries, entry(audit.UserEnabled, ""))
	case !next.IsActive && u.IsActive:
		c.Entries = append(c.Entries, entry(audit.UserDisabled, "sessions ended"))
	}
	if !next.SameStanding(u) {
		why := "the role, the organization or the activity of the account was changed"
		if !next.IsActive {
			why = "the account was disabled"
		}
		ended := audit.By(a, audit.SessionEnded, "session", "", why).In(next.OrganizationID)
		c.EndSessions = &ended
	}
	if p.SuspendTokens && state.TokensInUse > 0 {
		suspended := audit.By(a, audit.HWKeyStatusChanged, "hwkey", "", "the owner's account is disabled")
		c.SuspendTokens = &suspended
		c.Entries = append(c.Entries, entry(audit.UserUpdated, fmt.Sprintf("%d tokens suspended", state.TokensInUse)))
	}
	return c
}

// rises reports whether role to is above from.
func rises(from, to access.Role) bool {
	return slices.Index(access.Roles, to) < slices.Index(access.Roles, from)
}

func place(organizationID *int64) string {
	if organizationID == nil {
		return "no organization"
	}
	return "organization " + audit.ID(*organizationID)
}
