package resource

import (
	"context"
	"net/http"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/settings"
)

// over applies the request to the defaults.
func over(p password.Policy, in backend.PutPasswordPolicy) password.Policy {
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

func registerPasswordPolicy(s *httpapi.Server, svc *settings.PasswordPolicies) {
	const path = "/api/admin/settings/password-policy"
	tags := []string{"settings"}
	httpapi.Register(s, httpapi.Operation{ID: "get-password-policy", Method: http.MethodGet, Path: path,
		Tags: tags, Summary: "Show the password rules"},
		func(ctx context.Context, _ *struct{}) (*answer[backend.PasswordPolicy], error) {
			p, err := svc.PasswordPolicy(ctx)
			if err != nil {
				return nil, err
			}
			return &answer[backend.PasswordPolicy]{backend.PasswordPolicy(p)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "put-password-policy", Method: http.MethodPut, Path: path,
		Tags: tags, Summary: "Change the password rules",
		Description: "Replaces all rules: fields that you leave out get their default. They apply immediately, to passwords chosen " +
			"from then on; age and lockout apply to everyone."},
		func(ctx context.Context, in *struct{ Body backend.PutPasswordPolicy }) (*answer[backend.PasswordPolicy], error) {
			p := over(svc.Default, in.Body)
			if err := svc.Put(ctx, httpapi.ActorFrom(ctx), p); err != nil {
				return nil, err
			}
			return &answer[backend.PasswordPolicy]{backend.PasswordPolicy(p)}, nil
		})
}
