package signon

import (
	"encoding/json"
	"strings"

	"github.com/keyward/keyward/internal/access"
)

// place decides the role and organization of a person with these claims.
// present is the account's current placement, nil for a new account. What is
// not mapped stays as it is; a person whose claims map to nothing gets the
// default, or is refused without one.
func (s Settings) place(claims map[string]any, present *Placement) (Placement, Reason) {
	role, ok := s.role(claims, present)
	if !ok {
		return Placement{}, NotPermitted
	}
	if role == access.GlobalAdmin {
		return Placement{Role: role}, ""
	}
	organization, ok := s.organization(claims, present)
	if !ok || (organization == nil && role == access.OrgManager) {
		return Placement{}, NotPermitted
	}
	return Placement{Role: role, OrganizationID: organization}, ""
}

func (s Settings) role(claims map[string]any, present *Placement) (access.Role, bool) {
	if s.RoleClaim == "" {
		if present != nil {
			return present.Role, true
		}
		return s.DefaultRole, s.DefaultRole != ""
	}
	found := map[access.Role]bool{}
	for _, v := range values(claims, s.RoleClaim) {
		found[s.RoleMapping[v]] = true
	}
	for _, role := range []access.Role{access.GlobalAdmin, access.OrgManager, access.User} {
		if found[role] {
			return role, true // the highest that any value grants
		}
	}
	return s.DefaultRole, s.DefaultRole != ""
}

func (s Settings) organization(claims map[string]any, present *Placement) (*int64, bool) {
	if s.OrganizationClaim == "" {
		if present != nil && present.Role != access.GlobalAdmin {
			return present.OrganizationID, true
		}
		return s.DefaultOrganizationID, true
	}
	for _, v := range values(claims, s.OrganizationClaim) {
		if id, ok := s.OrganizationMapping[v]; ok {
			return &id, true // the first mapped value wins
		}
	}
	return s.DefaultOrganizationID, s.DefaultOrganizationID != nil
}

// claim finds a claim by name or, if there is none, by the path that the dots
// in the name describe: realm_access.roles.
func claim(claims map[string]any, name string) any {
	if v, ok := claims[name]; ok {
		return v
	}
	first, rest, dotted := strings.Cut(name, ".")
	inner, ok := claims[first].(map[string]any)
	if !dotted || !ok {
		return nil
	}
	return claim(inner, rest)
}

// values returns the texts of a claim: one, or a list. Numbers become their digits.
func values(claims map[string]any, name string) []string {
	list, ok := claim(claims, name).([]any)
	if !ok {
		list = []any{claim(claims, name)}
	}
	var out []string
	for _, v := range list {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case json.Number:
			out = append(out, v.String())
		}
	}
	return out
}

// text returns a claim that is a single text; otherwise empty.
func text(claims map[string]any, name string) string {
	s, _ := claim(claims, name).(string)
	return strings.TrimSpace(s)
}

// denied reports whether a claim is present and false; some providers send it as text.
func denied(claims map[string]any, name string) bool {
	switch v := claims[name].(type) {
	case nil:
		return false
	case bool:
		return !v
	case string:
		return !strings.EqualFold(v, "true")
	default:
		return true
	}
}
