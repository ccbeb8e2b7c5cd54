package resource

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/secret"
)

// UserPath names an account.
type UserPath struct {
	ID int64 `path:"id" minimum:"1"`
}

type userPatch struct {
	Identified
	Username       *string          `json:"username,omitempty" readOnly:"true" doc:"the present one: it can't be changed"`
	IsActive       Settable[bool]   `json:"is_active,omitempty" doc:"false ends the user's sessions immediately"`
	Name           Optional[string] `json:"name,omitempty" maxLength:"128" doc:"empty or null: not known"`
	Email          Settable[string] `json:"email,omitempty" minLength:"3" maxLength:"254"`
	UPN            Optional[string] `json:"upn,omitempty" maxLength:"256" doc:"user principal name of the directory; null or empty: none. Only a global administrator changes one that ends in none of the organization's upn_suffixes"`
	SID            Optional[string] `json:"sid,omitempty" maxLength:"184" doc:"of the account in a Windows domain; null or empty: none. Only a global administrator changes it"`
	Role           Settable[string] `json:"role,omitempty" enum:"global_admin,org_manager,user" doc:"global_admin leaves its organization"`
	OrganizationID Optional[int64]  `json:"organization_id,omitempty" doc:"null: none. The user's tokens follow"`
	SuspendTokens  bool             `json:"suspend_tokens,omitempty" doc:"with is_active false: also suspend the assigned and active tokens"`

	RevokeCertificates Settable[bool] `json:"revoke_certificates,omitempty" doc:"with an email, a upn or a sid, if valid certificates carry the previous name: true revokes them as affiliationChanged, false keeps them; if absent: 409 certificates_live. With is_active false: true revokes all valid certificates of the account as affiliationChanged"`
}

func (b userPatch) patch() (account.UserPatch, error) {
	var bad []fault.Field
	p := account.UserPatch{
		IsActive: b.IsActive.pointer("is_active", &bad), Email: b.Email.pointer("email", &bad),
		Name: b.Name.orZero(), UPN: b.UPN.orZero(), SID: b.SID.orZero(),
		OrganizationID: b.OrganizationID.orNil(), SuspendTokens: b.SuspendTokens,
		RevokeCertificates: b.RevokeCertificates.pointer("revoke_certificates", &bad),
	}
	if text := b.Role.pointer("role", &bad); text != nil {
		role := access.Role(*text)
		p.Role = &role
	}
	if len(bad) > 0 {
		return p, fault.Invalid(bad...)
	}
	return p, nil
}

func registerAccounts(s *httpapi.Server, svc *account.Users) {
	tags := []string{"users"}
	httpapi.Register(s, httpapi.Operation{ID: "update-user", Method: http.MethodPatch, Path: "/api/admin/users/{id}",
		Tags: tags, Summary: "Change, disable or enable an account",
		Description: "Everything in one transaction. When someone leaves: is_active false with suspend_tokens and revoke_certificates " +
			"ends sessions, suspends tokens and revokes certificates. You can repeat it, also later, to do what is left."},
		func(ctx context.Context, in *struct {
			UserPath
			Body userPatch
		}) (*answer[backend.ChangedUser], error) {
			if err := in.Body.same(in.ID); err != nil {
				return nil, err
			}
			if in.Body.Username != nil {
				u, err := svc.Get(ctx, httpapi.ScopeFrom(ctx), in.ID)
				if err != nil {
					return nil, err
				}
				if err := unchanged("username", in.Body.Username, u.Username); err != nil {
					return nil, err
				}
			}
			p, err := in.Body.patch()
			if err != nil {
				return nil, err
			}
			done, err := svc.Update(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.ID, p)
			if err != nil {
				return nil, err
			}
			return &answer[backend.ChangedUser]{backend.ChangedUser{
				User: userBody(done.User), Tokens: done.TokensInUse, TokensSuspended: done.TokensSuspended,
				CertificatesRevoked: done.CertificatesRevoked, CertificatesUnpublished: done.CertificatesUnpublished,
			}}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "enable-users", Method: http.MethodPost, Path: "/api/admin/users/enable", Tags: tags,
		Summary: "Enable accounts",
		Description: "All of them or none, each by the rules of update-user. You can repeat it. If an older database was accepted with " +
			"all accounts disabled, disabled_by_recovery of list-users finds them."},
		func(ctx context.Context, in *struct{ Body backend.EnableUsersRequest }) (*answer[backend.EnabledUsers], error) {
			n, err := svc.Enable(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Body.IDs)
			if outside, ok := errors.AsType[*account.Outside](err); ok {
				s.DeniedOne(ctx, outside.Err, "user", strconv.FormatInt(outside.ID, 10))
			}
			if err != nil {
				return nil, err
			}
			return &answer[backend.EnabledUsers]{backend.EnabledUsers{Enabled: n, Unchanged: len(in.Body.IDs) - n}}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "unlock-user", Method: http.MethodPost, Path: "/api/admin/users/{id}/unlock",
		Tags: tags, Summary: "Lift the lockout of an account"},
		func(ctx context.Context, in *UserPath) (*answer[backend.User], error) {
			u, err := svc.Unlock(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.ID)
			if err != nil {
				return nil, err
			}
			return &answer[backend.User]{userBody(u)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "invite-user", Method: http.MethodPost, Path: "/api/admin/users/{id}/invite",
		Tags: tags, Summary: "Create the link that sets an account's first password",
		Description: "For an account that was created without one. The link works once within 24 hours; a previous one becomes " +
			"invalid. While mail is on, it is also sent to the account's address."},
		func(ctx context.Context, in *UserPath) (*answer[backend.Invitation], error) {
			made, err := svc.Invite(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.ID)
			if err != nil {
				return nil, err
			}
			return &answer[backend.Invitation]{backend.Invitation{
				URL: InvitationURL(s.SiteURL(), made.Token), ExpiresAt: made.ExpiresAt.UTC(), Mailed: made.Mailed,
			}}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "reset-password", Method: http.MethodPost,
		Path: "/api/admin/users/{id}/reset-password", Tags: tags,
		Summary:     "Give an account a new password, to be changed at the next sign-in",
		Description: "Ends the account's sessions and lifts a lockout. Without a password, the answer has a random one."},
		func(ctx context.Context, in *struct {
			UserPath
			Body *backend.ResetPasswordRequest
		}) (*answer[backend.ResetUser], error) {
			var given secret.String
			if in.Body != nil {
				given = in.Body.Password
			}
			u, made, err := svc.ResetPassword(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.ID, given)
			if err != nil {
				return nil, err
			}
			out := backend.ResetUser{User: userBody(u)}
			if given.Empty() {
				shown := made.Reveal()
				out.Password = &shown
			}
			return &answer[backend.ResetUser]{out}, nil
		})
}

// InvitationURL returns the link of an invitation: its token is behind a #, where no
// server or proxy sees it.
func InvitationURL(siteURL string, token secret.String) string {
	return siteURL + "/invitation#token=" + token.Reveal()
}
