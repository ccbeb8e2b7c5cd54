package backend

import (
	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/secret"
)

// OIDCSettings are the settings of single sign-on as the API shows them.
type OIDCSettings struct {
	Enabled               bool                   `json:"enabled"`
	Name                  string                 `json:"name" doc:"on the button of /login"`
	Issuer                string                 `json:"issuer"`
	ClientID              string                 `json:"client_id"`
	ClientSecretSet       bool                   `json:"client_secret_set" doc:"the secret itself is never shown"`
	RedirectURI           string                 `json:"redirect_uri" doc:"to be registered at the provider; follows from SITE_URL"`
	PostLogoutRedirectURI string                 `json:"post_logout_redirect_uri" doc:"likewise"`
	Scopes                []string               `json:"scopes" nullable:"false"`
	LocalLogin            bool                   `json:"local_login" doc:"false: only global administrators sign in with a password"`
	CreateUsers           bool                   `json:"create_users" doc:"make an account at the first sign-in"`
	UsernameClaim         string                 `json:"username_claim"`
	UPNClaim              string                 `json:"upn_claim" doc:"whose value becomes the account's upn at each sign-in; empty: none"`
	SIDClaim              string                 `json:"sid_claim" doc:"likewise its sid"`
	RoleClaim             string                 `json:"role_claim" doc:"empty: roles are not mapped"`
	RoleMapping           map[string]access.Role `json:"role_mapping"`
	DefaultRole           *string                `json:"default_role" nullable:"true" doc:"of people who match no mapping; null: they are refused"`
	OrganizationClaim     string                 `json:"organization_claim" doc:"empty: organizations are not mapped"`
	OrganizationMapping   map[string]int64       `json:"organization_mapping"`
	DefaultOrganizationID *int64                 `json:"default_organization_id" nullable:"true" doc:"of people who match no mapping"`
	LogoutAtProvider      bool                   `json:"logout_at_provider" doc:"logout answers where to sign out there, too"`
	TrustPrompt           bool                   `json:"trust_prompt" doc:"take a fresh round without auth_time for a proof: the provider is trusted to ask when told to (prompt=login)"`
	Warnings              []string               `json:"warnings" nullable:"false" doc:"what these settings leave open"`
}

// PasswordPolicy is the policy as the API shows it.
type PasswordPolicy struct {
	MinLength           int  `json:"min_length" doc:"characters"`
	MaxLength           int  `json:"max_length" doc:"characters"`
	RequireLowercase    bool `json:"require_lowercase"`
	RequireUppercase    bool `json:"require_uppercase"`
	RequireDigit        bool `json:"require_digit"`
	RequireSymbol       bool `json:"require_symbol" doc:"a symbol, a punctuation mark or a space"`
	RejectCommon        bool `json:"reject_common" doc:"refuse the passwords that are tried first"`
	ChangeAtFirstSignIn bool `json:"change_at_first_sign_in" doc:"of accounts that an administrator creates"`
	MaxAgeDays          int  `json:"max_age_days" doc:"0: passwords never expire"`
	LockoutAttempts     int  `json:"lockout_attempts" doc:"failed sign-ins in a row that lock an account"`
	LockoutMinutes      int  `json:"lockout_minutes"`
}

// PutOIDCSettings has pointers, so that an absent field takes its default.
type PutOIDCSettings struct {
	Enabled               bool              `json:"enabled"`
	Name                  *string           `json:"name,omitempty" maxLength:"256"`
	Issuer                string            `json:"issuer,omitempty" maxLength:"1024" doc:"https; the provider is asked before it is stored"`
	ClientID              string            `json:"client_id,omitempty" maxLength:"256"`
	ClientSecret          *secret.String    `json:"client_secret,omitempty" maxLength:"512" doc:"absent: as it is; empty: none. Must be given again when issuer or client_id change."`
	Scopes                []string          `json:"scopes,omitempty" nullable:"false" maxItems:"20"`
	LocalLogin            *bool             `json:"local_login,omitempty"`
	CreateUsers           *bool             `json:"create_users,omitempty"`
	UsernameClaim         *string           `json:"username_claim,omitempty" maxLength:"256"`
	UPNClaim              string            `json:"upn_claim,omitempty" maxLength:"256" doc:"a claim's name, or names joined by dots. Its value becomes the account's upn at each sign-in; empty: off"`
	SIDClaim              string            `json:"sid_claim,omitempty" maxLength:"256" doc:"likewise the account's sid"`
	RoleClaim             string            `json:"role_claim,omitempty" maxLength:"256" doc:"a claim's name, or names joined by dots: realm_access.roles"`
	RoleMapping           map[string]string `json:"role_mapping,omitempty" doc:"value of the claim to role; of several the highest counts"`
	DefaultRole           *string           `json:"default_role,omitempty" nullable:"true"`
	OrganizationClaim     string            `json:"organization_claim,omitempty" maxLength:"256"`
	OrganizationMapping   map[string]int64  `json:"organization_mapping,omitempty" doc:"value of the claim to organization id; of several the first counts"`
	DefaultOrganizationID *int64            `json:"default_organization_id,omitempty" nullable:"true"`
	LogoutAtProvider      bool              `json:"logout_at_provider,omitempty"`
	TrustPrompt           bool              `json:"trust_prompt,omitempty" doc:"saved with a warning"`
}

// PutPasswordPolicy has pointers, so that an absent field can take its
// default, be that true.
type PutPasswordPolicy struct {
	MinLength           *int  `json:"min_length,omitempty" minimum:"8" maximum:"64"`
	MaxLength           *int  `json:"max_length,omitempty" minimum:"64" maximum:"128"`
	RequireLowercase    *bool `json:"require_lowercase,omitempty"`
	RequireUppercase    *bool `json:"require_uppercase,omitempty"`
	RequireDigit        *bool `json:"require_digit,omitempty"`
	RequireSymbol       *bool `json:"require_symbol,omitempty"`
	RejectCommon        *bool `json:"reject_common,omitempty"`
	ChangeAtFirstSignIn *bool `json:"change_at_first_sign_in,omitempty"`
	MaxAgeDays          *int  `json:"max_age_days,omitempty" minimum:"0" maximum:"3650"`
	LockoutAttempts     *int  `json:"lockout_attempts,omitempty" minimum:"1" maximum:"20"`
	LockoutMinutes      *int  `json:"lockout_minutes,omitempty" minimum:"1" maximum:"1440"`
}
