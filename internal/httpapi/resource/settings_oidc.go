package resource

import (
	"context"
	"maps"
	"net/http"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/signon"
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
	RoleClaim             string                 `json:"role_claim" doc:"empty: roles are not mapped"`
	RoleMapping           map[string]access.Role `json:"role_mapping"`
	DefaultRole           *string                `json:"default_role" nullable:"true" doc:"of whoever maps to none; null: refused"`
	OrganizationClaim     string                 `json:"organization_claim" doc:"empty: organizations are not mapped"`
	OrganizationMapping   map[string]int64       `json:"organization_mapping"`
	DefaultOrganizationID *int64                 `json:"default_organization_id" nullable:"true" doc:"of whoever maps to none"`
	LogoutAtProvider      bool                   `json:"logout_at_provider" doc:"logout answers where to sign out there, too"`
}

// putOIDCSettings has pointers, so that an absent field takes its default.
type putOIDCSettings struct {
	Enabled               bool              `json:"enabled"`
	Name                  *string           `json:"name,omitempty" maxLength:"256"`
	Issuer                string            `json:"issuer,omitempty" maxLength:"1024" doc:"https; the provider is asked before it is stored"`
	ClientID              string            `json:"client_id,omitempty" maxLength:"256"`
	ClientSecret          *secret.String    `json:"client_secret,omitempty" maxLength:"512" doc:"absent: as it is; empty: none. Must be given again when issuer or client_id change."`
	Scopes                []string          `json:"scopes,omitempty" nullable:"false" maxItems:"20"`
	LocalLogin            *bool             `json:"local_login,omitempty"`
	CreateUsers           *bool             `json:"create_users,omitempty"`
	UsernameClaim         *string           `json:"username_claim,omitempty" maxLength:"256"`
	RoleClaim             string            `json:"role_claim,omitempty" maxLength:"256" doc:"a claim's name, or names joined by dots: realm_access.roles"`
	RoleMapping           map[string]string `json:"role_mapping,omitempty" doc:"value of the claim to role; of several the highest counts"`
	DefaultRole           *string           `json:"default_role,omitempty" nullable:"true"`
	OrganizationClaim     string            `json:"organization_claim,omitempty" maxLength:"256"`
	OrganizationMapping   map[string]int64  `json:"organization_mapping,omitempty" doc:"value of the claim to organization id; of several the first counts"`
	DefaultOrganizationID *int64            `json:"default_organization_id,omitempty" nullable:"true"`
	LogoutAtProvider      bool              `json:"logout_at_provider,omitempty"`
}

// settings lays what was sent over the defaults.
func (in putOIDCSettings) settings() signon.Settings {
	out := signon.DefaultSettings()
	out.Enabled, out.Issuer, out.ClientID, out.LogoutAtProvider = in.Enabled, in.Issuer, in.ClientID, in.LogoutAtProvider
	out.RoleClaim, out.OrganizationClaim, out.DefaultOrganizationID = in.RoleClaim, in.OrganizationClaim, in.DefaultOrganizationID
	set(&out.Name, in.Name)
	set(&out.LocalLogin, in.LocalLogin)
	set(&out.CreateUsers, in.CreateUsers)
	set(&out.UsernameClaim, in.UsernameClaim)
	if in.Scopes != nil {
		out.Scopes = in.Scopes
	}
	for value, role := range in.RoleMapping {
		out.RoleMapping[value] = access.Role(role)
	}
	maps.Copy(out.OrganizationMapping, in.OrganizationMapping)
	if in.DefaultRole != nil {
		out.DefaultRole = access.Role(*in.DefaultRole)
	}
	return out
}

func oidcSettings(s *httpapi.Server, set signon.Settings) *answer[OIDCSettings] {
	out := OIDCSettings{
		Enabled: set.Enabled, Name: set.Name, Issuer: set.Issuer, ClientID: set.ClientID, ClientSecretSet: set.SecretID != "",
		RedirectURI: s.SiteURL() + signon.CallbackPath, PostLogoutRedirectURI: s.SiteURL() + "/login", Scopes: set.Scopes,
		LocalLogin: set.LocalLogin, CreateUsers: set.CreateUsers, UsernameClaim: set.UsernameClaim,
		RoleClaim: set.RoleClaim, RoleMapping: set.RoleMapping, OrganizationClaim: set.OrganizationClaim,
		OrganizationMapping: set.OrganizationMapping, DefaultOrganizationID: set.DefaultOrganizationID, LogoutAtProvider: set.LogoutAtProvider,
	}
	if set.DefaultRole != "" {
		role := string(set.DefaultRole)
		out.DefaultRole = &role
	}
	return &answer[OIDCSettings]{out}
}

func registerOIDCSettings(s *httpapi.Server, svc *signon.Service) {
	const path = "/api/admin/settings/oidc"
	tags := []string{"settings"}
	httpapi.Register(s, httpapi.Operation{ID: "get-oidc-settings", Method: http.MethodGet, Path: path, Tags: tags, Summary: "Show the settings of single sign-on"},
		func(ctx context.Context, _ *struct{}) (*answer[OIDCSettings], error) {
			current, err := svc.Load(ctx)
			if err != nil {
				return nil, err
			}
			return oidcSettings(s, current), nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "put-oidc-settings", Method: http.MethodPut, Path: path, Tags: tags, Summary: "Set single sign-on",
		Description: "Replaces all settings; a field that is absent takes its default, but the client secret, which stays. While enabled, the provider is asked first: one that cannot be used is refused, and nothing changes."},
		func(ctx context.Context, in *struct{ Body putOIDCSettings }) (*answer[OIDCSettings], error) {
			stored, err := svc.Change(ctx, httpapi.ActorFrom(ctx), in.Body.settings(), in.Body.ClientSecret)
			if err != nil {
				return nil, err
			}
			return oidcSettings(s, stored), nil
		})
}
