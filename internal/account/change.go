package account

import (
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/vault"
)

// UserState is everything that a change of an account depends on, read in one transaction.
type UserState struct {
	User         User
	OtherAdmins  int64         // active global admins besides this account
	Organization *Organization // see UserStore.ChangeUser; nil when there is none
	TokensInUse  int64         // assigned and active ones
	TokensOwned  int64         // of any status
	Certificates []Certificate // issued to the account and unexpired, including revoked ones
}

// Certificate is the part of a certificate that a change of names depends on.
type Certificate struct {
	SerialNumber string
	Names        []string // its common name and email addresses
	UPNs         []string // its UPNs, and a common name that may be one
	SIDs         []string
	Principals   []string // of its Kerberos principals, what is before the @
	Revoked      bool
	NotAfter     time.Time
}

// Revocation is of certificates that contain a name that the account gives up.
type Revocation struct {
	SerialNumbers []string
	Reason        vault.Reason
	Entry         audit.Entry // of each, with its own serial number
}

// UserChange is what to write in that same transaction. Without entries nothing is
// written, so that no change goes unaudited.
type UserChange struct {
	// User is the account as it is to become. Written are username, name, email, UPN,
	// SID, role, organization, is_active, password and must_change_password; the
	// account's tokens follow it into another organization, with their unrevoked
	// certificates. A name that is given up while one of UserState.Certificates
	// contains it stays reserved until the last of these expires.
	User    User
	At      time.Time // becomes updated_at
	Entries []audit.Entry
	// Unlock clears failed sign-ins and a lockout.
	Unlock bool
	// Invite, when set, lets its holder set the first password. The account's
	// previous invitation ends.
	Invite *Invitation
	// EndSessions, when set, ends every session and refresh family of the
	// account. Each live session gets this entry, with its own id.
	EndSessions *audit.Entry
	// MoveTokens is the entry of each token that follows into another
	// organization.
	MoveTokens audit.Entry
	// Revoke, when set, revokes certificates; already revoked ones are skipped.
	Revoke *Revocation
	// SuspendTokens, when set, suspends the assigned and active tokens, each
	// with this entry; its details begin with the previous status.
	SuspendTokens *audit.Entry
}

// Rules reports whether the account is an active global administrator.
func (u User) Rules() bool { return u.IsActive && u.Role == access.GlobalAdmin }

// SameStanding reports whether two states of an account have the same role,
// organization and activity.
func (u User) SameStanding(v User) bool {
	return u.Role == v.Role && u.IsActive == v.IsActive && access.SameID(u.OrganizationID, v.OrganizationID)
}

// AdminAdded notifies every other global administrator of a new one, whoever made it:
// the session may have been stolen. e is the entry of what made it.
func AdminAdded(u User, e audit.Entry) notify.Message {
	params := notify.Params{"username": u.Username}
	if e.ActorID != nil {
		params["by"] = e.Actor
	}
	return notify.Message{To: notify.Audience{Except: u.ID}, Kind: notify.AdminAdded, Params: params, At: e.At}
}

// MaySignIn returns AccountDisabled when the account or its organization is
// disabled. Call it only for callers who have proved their identity: nobody
// else may learn it.
func (u User) MaySignIn() error {
	switch {
	case !u.IsActive:
		return fault.New(fault.AccountDisabled, "account", "This account is disabled. Ask an administrator.")
	case u.OrganizationDisabled:
		return fault.New(fault.AccountDisabled, "organization", "The organization of this account is disabled. Ask an administrator.")
	default:
		return nil
	}
}
