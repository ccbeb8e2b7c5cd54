package backend

import (
	"time"

	"github.com/keyward/keyward/internal/secret"
)

// AuthConfig is what there is to sign in with.
type AuthConfig struct {
	LocalLogin bool `json:"local_login" doc:"false: /login offers single sign-on only; global administrators use /admin-login"`
	OIDC       struct {
		Enabled bool   `json:"enabled"`
		Name    string `json:"name" doc:"of the provider, for the button"`
	} `json:"oidc"`
	PasswordPolicy PasswordPolicy `json:"password_policy"`
}

// ChangePasswordRequest changes one's own password.
type ChangePasswordRequest struct {
	Username        string        `json:"username" minLength:"1" maxLength:"254"`
	CurrentPassword secret.String `json:"current_password" minLength:"1" maxLength:"1024"`
	NewPassword     secret.String `json:"new_password" minLength:"1" maxLength:"1024"`
}

// Grant is what a sign-in or a refresh gives.
type Grant struct {
	AccessToken  string  `json:"access_token"`
	RefreshToken *string `json:"refresh_token,omitempty" doc:"absent for a web client, which gets a cookie"`
	TokenType    string  `json:"token_type" enum:"Bearer"`
	ExpiresIn    int     `json:"expires_in" doc:"seconds until the access token expires"`
	SessionID    int64   `json:"session_id"`
	User         User    `json:"user"`
}

// InvitationRequest takes an invitation up.
type InvitationRequest struct {
	Token    secret.String `json:"token" minLength:"1" maxLength:"128" doc:"what follows token= in the link"`
	Password secret.String `json:"password" minLength:"1" maxLength:"1024" doc:"the account's first"`
}

// InvitedRequest asks whose an invitation is.
type InvitedRequest struct {
	Token secret.String `json:"token" minLength:"1" maxLength:"128" doc:"what follows token= in the link"`
}

// Invited is the account that an invitation is for.
type Invited struct {
	Username         string    `json:"username"`
	Name             string    `json:"name"`
	OrganizationName string    `json:"organization_name"`
	ExpiresAt        time.Time `json:"expires_at" doc:"of the invitation"`
}

// LoginRequest signs in.
type LoginRequest struct {
	Username  string        `json:"username" minLength:"1" maxLength:"254" doc:"username or email"`
	Password  secret.String `json:"password" minLength:"1" maxLength:"1024"`
	MachineID string        `json:"machine_id,omitempty" maxLength:"128"`
}

// LogoutResult is the end of a session.
type LogoutResult struct {
	Status    string  `json:"status" enum:"ok"`
	LogoutURL *string `json:"logout_url,omitempty" doc:"of a single sign-on: where the page goes next to sign out at the provider, too"`
}

// Me is the one who is signed in.
type Me struct {
	User
	SessionID   int64    `json:"session_id"`
	Permissions []string `json:"permissions" nullable:"false" doc:"operation ids, so that a UI knows what to show"`
}

// OIDCExchangeRequest exchanges the one-time code of a single sign-on.
type OIDCExchangeRequest struct {
	Code      secret.String `json:"code" minLength:"1" maxLength:"128"`
	MachineID string        `json:"machine_id,omitempty" maxLength:"128"`
}

// ReauthenticateRequest proves again who one is.
type ReauthenticateRequest struct {
	Password secret.String `json:"password,omitempty,omitzero" minLength:"1" maxLength:"1024"`
	Code     secret.String `json:"code,omitempty,omitzero" minLength:"1" maxLength:"128" doc:"of a round that was begun with reauthenticate=true, instead of the password"`
}

// RefreshRequest exchanges a refresh token.
type RefreshRequest struct {
	RefreshToken secret.String `json:"refresh_token" minLength:"1" maxLength:"512"`
}

// Done says that it is done.
type Done struct {
	Status string `json:"status" enum:"ok"`
}
