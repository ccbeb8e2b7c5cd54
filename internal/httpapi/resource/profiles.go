package resource

import (
	"context"
	"net/http"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/profile"
)

type profileHandlers struct {
	profiles      *profile.Service
	organizations *account.Organizations
	keys          *hwkey.Service
	certs         *cert.Service
}

func registerProfiles(s *httpapi.Server, h profileHandlers) {
	tags := []string{"certificates"}
	httpapi.Register(s, httpapi.Operation{ID: "usable-profiles", Method: http.MethodGet, Path: "/api/certificate-profiles", Tags: tags,
		Summary: "List the certificate profiles that you may use, and what each slot gets"}, h.usable)
	const path = "/api/admin/profiles"
	httpapi.Register(s, httpapi.Operation{ID: "list-profiles", Method: http.MethodGet, Path: path, Tags: tags,
		Summary: "List all certificate profiles"}, h.list)
	httpapi.Register(s, httpapi.Operation{ID: "get-profile", Method: http.MethodGet, Path: path + "/{name}", Tags: tags,
		Summary: "Show a certificate profile"},
		func(ctx context.Context, in *ProfilePath) (*answer[backend.Profile], error) {
			return h.one(ctx)(h.profiles.Get(ctx, in.Name))
		})
	httpapi.Register(s, httpapi.Operation{ID: "create-profile", Method: http.MethodPost, Path: path, Tags: tags,
		Status: http.StatusCreated, Summary: "Make a certificate profile"},
		func(ctx context.Context, in *struct{ Body backend.NewProfile }) (*answer[backend.Profile], error) {
			p := profileOf(in.Body.ProfileBody)
			p.Name = in.Body.Name
			return h.one(ctx)(h.profiles.Create(ctx, httpapi.ActorFrom(ctx), p))
		})
	httpapi.Register(s, httpapi.Operation{ID: "update-profile", Method: http.MethodPatch, Path: path + "/{name}", Tags: tags,
		Summary:     "Change a certificate profile",
		Description: "Certificates that have it stay as they are. Built-in profiles can't be changed."}, h.update)
	httpapi.Register(s, httpapi.Operation{ID: "delete-profile", Method: http.MethodDelete, Path: path + "/{name}", Tags: tags,
		Status: http.StatusNoContent, Summary: "Delete a certificate profile",
		Description: "409 profile_in_use while a slot gets it. Certificates that have it stay valid, and its name is taken until the last " +
			"has ended."},
		func(ctx context.Context, in *ProfilePath) (*struct{}, error) {
			return nil, h.profiles.Delete(ctx, httpapi.ActorFrom(ctx), in.Name)
		})
	registerSlotProfiles(s, h)
}

func registerSlotProfiles(s *httpapi.Server, h profileHandlers) {
	tags := []string{"settings"}
	const path, of = "/api/admin/settings/slot-profiles", "/api/admin/organizations/{id}/slot-profiles"
	httpapi.Register(s, httpapi.Operation{ID: "get-slot-profiles", Method: http.MethodGet, Path: path, Tags: tags,
		Summary: "Show which certificate profile each slot gets"},
		func(ctx context.Context, _ *struct{}) (*answer[backend.SlotProfiles], error) {
			return h.settings(ctx, nil)
		})
	httpapi.Register(s, httpapi.Operation{ID: "put-slot-profiles", Method: http.MethodPut, Path: path, Tags: tags,
		Summary: "Choose which certificate profile each slot gets"},
		func(ctx context.Context, in *struct{ Body backend.SlotProfiles }) (*answer[backend.SlotProfiles], error) {
			return h.put(ctx, nil, in.Body)
		})
	tags = []string{"organizations"}
	httpapi.Register(s, httpapi.Operation{ID: "get-organization-slot-profiles", Method: http.MethodGet, Path: of, Tags: tags,
		Summary: "Show which certificate profiles an organization has instead of the installation's"},
		func(ctx context.Context, in *OrganizationPath) (*answer[backend.SlotProfiles], error) {
			if _, err := h.organizations.Store.Organization(ctx, httpapi.ScopeFrom(ctx), in.ID); err != nil {
				return nil, err
			}
			return h.settings(ctx, &in.ID)
		})
	httpapi.Register(s, httpapi.Operation{ID: "put-organization-slot-profiles", Method: http.MethodPut, Path: of, Tags: tags,
		Summary: "Choose the certificate profiles that an organization has instead of the installation's"},
		func(ctx context.Context, in *struct {
			OrganizationPath
			Body backend.SlotProfiles
		}) (*answer[backend.SlotProfiles], error) {
			if _, err := h.organizations.Store.Organization(ctx, httpapi.ScopeFrom(ctx), in.ID); err != nil {
				return nil, err
			}
			return h.put(ctx, &in.ID, in.Body)
		})
}

// ProfilePath names a profile.
type ProfilePath struct {
	Name string `path:"name" maxLength:"40"`
}

// OrganizationPath names an organization.
type OrganizationPath struct {
	ID int64 `path:"id" minimum:"1"`
}

func (h profileHandlers) usable(ctx context.Context, in *struct {
	Serial string `query:"serial" maxLength:"64" doc:"of a token; with slot, the answer says whether each profile fits"`
	Slot   string `query:"slot" enum:"9a,9c,9d,9e"`
}) (*answer[backend.UsableProfiles], error) {
	list, err := h.profiles.List(ctx)
	if err != nil {
		return nil, err
	}
	actor := httpapi.ActorFrom(ctx)
	organization, role := actor.OrganizationID, actor.Role
	var d *hwkey.Device
	if in.Serial != "" {
		found, err := h.keys.Get(ctx, httpapi.ScopeFrom(ctx), in.Serial)
		if err != nil {
			return nil, err
		}
		d, organization, role = &found, found.OrganizationID, found.OwnerRole
	}
	slots, err := h.profiles.Effective(ctx, organization)
	if err != nil {
		return nil, err
	}
	out := backend.UsableProfiles{Items: []backend.UsableProfile{}, Slots: slotNames(slots), Plan: words(slots.Plan)}
	for _, p := range list {
		if !p.For(organization, role) && actor.Role != access.GlobalAdmin {
			continue
		}
		u := backend.UsableProfile{Name: p.Name, Description: p.Description, Slots: words(p.Slots), Reasons: []string{}}
		if d != nil && in.Slot != "" {
			u.Reasons = h.certs.Misfits(p, piv.Slot(in.Slot), *d)
			if refusal := slots.Refuses(p.Name, piv.Slot(in.Slot)); refusal != nil {
				u.Reasons = append(u.Reasons, refusal.Reason)
			}
			fits := len(u.Reasons) == 0
			u.Fits = &fits
		}
		out.Items = append(out.Items, u)
	}
	return &answer[backend.UsableProfiles]{out}, nil
}

func (h profileHandlers) list(ctx context.Context, _ *struct{}) (*answer[backend.Profiles], error) {
	list, err := h.profiles.List(ctx)
	if err != nil {
		return nil, err
	}
	used, err := h.profiles.InUse(ctx)
	if err != nil {
		return nil, err
	}
	out := backend.Profiles{Items: []backend.Profile{}}
	for _, p := range list {
		out.Items = append(out.Items, profileAnswer(p, used))
	}
	return &answer[backend.Profiles]{out}, nil
}

func (h profileHandlers) one(ctx context.Context) func(profile.Profile, error) (*answer[backend.Profile], error) {
	return func(p profile.Profile, err error) (*answer[backend.Profile], error) {
		if err != nil {
			return nil, err
		}
		used, err := h.profiles.InUse(ctx)
		if err != nil {
			return nil, err
		}
		return &answer[backend.Profile]{profileAnswer(p, used)}, nil
	}
}

func (h profileHandlers) update(ctx context.Context, in *struct {
	ProfilePath
	Body struct {
		Name             *string                          `json:"name,omitempty" readOnly:"true" doc:"that of the path: it can't be changed"`
		Description      Optional[string]                 `json:"description,omitempty" maxLength:"256"`
		Slots            Settable[[]string]               `json:"slots,omitempty" enum:"9a,9c,9d,9e" maxItems:"4"`
		KeyTypes         Settable[[]string]               `json:"key_types,omitempty" maxItems:"6"`
		TTL              Optional[string]                 `json:"ttl,omitempty" maxLength:"32"`
		KeyUsage         Settable[[]string]               `json:"key_usage,omitempty" maxItems:"4"`
		ExtendedKeyUsage Settable[[]string]               `json:"extended_key_usage,omitempty" maxItems:"20"`
		Subject          Settable[backend.ProfileSubject] `json:"subject,omitempty"`
		SANs             Optional[[]backend.ProfileSAN]   `json:"sans,omitempty" maxItems:"20"`
		SID              Optional[string]                 `json:"sid,omitempty" enum:"off,optional,required"`
		PINPolicies      Optional[[]string]               `json:"pin_policies,omitempty" maxItems:"6"`
		TouchPolicies    Optional[[]string]               `json:"touch_policies,omitempty" maxItems:"4"`
		Attestation      Optional[string]                 `json:"attestation,omitempty" enum:"inherit,verify,require"`
		Organizations    Optional[[]int64]                `json:"organizations,omitempty" maxItems:"1000"`
		Roles            Optional[[]string]               `json:"roles,omitempty" maxItems:"3"`
	}
}) (*answer[backend.Profile], error) {
	b := in.Body
	var bad []fault.Field
	slots, types := b.Slots.pointer("slots", &bad), b.KeyTypes.pointer("key_types", &bad)
	usage, purposes := b.KeyUsage.pointer("key_usage", &bad), b.ExtendedKeyUsage.pointer("extended_key_usage", &bad)
	subject := b.Subject.pointer("subject", &bad)
	if b.Name != nil && *b.Name != in.Name {
		bad = append(bad, readOnly("name"))
	}
	if len(bad) > 0 {
		return nil, fault.Invalid(bad...)
	}
	return h.one(ctx)(h.profiles.Change(ctx, httpapi.ActorFrom(ctx), in.Name, func(p *profile.Profile) {
		next := profileBody(*p)
		set(&next.Description, b.Description.orZero())
		set(&next.Slots, slots)
		set(&next.KeyTypes, types)
		set(&next.TTL, b.TTL.orZero())
		set(&next.KeyUsage, usage)
		set(&next.ExtendedKeyUsage, purposes)
		set(&next.Subject, subject)
		set(&next.SANs, b.SANs.orZero())
		set(&next.SID, b.SID.orZero())
		set(&next.PINPolicies, b.PINPolicies.orZero())
		set(&next.TouchPolicies, b.TouchPolicies.orZero())
		set(&next.Attestation, b.Attestation.orZero())
		set(&next.Organizations, b.Organizations.orZero())
		set(&next.Roles, b.Roles.orZero())
		*p = profileOf(next)
	}))
}

func (h profileHandlers) settings(ctx context.Context, organization *int64) (*answer[backend.SlotProfiles], error) {
	slots, err := h.profiles.Settings(ctx, organization)
	if err != nil {
		return nil, err
	}
	out := backend.SlotProfiles{Slots: slotNames(slots)}
	if slots.Plan != nil {
		plan := words(slots.Plan)
		out.Plan = &plan
	}
	return &answer[backend.SlotProfiles]{out}, nil
}

func (h profileHandlers) put(ctx context.Context, organization *int64, in backend.SlotProfiles) (*answer[backend.SlotProfiles], error) {
	next := profile.Slots{Slots: map[piv.Slot]string{}}
	for slot, name := range map[piv.Slot]*string{
		piv.Authentication: in.Slots.Authentication, piv.Signature: in.Slots.Signature,
		piv.KeyManagement: in.Slots.KeyManagement, piv.CardAuthentication: in.Slots.CardAuthentication,
	} {
		if name != nil {
			next.Slots[slot] = *name
		}
	}
	if in.Plan != nil {
		next.Plan = typed[piv.Slot](*in.Plan)
	}
	if err := h.profiles.PutSettings(ctx, httpapi.ActorFrom(ctx), organization, next); err != nil {
		return nil, err
	}
	return &answer[backend.SlotProfiles]{in}, nil
}

func slotNames(s profile.Slots) (out backend.SlotNames) {
	for slot, to := range map[piv.Slot]**string{
		piv.Authentication: &out.Authentication, piv.Signature: &out.Signature,
		piv.KeyManagement: &out.KeyManagement, piv.CardAuthentication: &out.CardAuthentication,
	} {
		if name, ok := s.Slots[slot]; ok {
			*to = &name
		}
	}
	return out
}

func profileAnswer(p profile.Profile, used map[string]bool) backend.Profile {
	return backend.Profile{Name: p.Name, ProfileBody: profileBody(p), Builtin: p.Builtin, InUse: used[p.Name]}
}

func profileBody(p profile.Profile) backend.ProfileBody {
	out := backend.ProfileBody{
		Description: p.Description, Slots: words(p.Slots), KeyTypes: words(p.KeyTypes), TTL: p.TTL, KeyUsage: words(p.KeyUsage),
		ExtendedKeyUsage: words(p.ExtendedKeyUsage), Subject: backend.ProfileSubject(p.Subject), SANs: []backend.ProfileSAN{}, SID: p.SID,
		PINPolicies: words(p.PINPolicies), TouchPolicies: words(p.TouchPolicies), Attestation: p.Attestation,
		Organizations: append([]int64{}, p.Organizations...), Roles: words(p.Roles),
	}
	for _, san := range p.SANs {
		out.SANs = append(out.SANs, backend.ProfileSAN(san))
	}
	return out
}

func profileOf(in backend.ProfileBody) profile.Profile {
	p := profile.Profile{
		Description: in.Description, Slots: typed[piv.Slot](in.Slots), KeyTypes: typed[piv.KeyType](in.KeyTypes), TTL: in.TTL,
		KeyUsage: in.KeyUsage, ExtendedKeyUsage: in.ExtendedKeyUsage, Subject: profile.Subject(in.Subject), SID: in.SID,
		PINPolicies:   in.PINPolicies,
		TouchPolicies: in.TouchPolicies, Attestation: in.Attestation, Organizations: in.Organizations, Roles: typed[access.Role](in.Roles),
	}
	for _, san := range in.SANs {
		p.SANs = append(p.SANs, profile.SAN(san))
	}
	return p
}

func words[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

func typed[S ~string](list []string) []S {
	out := make([]S, len(list))
	for i, v := range list {
		out[i] = S(v)
	}
	return out
}
