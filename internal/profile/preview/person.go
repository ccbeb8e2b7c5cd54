package preview

import (
	"cmp"
	"context"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/profile"
)

// madeUp is a person with every name, who may have the profile.
func (s *Service) madeUp(p profile.Profile) profile.Holder {
	h := profile.Holder{
		Username: "zoe", Email: "zoe@example.org", Name: "Zoë Example", UPN: "zoe@example.org",
		SID: "S-1-5-21-1000000000-2000000000-3000000000-1234", Organization: "Example", Realm: cmp.Or(s.Profiles.Realm, "EXAMPLE.ORG"),
		Serial: madeUpSerial, Role: access.User,
	}
	if len(p.Organizations) > 0 {
		h.OrganizationID = &p.Organizations[0]
	}
	if len(p.Roles) > 0 {
		h.Role = p.Roles[0]
	}
	return h
}

const madeUpSerial = "12345678"

// holder is whom the preview is for, and why a token gets no certificates whatever the profile.
func (s *Service) holder(ctx context.Context, scope access.Scope, p profile.Profile, want Want) (profile.Holder, []*fault.Error, error) {
	switch {
	case want.Serial != "":
		return s.Tokens.Holder(ctx, scope, want.Serial)
	case want.UserID == 0:
		return s.madeUp(p), nil, nil
	}
	u, err := s.Accounts.User(ctx, scope, want.UserID)
	if err != nil {
		return profile.Holder{}, nil, err
	}
	h := profile.Holder{
		Username: u.Username, Email: u.Email, Name: u.Name, UPN: u.UPN, SID: u.SID, Organization: u.OrganizationName,
		OrganizationID: u.OrganizationID, Role: u.Role, Realm: s.Profiles.Realm, Serial: madeUpSerial,
	}
	if u.OrganizationID != nil {
		o, err := s.Accounts.Organization(ctx, scope, *u.OrganizationID)
		if err != nil {
			return h, nil, err
		}
		h.Realm = cmp.Or(o.KerberosRealm, h.Realm)
	}
	return h, nil, nil
}
