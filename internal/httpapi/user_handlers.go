package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/organization"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/user"
)

// User is an account as the API shows it.
type User struct {
	ID                 int64      `json:"id"`
	Username           string     `json:"username"`
	Email              string     `json:"email"`
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
}

func userBody(u user.User) User {
	return User{
		ID: u.ID, Username: u.Username, Email: u.Email, IsAdmin: u.Role == access.GlobalAdmin, IsActive: u.IsActive,
		Role: string(u.Role), OrganizationID: u.OrganizationID, OrganizationName: u.OrganizationName,
		CreatedAt: u.CreatedAt.UTC(), UpdatedAt: u.UpdatedAt.UTC(), LastLoginAt: utc(u.LastLoginAt),
		LockedUntil: utc(u.LockedUntil), MustChangePassword: u.MustChangePassword, AuthSource: string(u.AuthSource),
	}
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	v := t.UTC()
	return &v
}

// Paging is embedded by every list's input. It is exported, as the other
// embedded inputs are, because the HTTP library passes over what is not.
type Paging struct {
	Limit  int    `query:"limit" default:"50" minimum:"1" maximum:"500"`
	Cursor string `query:"cursor" maxLength:"64" doc:"next_cursor of the page before"`
}

func (p Paging) parse() (page.Request, error) { return page.Parse(p.Limit, p.Cursor) }

func registerUsers(s *Server, svc *user.Service) {
	tags := []string{"users"}
	register(s, Operation{ID: "list-users", Method: http.MethodGet, Path: "/api/admin/users", Tags: tags, Summary: "List accounts"},
		func(ctx context.Context, in *struct {
			Paging
			Q              string              `query:"q" maxLength:"128" doc:"part of username or email"`
			OrganizationID int64               `query:"organization_id" minimum:"1"`
			Role           string              `query:"role" enum:"global_admin,org_manager,user"`
			IsActive       optionalQuery[bool] `query:"is_active"`
			Locked         optionalQuery[bool] `query:"locked" doc:"whether failed sign-ins keep the account out now: locked_until lies ahead"`
		}) (*answer[page.Page[User]], error) {
			p, err := in.parse()
			if err != nil {
				return nil, err
			}
			f := user.Filter{Q: in.Q, Role: access.Role(in.Role), OrganizationID: positive(in.OrganizationID), IsActive: in.IsActive.pointer(), Locked: in.Locked.pointer()}
			users, err := svc.List(ctx, ScopeFrom(ctx), f, p)
			if err != nil {
				return nil, err
			}
			return &answer[page.Page[User]]{page.Map(users, userBody)}, nil
		})
	register(s, Operation{ID: "get-user", Method: http.MethodGet, Path: "/api/admin/users/{id}", Tags: tags, Summary: "Show an account"},
		func(ctx context.Context, in *struct {
			ID int64 `path:"id" minimum:"1"`
		}) (*answer[User], error) {
			u, err := svc.Get(ctx, ScopeFrom(ctx), in.ID)
			if err != nil {
				return nil, err
			}
			return &answer[User]{userBody(u)}, nil
		})
	register(s, Operation{ID: "create-user", Method: http.MethodPost, Path: "/api/admin/users", Tags: tags, Status: http.StatusCreated, Summary: "Create an account"},
		func(ctx context.Context, in *struct{ Body newUser }) (*answer[User], error) {
			b := in.Body
			u, err := svc.Create(ctx, ActorFrom(ctx), ScopeFrom(ctx), user.New{
				Username: b.Username, Email: b.Email, Password: b.Password, IsAdmin: b.IsAdmin,
				Role: access.Role(b.Role), OrganizationID: b.OrganizationID, MustChange: b.MustChangePassword,
			})
			if err != nil {
				return nil, err
			}
			return &answer[User]{userBody(u)}, nil
		})
	registerAccounts(s, svc)
}

type newUser struct {
	Username           string        `json:"username" minLength:"1" maxLength:"254"`
	Email              string        `json:"email" minLength:"3" maxLength:"254"`
	Password           secret.String `json:"password" minLength:"1" maxLength:"1024"`
	IsAdmin            *bool         `json:"is_admin,omitempty" doc:"true: role global_admin"`
	Role               string        `json:"role,omitempty" enum:"global_admin,org_manager,user"`
	OrganizationID     *int64        `json:"organization_id,omitempty" nullable:"true" minimum:"1"`
	MustChangePassword *bool         `json:"must_change_password,omitempty" doc:"a new password is to be chosen at the first sign-in; absent: as the password policy says"`
}

func positive(id int64) *int64 {
	if id <= 0 {
		return nil
	}
	return &id
}

// Organization is a tenant as the API shows it.
type Organization struct {
	ID           int64     `json:"id"`
	Name         string    `json:"name"`
	IsActive     bool      `json:"is_active"`
	EmailDomains []string  `json:"email_domains" nullable:"false" doc:"when any, members' emails lie in them"`
	CreatedAt    time.Time `json:"created_at"`
	UpdatedAt    time.Time `json:"updated_at"`
}

func organizationBody(o organization.Organization) Organization {
	domains := o.EmailDomains
	if domains == nil {
		domains = []string{}
	}
	return Organization{o.ID, o.Name, o.IsActive, domains, o.CreatedAt.UTC(), o.UpdatedAt.UTC()}
}

func registerOrganizations(s *Server, svc *organization.Service) {
	tags := []string{"organizations"}
	register(s, Operation{ID: "list-organizations", Method: http.MethodGet, Path: "/api/admin/organizations", Tags: tags, Summary: "List organizations"},
		func(ctx context.Context, in *struct {
			Paging
			Q        string              `query:"q" maxLength:"128" doc:"part of the name"`
			IsActive optionalQuery[bool] `query:"is_active"`
		}) (*answer[page.Page[Organization]], error) {
			p, err := in.parse()
			if err != nil {
				return nil, err
			}
			list, err := svc.Store.ListOrganizations(ctx, ScopeFrom(ctx), organization.Filter{Q: in.Q, IsActive: in.IsActive.pointer()}, p)
			if err != nil {
				return nil, err
			}
			return &answer[page.Page[Organization]]{page.Map(list, organizationBody)}, nil
		})
	register(s, Operation{ID: "get-organization", Method: http.MethodGet, Path: "/api/admin/organizations/{id}", Tags: tags, Summary: "Show an organization"},
		func(ctx context.Context, in *struct {
			ID int64 `path:"id" minimum:"1"`
		}) (*answer[Organization], error) {
			o, err := svc.Store.Organization(ctx, ScopeFrom(ctx), in.ID)
			if err != nil {
				return nil, err
			}
			return &answer[Organization]{organizationBody(o)}, nil
		})
	register(s, Operation{ID: "create-organization", Method: http.MethodPost, Path: "/api/admin/organizations", Tags: tags, Status: http.StatusCreated, Summary: "Create an organization"},
		func(ctx context.Context, in *struct {
			Body struct {
				Name         string   `json:"name" minLength:"1" maxLength:"512"`
				EmailDomains []string `json:"email_domains,omitempty" maxItems:"100" nullable:"false"`
			}
		}) (*answer[Organization], error) {
			o, err := svc.Create(ctx, ActorFrom(ctx), in.Body.Name, in.Body.EmailDomains)
			if err != nil {
				return nil, err
			}
			return &answer[Organization]{organizationBody(o)}, nil
		})
	registerOrganizationChanges(s, svc)
}
