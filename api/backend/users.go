package backend

import (
	"time"

	"github.com/keyward/keyward/internal/secret"
)

// ChangedUser is an account after a change.
type ChangedUser struct {
	User
	Tokens int64 `json:"tokens" doc:"assigned and active tokens of the user; after disabling the account they can be suspended"`

	TokensSuspended         int64 `json:"tokens_suspended" doc:"by this change"`
	CertificatesRevoked     int   `json:"certificates_revoked" doc:"by this change"`
	CertificatesUnpublished int   `json:"certificates_unpublished" doc:"of these, not on the CRL yet, since the vault was unavailable. They are on record, and the server publishes them later"`
}

// EnableUsersRequest names accounts.
type EnableUsersRequest struct {
	IDs []int64 `json:"ids" minItems:"1" maxItems:"200" nullable:"false"`
}

// EnabledUsers is what became of them.
type EnabledUsers struct {
	Enabled   int `json:"enabled"`
	Unchanged int `json:"unchanged" doc:"those that were enabled already, or named twice"`
}

// NewUser is an account to make.
type NewUser struct {
	Username           string        `json:"username" minLength:"1" maxLength:"254"`
	Name               string        `json:"name,omitempty" maxLength:"128" doc:"the person's own name, for people to read"`
	Email              string        `json:"email" minLength:"3" maxLength:"254"`
	UPN                *string       `json:"upn,omitempty" nullable:"true" maxLength:"256" doc:"user principal name of the directory, such as name@example.org. Only a global administrator sets one that ends in none of the organization's upn_suffixes"`
	SID                *string       `json:"sid,omitempty" nullable:"true" maxLength:"184" doc:"of the account in a Windows domain: S-1-5-21-…. Only a global administrator sets it"`
	Password           secret.String `json:"password,omitempty" minLength:"1" maxLength:"1024" doc:"absent: the account waits for its invitation. An API key must leave it out"`
	IsAdmin            *bool         `json:"is_admin,omitempty" doc:"true: role global_admin"`
	Role               string        `json:"role,omitempty" enum:"global_admin,org_manager,user"`
	OrganizationID     *int64        `json:"organization_id,omitempty" nullable:"true" minimum:"1"`
	MustChangePassword *bool         `json:"must_change_password,omitempty" doc:"a new password is to be chosen at the first sign-in; absent: as the password policy says"`
}

// ImportedUsers is what an import of people did, or would do.
type ImportedUsers struct {
	DryRun    bool           `json:"dry_run"`
	Created   int            `json:"created"`
	Unchanged int            `json:"unchanged"`
	Failed    int            `json:"failed"`
	Left      int            `json:"left" doc:"not created yet, since others failed or the limit was reached. Send the file again"`
	Rows      []ImportedUser `json:"rows" nullable:"false"`
}

// ImportedUser is what became of one row.
type ImportedUser struct {
	Line         int          `json:"line" doc:"in the file; the header is line 1"`
	Username     string       `json:"username"`
	Name         string       `json:"name"`
	Email        string       `json:"email"`
	UPN          string       `json:"upn" doc:"empty: none"`
	SID          string       `json:"sid" doc:"empty: none"`
	Role         string       `json:"role" doc:"which it gets; if that is none, as in the file"`
	Organization string       `json:"organization" doc:"name of the one it belongs to; if there is none, as in the file"`
	Result       string       `json:"result" enum:"created,unchanged,failed,left" doc:"created: in a dry run, it would be; left: limit was reached"`
	Errors       []InputError `json:"errors" nullable:"false" doc:"why it failed"`
	URL          *string      `json:"invitation_url" nullable:"true" doc:"of a new account, if requested, to pass on. It is shown only this once, and works once within 24 hours"`
	Mailed       bool         `json:"invitation_mailed" doc:"it goes to the account's address, too"`
}

// Invitation lets whoever has its link set an account's first password.
type Invitation struct {
	URL       string    `json:"url" doc:"to pass on; it is shown only this once, and works once"`
	ExpiresAt time.Time `json:"expires_at"`
	Mailed    bool      `json:"mailed" doc:"it goes to the account's address, too"`
}

// ResetPasswordRequest may name the new password.
type ResetPasswordRequest struct {
	Password secret.String `json:"password,omitempty" minLength:"1" maxLength:"1024"`
}

// ResetUser is an account after its password was reset.
type ResetUser struct {
	User
	Password *string `json:"password,omitempty" doc:"the new password, if it is random; shown only this once"`
}

// ListedUser is an account in a list.
type ListedUser struct {
	User
	TokenCount int64 `json:"token_count" doc:"tokens that the account owns, of any status"`
}

// User is an account as the API shows it.
type User struct {
	ID                 int64      `json:"id"`
	Username           string     `json:"username"`
	Name               string     `json:"name" doc:"the person's name; empty: not known"`
	Email              string     `json:"email"`
	UPN                *string    `json:"upn" nullable:"true" doc:"user principal name of the directory; null: none"`
	SID                *string    `json:"sid" nullable:"true" doc:"of the account in a Windows domain; null: none"`
	IsAdmin            bool       `json:"is_admin" doc:"true when the role is global_admin"`
	IsActive           bool       `json:"is_active"`
	Role               string     `json:"role" enum:"global_admin,org_manager,user"`
	OrganizationID     *int64     `json:"organization_id" nullable:"true"`
	OrganizationName   string     `json:"organization_name" doc:"empty without an organization"`
	CreatedAt          time.Time  `json:"created_at"`
	UpdatedAt          time.Time  `json:"updated_at"`
	LastLoginAt        *time.Time `json:"last_login_at" nullable:"true"`
	LockedUntil        *time.Time `json:"locked_until" nullable:"true"`
	MustChangePassword bool       `json:"must_change_password"`
	AuthSource         string     `json:"auth_source" enum:"local,oidc"`
	DisabledByRecovery bool       `json:"disabled_by_recovery" doc:"the account is disabled since an older database was accepted: whether it is to be enabled again is to be decided"`
	Waiting            bool       `json:"waiting" doc:"the account has no password yet: it waits for its invitation"`
	Language           string     `json:"language" enum:"en,de," doc:"that the person chose; empty: none"`
	MailFailedAt       *time.Time `json:"mail_failed_at" nullable:"true" doc:"since when mail to the address fails for good; null: it does not"`
	MailError          string     `json:"mail_error" doc:"why it fails, in a word; empty: it does not"`
}
