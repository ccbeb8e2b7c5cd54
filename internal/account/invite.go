package account

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/secret"
)

// InvitationFor is how long an invitation is valid (contract, POST /api/auth/invitation).
const InvitationFor = 24 * time.Hour

// Invitation lets the holder of its token set an account's first password.
type Invitation struct {
	Hash      string // of the token
	ExpiresAt time.Time
}

// Invited is a new invitation.
type Invited struct {
	Token     secret.String // stored nowhere else
	ExpiresAt time.Time
	Mailed    bool // it is also mailed to the account's address
}

// Invite makes an invitation for an account that waits for one, replacing any earlier
// one. Conflict for an account that has a password, signs in elsewhere or is disabled.
// While mail is on, the invitation is also mailed to the account's address.
func (s *Users) Invite(ctx context.Context, a access.Actor, scope access.Scope, id int64) (Invited, error) {
	mailID, token, err := s.invitation(ctx)
	if err != nil {
		return Invited{}, err
	}
	now := s.Now()
	in := Invitation{Hash: token.Hash(), ExpiresAt: now.Add(InvitationFor)}
	mailed := false
	_, _, err = s.Store.ChangeUser(ctx, scope, id, nil, func(state UserState) (UserChange, error) {
		u := state.User
		if err := invitable(scope, u); err != nil {
			return UserChange{}, err
		}
		var entry audit.Entry
		entry, mailed = invitedEntry(a, u, mailID, in.ExpiresAt, now)
		return UserChange{User: u, At: now, Invite: &in, Entries: []audit.Entry{entry}}, nil
	})
	if err != nil {
		return Invited{}, err
	}
	return Invited{Token: token, ExpiresAt: in.ExpiresAt, Mailed: mailed}, nil
}

// invitedEntry returns the entry of an invitation, with the message that mails
// it if there is a mailID and an address.
func invitedEntry(a access.Actor, u User, mailID string, expires, now time.Time) (entry audit.Entry, mailed bool) {
	target := ""
	if u.ID != 0 {
		target = audit.ID(u.ID)
	}
	entry = audit.By(a, audit.UserInvited, "user", target, "").In(u.OrganizationID)
	if mailID == "" || MailAddress(u.Email) == "" {
		return entry, false
	}
	return entry.Notifying(notify.Message{
		To: notify.Audience{UserID: u.ID}, Kind: notify.Invitation, At: now, MailID: mailID, Params: notify.Params{
			"by": a.Username, "username": u.Username, "organization": u.OrganizationName, "expires_at": expires.UTC().Format(time.RFC3339),
		},
	}), true
}

// invitation makes a token and the id of the mail that carries it; the id is empty
// while mail is off.
func (s *Users) invitation(ctx context.Context) (mailID string, token secret.String, err error) {
	on := false
	if s.MailOn != nil {
		if on, err = s.MailOn(ctx); err != nil {
			return "", secret.String{}, err
		}
	}
	if !on {
		token, err = secret.Random()
		return "", token, err
	}
	mailID = rand.Text()
	token, err = s.Invitations.Token(ctx, mailID)
	return mailID, token, err
}

func invitable(scope access.Scope, u User) error {
	if err := within(scope, u); err != nil {
		return err
	}
	switch {
	case u.AuthSource != Local:
		return fault.New(fault.Conflict, "no_invitation",
			"This account signs in at the identity provider, so it needs no invitation. Tell the person to sign in there.")
	case !u.Waiting:
		return fault.New(fault.Conflict, "has_password", "This account already has a password. Reset it instead.")
	case !u.IsActive:
		return fault.New(fault.Conflict, "invite_disabled", "This account is disabled. Enable it first.")
	}
	return nil
}
