package resource

import (
	"context"
	"net/http"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/page"
)

func userBody(u account.User) backend.User {
	return backend.User{
		ID: u.ID, Username: u.Username, Name: u.Name, Email: u.Email, UPN: orNull(u.UPN), SID: orNull(u.SID),
		IsAdmin: u.Role == access.GlobalAdmin, IsActive: u.IsActive,
		Role: string(u.Role), OrganizationID: u.OrganizationID, OrganizationName: u.OrganizationName,
		CreatedAt: u.CreatedAt.UTC(), UpdatedAt: u.UpdatedAt.UTC(), LastLoginAt: utc(u.LastLoginAt),
		LockedUntil: utc(u.LockedUntil), MustChangePassword: u.MustChangePassword, AuthSource: string(u.AuthSource), Waiting: u.Waiting,
		DisabledByRecovery: u.DisabledByRecovery, Language: u.Language, MailFailedAt: utc(u.MailFailedAt), MailError: u.MailError,
	}
}

func registerUsers(s *httpapi.Server, svc *account.Users) {
	tags := []string{"users"}
	httpapi.Register(s, httpapi.Operation{ID: "list-users", Method: http.MethodGet, Path: "/api/admin/users",
		Tags: tags, Summary: "List accounts"},
		func(ctx context.Context, in *struct {
			Paging
			Q              string              `query:"q" maxLength:"128" doc:"part of username, email or name"`
			OrganizationID int64               `query:"organization_id" minimum:"1"`
			Role           string              `query:"role" enum:"global_admin,org_manager,user"`
			IsActive       optionalQuery[bool] `query:"is_active"`
			Locked         optionalQuery[bool] `query:"locked" doc:"whether failed sign-ins currently lock the account: locked_until is in the future"`
			ByRecovery     bool                `query:"disabled_by_recovery" doc:"true: only accounts that are disabled since an older database was accepted"`
			UserFilters
			Sort string `query:"sort" enum:"-created,created,username,-username,role,-role" default:"-created" doc:"-created: the last created first; username; role, by its name in the API; with a minus, reversed. A cursor continues in the order in which you got it"`
		}) (*answer[page.Page[backend.ListedUser]], error) {
			p, err := in.parse()
			if err != nil {
				return nil, err
			}
			f := account.UserFilter{Q: in.Q, Role: access.Role(in.Role), OrganizationID: positive(in.OrganizationID),
				IsActive: in.IsActive.pointer(), Locked: in.Locked.pointer(), DisabledByRecovery: in.ByRecovery, Sort: sortOf(in.Sort, "-created")}
			in.narrow(&f)
			users, err := svc.List(ctx, httpapi.ScopeFrom(ctx), f, p)
			if err != nil {
				return nil, err
			}
			tokens, err := svc.TokensOf(ctx, users.Items)
			if err != nil {
				return nil, err
			}
			listed := func(u account.User) backend.ListedUser {
				return backend.ListedUser{User: userBody(u), TokenCount: tokens[u.ID]}
			}
			return &answer[page.Page[backend.ListedUser]]{page.Map(users, listed)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "get-user", Method: http.MethodGet, Path: "/api/admin/users/{id}",
		Tags: tags, Summary: "Show an account"},
		func(ctx context.Context, in *struct {
			ID int64 `path:"id" minimum:"1"`
		}) (*answer[backend.User], error) {
			u, err := svc.Get(ctx, httpapi.ScopeFrom(ctx), in.ID)
			if err != nil {
				return nil, err
			}
			return &answer[backend.User]{userBody(u)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "create-user", Method: http.MethodPost, Path: "/api/admin/users",
		Tags: tags, Status: http.StatusCreated, Summary: "Create an account"},
		func(ctx context.Context, in *struct{ Body backend.NewUser }) (*answer[backend.User], error) {
			b := in.Body
			u, err := svc.Create(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), account.NewUser{
				Username: b.Username, Name: b.Name, Email: b.Email, UPN: orEmpty(b.UPN), SID: orEmpty(b.SID), Password: b.Password, IsAdmin: b.IsAdmin,
				Role: access.Role(b.Role), OrganizationID: b.OrganizationID, MustChange: b.MustChangePassword,
			})
			if err != nil {
				return nil, err
			}
			return &answer[backend.User]{userBody(u)}, nil
		})
	registerPeopleImport(s, svc)
	registerAccounts(s, svc)
}
