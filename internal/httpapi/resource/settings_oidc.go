package resource

import (
	"context"
	"maps"
	"net/http"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/signon"
)

// settingsOf applies the request to the defaults.
func settingsOf(in backend.PutOIDCSettings) signon.Settings {
	out := signon.DefaultSettings()
	out.Enabled, out.Issuer, out.ClientID, out.LogoutAtProvider = in.Enabled, in.Issuer, in.ClientID, in.LogoutAtProvider
	out.TrustPrompt = in.TrustPrompt
	out.RoleClaim, out.OrganizationClaim, out.DefaultOrganizationID = in.RoleClaim, in.OrganizationClaim, in.DefaultOrganizationID
	set(&out.Name, in.Name)
	set(&out.LocalLogin, in.LocalLogin)
	set(&out.CreateUsers, in.CreateUsers)
	set(&out.UsernameClaim, in.UsernameClaim)
	out.UPNClaim, out.SIDClaim = in.UPNClaim, in.SIDClaim
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

func oidcSettings(s *httpapi.Server, set signon.Settings) *answer[backend.OIDCSettings] {
	out := backend.OIDCSettings{
		Enabled: set.Enabled, Name: set.Name, Issuer: set.Issuer, ClientID: set.ClientID, ClientSecretSet: set.SecretID != "",
		RedirectURI: s.SiteURL() + signon.CallbackPath, PostLogoutRedirectURI: s.SiteURL() + "/login", Scopes: set.Scopes,
		LocalLogin: set.LocalLogin, CreateUsers: set.CreateUsers, UsernameClaim: set.UsernameClaim,
		UPNClaim: set.UPNClaim, SIDClaim: set.SIDClaim,
		RoleClaim: set.RoleClaim, RoleMapping: set.RoleMapping, OrganizationClaim: set.OrganizationClaim,
		OrganizationMapping: set.OrganizationMapping, DefaultOrganizationID: set.DefaultOrganizationID, LogoutAtProvider: set.LogoutAtProvider,
		TrustPrompt: set.TrustPrompt, Warnings: []string{},
	}
	if set.TrustPrompt {
		out.Warnings = append(out.Warnings, "trust_prompt is on: a provider that does not ask the person when it is told to (prompt=login) lets "+
			"whoever sits at an unattended browser pass for a recent sign-in. Better have it send auth_time.")
	}
	if set.DefaultRole != "" {
		role := string(set.DefaultRole)
		out.DefaultRole = &role
	}
	return &answer[backend.OIDCSettings]{out}
}

func registerOIDCSettings(s *httpapi.Server, svc *signon.Service) {
	const path = "/api/admin/settings/oidc"
	tags := []string{"settings"}
	httpapi.Register(s, httpapi.Operation{ID: "get-oidc-settings", Method: http.MethodGet, Path: path,
		Tags: tags, Summary: "Show the single sign-on settings"},
		func(ctx context.Context, _ *struct{}) (*answer[backend.OIDCSettings], error) {
			current, err := svc.Load(ctx)
			if err != nil {
				return nil, err
			}
			return oidcSettings(s, current), nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "put-oidc-settings", Method: http.MethodPut, Path: path,
		Tags: tags, Summary: "Change the single sign-on settings",
		Description: "Replaces all settings: fields that you leave out get their default, except the client secret, which doesn't " +
			"change. If single sign-on is enabled, the provider is contacted first: one that can't be used is refused, and " +
			"nothing changes."},
		func(ctx context.Context, in *struct{ Body backend.PutOIDCSettings }) (*answer[backend.OIDCSettings], error) {
			stored, err := svc.Change(ctx, httpapi.ActorFrom(ctx), settingsOf(in.Body), in.Body.ClientSecret)
			if err != nil {
				return nil, err
			}
			return oidcSettings(s, stored), nil
		})
}
