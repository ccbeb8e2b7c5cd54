package profile

import (
	"slices"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
)

// Obstacles are the reasons why that token's owner cannot have a certificate of the profile in a
// slot, whatever the key.
func (p Profile) Obstacles(slot piv.Slot, h Holder) (list []*fault.Error) {
	named := fault.Params{"profile": p.Name, "slot": string(slot)}
	if !slices.Contains(p.Slots, slot) {
		list = append(list, fault.Newf(fault.ProfileMismatch, "profile_slot",
			"Certificates of the profile {profile} don't belong in slot {slot}. Choose another slot or profile.", named))
	}
	if !p.forOrganization(h.OrganizationID) {
		list = append(list, fault.Newf(fault.ProfileMismatch, "profile_organization",
			"The profile {profile} is for other organizations. Choose another profile.", named))
	}
	if !p.forRole(h.Role) {
		list = append(list, fault.Newf(fault.ProfileMismatch, "profile_role",
			"The profile {profile} is for accounts with another role. Choose another profile.", named))
	}
	return append(list, p.missing(h)...)
}

// For reports whether the tokens of people with that organization and role may have it.
func (p Profile) For(organization *int64, role access.Role) bool {
	return p.forOrganization(organization) && p.forRole(role)
}

func (p Profile) forOrganization(id *int64) bool {
	return len(p.Organizations) == 0 || id != nil && slices.Contains(p.Organizations, *id)
}

func (p Profile) forRole(role access.Role) bool {
	return len(p.Roles) == 0 || slices.Contains(p.Roles, role)
}

// missing are the reasons why the names cannot be made.
func (p Profile) missing(h Holder) (list []*fault.Error) {
	names := p.Names(h)
	if p.Name != Default { // whose names are the CSR's: package cert
		for _, part := range p.Subject.parts() {
			if part.template != "" && h.fill(part.template) == "" {
				list = append(list, lacking(part.template))
			}
		}
		if _, err := pki.CheckNames(names); err != nil && len(list) == 0 {
			if f, ok := fault.As(err); ok {
				list = append(list, f)
			}
		}
	}
	if p.allows("smartcardLogon", "pkinitClient") && names.UPN == "" && names.Principal == (vault.Principal{}) {
		list = append(list, fault.New(fault.ProfileMismatch, "upn_missing",
			"To log on, the account needs a UPN, or its organization a Kerberos realm. Ask an administrator to add one."))
	}
	if p.SID == SIDRequired && h.SID == "" {
		list = append(list, fault.New(fault.ProfileMismatch, "sid_missing", "The account has no Windows SID. Ask an administrator to add it."))
	}
	return list
}

// lacking says which field of the account is empty.
func lacking(template string) *fault.Error {
	field := ""
	if names := mentions(template); len(names) > 0 {
		field = names[0]
	}
	return fault.Newf(fault.ProfileMismatch, "profile_field_missing",
		"The certificate would have the account's {field}, which is empty. Ask an administrator to add it.",
		fault.Params{"field": field})
}

// Names are those of a certificate for a holder. What the account lacks of alternative names is left out.
func (p Profile) Names(h Holder) (r vault.SignRequest) {
	r.CommonName, r.Organization = h.fill(p.Subject.CommonName), h.fill(p.Subject.Organization)
	r.OrganizationalUnit, r.Country = h.fill(p.Subject.OrganizationalUnit), h.fill(p.Subject.Country)
	for _, san := range p.SANs {
		value := h.fill(san.Value)
		if value == "" {
			continue
		}
		switch san.Type {
		case Email:
			r.Emails = append(r.Emails, value)
		case UPN:
			r.UPN = value
		case KRB5Principal:
			if name := h.principal(san.Value); name != "" && h.Realm != "" {
				r.Principal = vault.Principal{Name: name, Realm: h.Realm}
			}
		case DNS:
			r.DNSNames = append(r.DNSNames, value)
		case URI:
			r.URIs = append(r.URIs, value)
		}
	}
	if p.SID == SIDOptional || p.SID == SIDRequired {
		r.SID = h.SID
	}
	return r
}

// Request is what the CA is asked for, without the CSR. Of Default, whose names are the CSR's, it
// has none. ProfileMismatch for a key of another type.
func (p Profile) Request(key any, h Holder) (r vault.SignRequest, err error) {
	t := piv.KeyTypeOf(key)
	usage := p.Usage(t)
	if usage.Key == 0 {
		return r, fault.Newf(fault.ProfileMismatch, "profile_key_type",
			"Certificates of the profile {profile} are not for keys of type {type}. Create a key of another type.",
			fault.Params{"profile": p.Name, "type": string(t)})
	}
	if p.Name != Default {
		r = p.Names(h)
	}
	r.Usage, r.TTL = usage, p.ttl()
	return r, nil
}

// Subjects are the common name and the email of a certificate, as its CSR may have them.
func (p Profile) Subjects(h Holder) (commonName, email string) {
	names := p.Names(h)
	if len(names.Emails) > 0 {
		email = names.Emails[0]
	}
	return names.CommonName, email
}

// pinOf are the PIN policies that tokens give a slot's key by default (NIST SP 800-73-4, part 1, table 4b).
var pinOf = map[piv.Slot]string{
	piv.Authentication: "once", piv.Signature: "always", piv.KeyManagement: "once", piv.CardAuthentication: "never",
}

// makes are the PIN policies that agents can ask for.
var makes = []string{"once", "always", "never"}

// Key is what a key for the profile is created with in a slot. The empty type: no key that the
// installation certifies fits. Empty policies: what the token does by default.
func (s *Service) Key(p Profile, slot piv.Slot) (t piv.KeyType, pin, touch string) {
	for _, allowed := range s.KeyTypes {
		if p.Usage(allowed).Key != 0 {
			t = allowed
			break
		}
	}
	if len(p.PINPolicies) > 0 && !slices.Contains(p.PINPolicies, pinOf[slot]) {
		for _, policy := range makes {
			if slices.Contains(p.PINPolicies, policy) {
				pin = policy
				break
			}
		}
	}
	if len(p.TouchPolicies) > 0 && !slices.Contains(p.TouchPolicies, "never") { // a token's default
		touch = p.TouchPolicies[0]
	}
	return t, pin, touch
}

// CheckStatement returns ProfileMismatch if an attested key has other policies than the profile
// demands. nil is a key without proof.
func (p Profile) CheckStatement(s *pki.Statement) error {
	switch {
	case s == nil:
		return nil
	case len(p.PINPolicies) > 0 && !slices.Contains(p.PINPolicies, s.PINPolicy):
		return fault.Newf(fault.ProfileMismatch, "profile_pin_policy",
			"The key's PIN policy is {policy}, which the profile {profile} doesn't allow. Create the key again with another.",
			fault.Params{"profile": p.Name, "policy": s.PINPolicy})
	case len(p.TouchPolicies) > 0 && !slices.Contains(p.TouchPolicies, s.TouchPolicy):
		return fault.Newf(fault.ProfileMismatch, "profile_touch_policy",
			"The key's touch policy is {policy}, which the profile {profile} doesn't allow. Create the key again with another.",
			fault.Params{"profile": p.Name, "policy": s.TouchPolicy})
	}
	return nil
}
