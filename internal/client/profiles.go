package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/keyward/keyward/api/backend"
)

// The types of profiles.
type (
	Profile        = backend.Profile
	NewProfile     = backend.NewProfile
	ProfilePreview = backend.ProfilePreview
	SlotProfiles   = backend.SlotProfiles
)

const profilesPath = "/api/admin/profiles"

// AllProfiles lists all profiles, the built-in ones first.
func (b *Backend) AllProfiles(ctx context.Context) ([]Profile, error) {
	var p backend.Profiles
	return p.Items, b.get(ctx, profilesPath, nil, &p)
}

// Profile reads a profile.
func (b *Backend) Profile(ctx context.Context, name string) (Profile, error) {
	var p Profile
	return p, b.get(ctx, profilesPath+"/"+url.PathEscape(name), nil, &p)
}

// CreateProfile makes a profile.
func (b *Backend) CreateProfile(ctx context.Context, n NewProfile) (Profile, error) {
	var p Profile
	return p, b.post(ctx, profilesPath, n, &p)
}

// ChangeProfile replaces all that a profile says.
func (b *Backend) ChangeProfile(ctx context.Context, name string, next backend.ProfileBody) (Profile, error) {
	var p Profile
	body := map[string]any{ // what is empty is left out of next, and would stay
		"description": nil, "ttl": nil, "sans": nil, "sid": nil, "pin_policies": nil, "touch_policies": nil, "attestation": nil,
		"organizations": nil, "roles": nil,
	}
	raw, err := json.Marshal(next)
	if err == nil {
		err = json.Unmarshal(raw, &body)
	}
	if err != nil {
		return p, err
	}
	return p, b.call(ctx, request{method: http.MethodPatch, path: profilesPath + "/" + url.PathEscape(name), body: body, repeatable: true}, &p)
}

// DeleteProfile deletes a profile that no slot gets.
func (b *Backend) DeleteProfile(ctx context.Context, name string) error {
	return b.call(ctx, request{method: http.MethodDelete, path: profilesPath + "/" + url.PathEscape(name)}, nil)
}

// PreviewProfile returns the certificate that would come out of a profile for a token's owner; without
// a serial number, for a made-up person.
func (b *Backend) PreviewProfile(ctx context.Context, name, serial string) (ProfilePreview, error) {
	var p ProfilePreview
	body := map[string]string{"profile": name, "serial": serial}
	return p, b.call(ctx, request{method: http.MethodPost, path: profilesPath + "/preview", body: body, repeatable: true}, &p)
}

// SlotProfiles reads which profile each slot gets; 0: of the installation, else what an
// organization has instead.
func (b *Backend) SlotProfiles(ctx context.Context, organization int64) (SlotProfiles, error) {
	var s SlotProfiles
	return s, b.get(ctx, slotProfilesPath(organization), nil, &s)
}

// PutSlotProfiles replaces that.
func (b *Backend) PutSlotProfiles(ctx context.Context, organization int64, s SlotProfiles) error {
	return b.call(ctx, request{method: http.MethodPut, path: slotProfilesPath(organization), body: s, repeatable: true}, nil)
}

func slotProfilesPath(organization int64) string {
	if organization == 0 {
		return "/api/admin/settings/slot-profiles"
	}
	return fmt.Sprintf("/api/admin/organizations/%d/slot-profiles", organization)
}
