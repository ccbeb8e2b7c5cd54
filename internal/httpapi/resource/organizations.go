package resource

import (
	"context"
	"net/http"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/page"
)

func organizationBody(o account.Organization) backend.Organization {
	list := func(texts []string) []string { return append([]string{}, texts...) } // never null
	return backend.Organization{
		ID: o.ID, Name: o.Name, IsActive: o.IsActive, EmailDomains: list(o.EmailDomains), UPNSuffixes: list(o.UPNSuffixes),
		KerberosRealm: orNull(o.KerberosRealm), CreatedAt: o.CreatedAt.UTC(), UpdatedAt: o.UpdatedAt.UTC(),
	}
}

func registerOrganizations(s *httpapi.Server, svc *account.Organizations) {
	tags := []string{"organizations"}
	httpapi.Register(s, httpapi.Operation{ID: "list-organizations", Method: http.MethodGet, Path: "/api/admin/organizations",
		Tags: tags, Summary: "List organizations"},
		func(ctx context.Context, in *struct {
			Paging
			Q        string              `query:"q" maxLength:"128" doc:"part of the name"`
			IsActive optionalQuery[bool] `query:"is_active"`
			Sort     string              `query:"sort" enum:"-created,name,-name" default:"-created" doc:"-created: the last created first; name: by name; -name: reversed. A cursor continues in the order in which you got it"`
		}) (*answer[page.Page[backend.Organization]], error) {
			p, err := in.parse()
			if err != nil {
				return nil, err
			}
			list, err := svc.Store.ListOrganizations(ctx, httpapi.ScopeFrom(ctx), account.OrganizationFilter{
				Q: in.Q, IsActive: in.IsActive.pointer(), Sort: sortOf(in.Sort, "-created"),
			}, p)
			if err != nil {
				return nil, err
			}
			return &answer[page.Page[backend.Organization]]{page.Map(list, organizationBody)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "get-organization", Method: http.MethodGet, Path: "/api/admin/organizations/{id}",
		Tags: tags, Summary: "Show an organization"},
		func(ctx context.Context, in *struct {
			ID int64 `path:"id" minimum:"1"`
		}) (*answer[backend.Organization], error) {
			o, err := svc.Store.Organization(ctx, httpapi.ScopeFrom(ctx), in.ID)
			if err != nil {
				return nil, err
			}
			return &answer[backend.Organization]{organizationBody(o)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "create-organization", Method: http.MethodPost,
		Path: "/api/admin/organizations", Tags: tags, Status: http.StatusCreated, Summary: "Create an organization"},
		func(ctx context.Context, in *struct {
			Body backend.NewOrganization
		}) (*answer[backend.Organization], error) {
			o, err := svc.Create(ctx, httpapi.ActorFrom(ctx), account.NewOrganization{
				Name: in.Body.Name, EmailDomains: in.Body.EmailDomains,
				UPNSuffixes: in.Body.UPNSuffixes, KerberosRealm: orEmpty(in.Body.KerberosRealm),
			})
			if err != nil {
				return nil, err
			}
			return &answer[backend.Organization]{organizationBody(o)}, nil
		})
	registerOrganizationChanges(s, svc)
}

func registerOrganizationChanges(s *httpapi.Server, svc *account.Organizations) {
	httpapi.Register(s, httpapi.Operation{ID: "update-organization", Method: http.MethodPatch,
		Path: "/api/admin/organizations/{id}", Tags: []string{"organizations"},
		Summary:     "Change, disable or enable an organization",
		Description: "Disabling ends the members' sessions immediately; none of them can sign in until it is enabled again."},
		func(ctx context.Context, in *struct {
			ID   int64 `path:"id" minimum:"1"`
			Body struct {
				Identified
				Name         Settable[string]   `json:"name,omitempty" minLength:"1" maxLength:"512"`
				IsActive     Settable[bool]     `json:"is_active,omitempty"`
				EmailDomains Optional[[]string] `json:"email_domains,omitempty" maxItems:"100" doc:"when any, members' emails lie in them; null or empty: any"`
				UPNSuffixes  Optional[[]string] `json:"upn_suffixes,omitempty" maxItems:"100" doc:"what members' UPNs, as managers set them, have after the @; null or empty: managers set none"`

				KerberosRealm Optional[string] `json:"kerberos_realm,omitempty" maxLength:"255" doc:"of members' Kerberos principals, in its own case; null or empty: the installation's"`
			}
		}) (*answer[backend.Organization], error) {
			if err := in.Body.same(in.ID); err != nil {
				return nil, err
			}
			var bad []fault.Field
			p := account.OrganizationPatch{
				Name: in.Body.Name.pointer("name", &bad), IsActive: in.Body.IsActive.pointer("is_active", &bad),
				EmailDomains: in.Body.EmailDomains.orZero(), UPNSuffixes: in.Body.UPNSuffixes.orZero(),
				KerberosRealm: in.Body.KerberosRealm.orZero(),
			}
			if len(bad) > 0 {
				return nil, fault.Invalid(bad...)
			}
			o, err := svc.Update(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.ID, p)
			if err != nil {
				return nil, err
			}
			return &answer[backend.Organization]{organizationBody(o)}, nil
		})
}
