package signon

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/loopback"
	"github.com/keyward/keyward/internal/textinput"
)

// Settings is the configuration of single sign-on, without the client secret.
type Settings struct {
	Enabled               bool                   `json:"enabled"`
	Name                  string                 `json:"name"` // on the button of /login
	Issuer                string                 `json:"issuer"`
	ClientID              string                 `json:"client_id"`
	Scopes                []string               `json:"scopes"`
	LocalLogin            bool                   `json:"local_login"`
	CreateUsers           bool                   `json:"create_users"`
	UsernameClaim         string                 `json:"username_claim"`
	UPNClaim              string                 `json:"upn_claim"`  // empty: UPNs are not mapped
	SIDClaim              string                 `json:"sid_claim"`  // empty: SIDs are not mapped
	RoleClaim             string                 `json:"role_claim"` // empty: roles are not mapped
	RoleMapping           map[string]access.Role `json:"role_mapping"`
	DefaultRole           access.Role            `json:"default_role"`       // empty: refuse people whose claims map to nothing
	OrganizationClaim     string                 `json:"organization_claim"` // empty: organizations are not mapped
	OrganizationMapping   map[string]int64       `json:"organization_mapping"`
	DefaultOrganizationID *int64                 `json:"default_organization_id"`
	LogoutAtProvider      bool                   `json:"logout_at_provider"`
	TrustPrompt           bool                   `json:"trust_prompt"` // see provedAt

	// SecretID selects one of the vault's client secrets; empty: none.
	SecretID string `json:"secret_id"`
}

// DefaultSettings are those of a new server: passwords only.
func DefaultSettings() Settings {
	return Settings{
		LocalLogin: true, CreateUsers: true, Name: "Single sign-on", Scopes: []string{"openid", "profile", "email"},
		UsernameClaim: "preferred_username", RoleMapping: map[string]access.Role{}, OrganizationMapping: map[string]int64{},
	}
}

// Bounds of the settings.
const (
	maxText    = 256
	maxURL     = 1024
	maxScopes  = 20
	maxMapping = 1000
)

// decodeSettings reads stored settings; missing ones get their default.
func decodeSettings(stored string) (Settings, error) {
	s := DefaultSettings()
	if err := json.Unmarshal([]byte(stored), &s); err != nil {
		return Settings{}, fmt.Errorf("stored settings of single sign-on: %w", err)
	}
	return s, nil
}

// scope is a scope-token of RFC 6749, section 3.3.
var scope = regexp.MustCompile(`^[\x21\x23-\x5b\x5d-\x7e]{1,128}$`)

// check returns everything wrong with the settings by themselves.
func (s Settings) check() []fault.Field {
	var bad []fault.Field
	wrong := func(is bool, f fault.Field) {
		if is {
			bad = append(bad, f)
		}
	}
	wrong(!textinput.ValidLine(s.Name, maxText) || s.Name == "", fault.BadName("name", maxText))
	wrong(s.Issuer == "" && s.Enabled, fault.Required("issuer"))
	wrong(s.Issuer != "" && !ValidIssuer(s.Issuer), fault.Wrong("issuer", "bad_issuer",
		"must be an https address without a query or fragment (http on this machine only)"))
	wrong(s.ClientID == "" && s.Enabled, fault.Required("client_id"))
	for field, v := range map[string]string{
		"client_id": s.ClientID, "username_claim": s.UsernameClaim, "upn_claim": s.UPNClaim, "sid_claim": s.SIDClaim,
		"role_claim": s.RoleClaim, "organization_claim": s.OrganizationClaim,
	} {
		wrong(!textinput.ValidLine(v, maxText), fault.BadText(field, maxText))
	}
	wrong(s.UsernameClaim == "", fault.Required("username_claim"))
	wrong(len(s.Scopes) > maxScopes || slices.ContainsFunc(s.Scopes, func(v string) bool { return !scope.MatchString(v) }),
		fault.Wrongf("scopes", "bad_scopes", "must be at most {max} scopes without spaces", fault.Params{"max": maxScopes}))
	wrong(!slices.Contains(s.Scopes, "openid"), fault.Wrong("scopes", "no_openid", "must contain openid"))
	wrong(!s.Enabled && !s.LocalLogin, fault.Wrong("local_login", "no_way_in",
		"must stay on while single sign-on is off: only global administrators could sign in"))
	wrong(s.DefaultRole != "" && !s.DefaultRole.Valid(), fault.NotOneOf("default_role", access.Roles...))
	bad = append(bad, s.checkMappings()...)
	slices.SortStableFunc(bad, func(a, b fault.Field) int { return strings.Compare(a.Field, b.Field) })
	return bad
}

func (s Settings) checkMappings() []fault.Field {
	var bad []fault.Field
	texts := func(keys []string) bool {
		return len(keys) <= maxMapping && !slices.ContainsFunc(keys, func(v string) bool { return v == "" || !textinput.ValidLine(v, maxText) })
	}
	roles := slices.Collect(maps.Values(s.RoleMapping))
	switch {
	case !texts(slices.Collect(maps.Keys(s.RoleMapping))), slices.ContainsFunc(roles, func(r access.Role) bool { return !r.Valid() }):
		bad = append(bad, fault.Wrongf("role_mapping", "bad_role_mapping",
			"must map at most {max} values of the claim to {roles}",
			fault.Params{"max": maxMapping, "roles": []string{"global_admin", "org_manager", "user"}}))
	case (s.RoleClaim == "") != (len(roles) == 0):
		bad = append(bad, fault.Wrong("role_mapping", "needs_role_claim", "and role_claim go together: set both or neither"))
	}
	switch {
	case !texts(slices.Collect(maps.Keys(s.OrganizationMapping))):
		bad = append(bad, fault.Wrongf("organization_mapping", "bad_organization_mapping",
			"must map at most {max} values of the claim to organization ids", fault.Params{"max": maxMapping}))
	case (s.OrganizationClaim == "") != (len(s.OrganizationMapping) == 0):
		bad = append(bad, fault.Wrong("organization_mapping", "needs_organization_claim",
			"and organization_claim go together: set both or neither"))
	}
	return bad
}

// organizations maps every organization in the settings to the field that names it.
func (s Settings) organizations() map[int64]string {
	out := map[int64]string{}
	for _, id := range s.OrganizationMapping {
		out[id] = "organization_mapping"
	}
	if s.DefaultOrganizationID != nil {
		out[*s.DefaultOrganizationID] = "default_organization_id"
	}
	return out
}

// changes returns the names of the fields that differ, for the audit log.
func (s Settings) changes(next Settings) []string {
	fields := func(s Settings) map[string]json.RawMessage {
		out := map[string]json.RawMessage{}
		raw, err := json.Marshal(s)
		if err == nil {
			err = json.Unmarshal(raw, &out)
		}
		if err != nil {
			return nil // a struct of texts and numbers always encodes
		}
		out["client_secret"] = out["secret_id"]
		delete(out, "secret_id")
		return out
	}
	before, after := fields(s), fields(next)
	var names []string
	for name := range after {
		if string(before[name]) != string(after[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// wanted are the claims that decide something.
func (s Settings) wanted() []string {
	out := []string{"email", "email_verified", s.UsernameClaim}
	for _, name := range []string{s.UPNClaim, s.SIDClaim, s.RoleClaim, s.OrganizationClaim} {
		if name != "" {
			out = append(out, name)
		}
	}
	return out
}

// ValidIssuer reports whether text can be an issuer identifier (OpenID Connect
// Discovery 1.0, section 3): https, without query and fragment; http is allowed
// on loopback.
func ValidIssuer(text string) bool {
	u, err := url.Parse(text)
	return err == nil && len(text) <= maxURL && textinput.ValidLine(text, maxURL) && SafeURL(u) && u.RawQuery == "" &&
		!u.ForceQuery && u.Fragment == "" && !strings.HasSuffix(text, "#")
}

// SafeURL reports whether Keyward may call a provider's address: https, or http on loopback.
func SafeURL(u *url.URL) bool {
	if u.Host == "" || u.Hostname() == "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || (u.Scheme == "http" && loopback.Host(u.Hostname()))
}
