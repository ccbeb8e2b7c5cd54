package account

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/page"
)

// Source is where an account's identity comes from.
type Source string

// The sources.
const (
	Local Source = "local"
	OIDC  Source = "oidc"
)

// User is an account.
type User struct {
	ID               int64
	Username         string
	Name             string // the person's own, for display; may be empty
	Email            string
	UPN              string // user principal name, of a directory; empty: none
	SID              string // of Windows, S-1-5-…; empty: none
	PasswordHash     string // Argon2id in PHC form; empty for OIDC accounts and before the first password; never leaves the server
	Role             access.Role
	OrganizationID   *int64
	OrganizationName string // read only: the store joins it
	// OrganizationDisabled is also read only: no member may sign in then.
	OrganizationDisabled bool
	IsActive             bool
	MustChangePassword   bool
	AuthSource           Source
	DisabledByRecovery   bool // read only: disabled by the acceptance of an older database, and not enabled since
	Waiting              bool // read only: local, and its invitation is yet to set a password
	CreatedAt            time.Time
	UpdatedAt            time.Time
	PasswordChangedAt    time.Time
	LastLoginAt          *time.Time
	LockedUntil          *time.Time
	// Read only, too: the person's chosen language (en, de or empty), and since when and
	// why (a class of package mail) mail to the address fails for good.
	Language     string
	MailFailedAt *time.Time
	MailError    string
}

// Beginning is what an active account has yet to do.
type Beginning string

// NeverSignedIn includes those that are YetInvited: whose invitation is yet to be accepted.
const (
	YetInvited    Beginning = "invited"
	NeverSignedIn Beginning = "never_signed_in"
)

// UserFilter narrows a list; zero fields do not filter.
type UserFilter struct {
	Q              string // part of username, email or name, ignoring case
	OrganizationID *int64
	Role           access.Role
	IsActive       *bool
	Locked         *bool // at Now, after failed sign-ins
	// DisabledByRecovery selects accounts that are still disabled by the acceptance
	// of an older database.
	DisabledByRecovery bool
	// Tokens tells accounts that own a token, not counting lost and retired ones, from those
	// that own none.
	Tokens *bool
	State  Beginning
	// ExpiringDays selects accounts with a certificate that ends within so many days of Now.
	ExpiringDays int
	Sort         page.Sort // by username, role or created
	Now          time.Time
}

// UserStore keeps accounts. Usernames and emails are unique ignoring case, and no
// username equals another account's email. So are UPNs, and SIDs.
type UserStore interface {
	// InsertUser sets ID and OrganizationName. Conflict when username, email, UPN
	// or SID is taken; Invalid for organization_id when there is no such organization,
	// or it is disabled; Invalid for email when it is in none of the
	// organization's domains.
	InsertUser(ctx context.Context, u User, entry audit.Entry) (User, error)
	// AddUsers is InsertUser for several accounts, with their invitations if any, in
	// one transaction: all or none. failed is the index of the account that the error
	// is about, -1 for any other error.
	AddUsers(ctx context.Context, list []Addition) (failed int, err error)
	// LoginsAmong finds the owners of these folded usernames or emails. Names that
	// nobody has, or whose reservation is over by now, are left out.
	LoginsAmong(ctx context.Context, folded []string, now time.Time) (map[string]Login, error)
	// DirectoryNamesAmong is LoginsAmong for UPNs and SIDs, by UPNKey and SIDKey.
	DirectoryNamesAmong(ctx context.Context, keys []string, now time.Time) (map[string]Login, error)
	// OrganizationByName finds one ignoring case. NotFound outside scope.
	OrganizationByName(ctx context.Context, scope access.Scope, name string) (Organization, error)
	// User is NotFound outside scope (Own: the user itself).
	User(ctx context.Context, scope access.Scope, id int64) (User, error)
	// UserByLogin finds an account by username or email, ignoring case.
	// NotFound otherwise.
	UserByLogin(ctx context.Context, login string) (User, error)
	// ListUsers returns the accounts in scope, newest first.
	ListUsers(ctx context.Context, scope access.Scope, f UserFilter, p page.Request) (page.Page[User], error)
	// TokensOf counts the tokens of accounts, of any status, by account id. Accounts
	// without tokens are left out.
	TokensOf(ctx context.Context, ids []int64) (map[int64]int64, error)
	// CountUsers counts all accounts.
	CountUsers(ctx context.Context) (int64, error)
	// SetPassword stores a new hash, clears MustChangePassword, and ends every
	// session and refresh family of the user, in one transaction with the
	// entries; each live session gets the entry ended, with its own id. was is
	// the PasswordChangedAt of the account whose password was checked:
	// InvalidCredentials when the password was changed since.
	SetPassword(ctx context.Context, userID int64, hash string, was, at time.Time, ended audit.Entry, entries ...audit.Entry) error
	// Unlock clears the failed sign-ins of an account. NotFound when there is no such account.
	Unlock(ctx context.Context, userID int64, at time.Time, entries ...audit.Entry) error
	// ReplaceHash stores another hash of the same password, with the entries,
	// if the account's hash is still the old one; Conflict otherwise. Nothing
	// else changes: no time, no session.
	ReplaceHash(ctx context.Context, userID int64, old, hash string, entries ...audit.Entry) error
	// Invited finds the account of an invitation by its hash, and when the
	// invitation ends. NotFound otherwise, also once the account has another
	// email.
	Invited(ctx context.Context, hash string) (User, time.Time, error)
	// TakeInvitation consumes an invitation and sets the account's first
	// password, with the entries. NotFound when there is no such invitation, it
	// has ended, or the account has a password by now or is disabled.
	TakeInvitation(ctx context.Context, hash, passwordHash string, at time.Time, entries ...audit.Entry) error
	// ChangeUser finds an account in scope (NotFound otherwise), calls decide
	// with its state, and writes the change that decide returns; decide's error
	// is returned as it is and nothing is written. UserState.Organization is the
	// one that to names (pointer to nil: none), or the account's current one if
	// to is nil. All this is one transaction that excludes other changes of
	// accounts and organizations, so what decide saw still holds. It returns
	// the account as written and its number of assigned and active tokens.
	// Conflict when the email, the UPN or the SID is taken.
	ChangeUser(ctx context.Context, scope access.Scope, id int64, to **int64, decide func(UserState) (UserChange, error)) (User, int64, error)
	// ChangeUsers is ChangeUser for several accounts in one transaction, all or none.
	// It returns how many of them decide changed.
	ChangeUsers(ctx context.Context, scope access.Scope, ids []int64, decide func(UserState) (UserChange, error)) (int, error)
}
