package resource

import (
	"context"
	"net/http"

	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/passwordpolicy"
)

// PasswordPolicy is the policy as the API shows it.
type PasswordPolicy struct {
	MinLength           int  `json:"min_length" doc:"characters"`
	MaxLength           int  `json:"max_length" doc:"characters"`
	RequireLowercase    bool `json:"require_lowercase"`
	RequireUppercase    bool `json:"require_uppercase"`
	RequireDigit        bool `json:"require_digit"`
	RequireSymbol       bool `json:"require_symbol" doc:"a symbol, a punctuation mark or a space"`
	RejectCommon        bool `json:"reject_common" doc:"refuse the passwords that are tried first"`
	ChangeAtFirstSignIn bool `json:"change_at_first_sign_in" doc:"of accounts that an administrator makes"`
	MaxAgeDays          int  `json:"max_age_days" doc:"0: passwords never expire"`
	LockoutAttempts     int  `json:"lockout_attempts" doc:"failed sign-ins in a row that lock an account"`
	LockoutMinutes      int  `json:"lockout_minutes"`
}

// putPasswordPolicy has pointers, so that an absent field can take its
// default, be that true.
type putPasswordPolicy struct {
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

// over lays what was sent over the defaults.
func (in putPasswordPolicy) over(p password.Policy) password.Policy {
	set(&p.MinLength, in.MinLength)
	set(&p.MaxLength, in.MaxLength)
	set(&p.RequireLowercase, in.RequireLowercase)
	set(&p.RequireUppercase, in.RequireUppercase)
	set(&p.RequireDigit, in.RequireDigit)
	set(&p.RequireSymbol, in.RequireSymbol)
	set(&p.RejectCommon, in.RejectCommon)
	set(&p.ChangeAtFirstSignIn, in.ChangeAtFirstSignIn)
	set(&p.MaxAgeDays, in.MaxAgeDays)
	set(&p.LockoutAttempts, in.LockoutAttempts)
	set(&p.LockoutMinutes, in.LockoutMinutes)
	return p
}

func registerPasswordPolicy(s *httpapi.Server, svc *passwordpolicy.Service) {
	const path = "/api/admin/settings/password-policy"
	tags := []string{"settings"}
	httpapi.Register(s, httpapi.Operation{ID: "get-password-policy", Method: http.MethodGet, Path: path, Tags: tags, Summary: "Show the password policy"},
		func(ctx context.Context, _ *struct{}) (*answer[PasswordPolicy], error) {
			p, err := svc.PasswordPolicy(ctx)
			if err != nil {
				return nil, err
			}
			return &answer[PasswordPolicy]{PasswordPolicy(p)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "put-password-policy", Method: http.MethodPut, Path: path, Tags: tags, Summary: "Set the password policy",
		Description: "Replaces the whole policy; a field that is absent takes its default. It holds at once, for passwords chosen from then on; the age of passwords and the lockout for all."},
		func(ctx context.Context, in *struct{ Body putPasswordPolicy }) (*answer[PasswordPolicy], error) {
			p := in.Body.over(svc.Default)
			if err := svc.Put(ctx, httpapi.ActorFrom(ctx), p); err != nil {
				return nil, err
			}
			return &answer[PasswordPolicy]{PasswordPolicy(p)}, nil
		})
}
