package signon

import (
	"encoding/json"
	"strings"

	"github.com/keyward/keyward/internal/access"
)

// place decides where the account of a person with these claims stands.
// present is where it stands now, nil for a new one. What is not mapped stays
// as it is; who maps to nothing gets the default, or without one is refused.
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
			return role, true // the most that one of the values gives
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
			return &id, true // the first that is mapped
		}
	}
	return s.DefaultOrganizationID, s.DefaultOrganizationID != nil
}

// claim finds a claim by name or, where no claim has that name, by the names
// that its dots separate: realm_access.roles.
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

// values are the texts of a claim: one, or a list. Numbers count as their
// digits.
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

// text is a claim that is one text, or empty.
func text(claims map[string]any, name string) string {
	s, _ := claim(claims, name).(string)
	return strings.TrimSpace(s)
}

// denied tells that a claim is there and false; some providers send it as a
// text.
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
