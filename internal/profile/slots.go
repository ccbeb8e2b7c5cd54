package profile

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
)

// None stands for a slot that gets no certificates.
const None = "none"

// Slots say which profile each slot's certificates have, and which slots a set-up fills in one go.
// Of an organization, a slot that is missing and a nil plan are the installation's.
type Slots struct {
	Slots map[piv.Slot]string `json:"slots"`
	Plan  []piv.Slot          `json:"plan,omitzero"`
}

// initial holds until an administrator chooses otherwise: the specification's one certificate for
// everything. 9e asks for no PIN, so that one would let whoever holds the card sign in as its owner.
func initial() Slots {
	return Slots{
		Slots: map[piv.Slot]string{
			piv.Authentication: Default, piv.Signature: Default, piv.KeyManagement: Default, piv.CardAuthentication: CardAuthentication,
		},
		Plan: []piv.Slot{piv.Authentication},
	}
}

func slotsPathOf(organization *int64) string {
	if organization == nil {
		return slotsPath
	}
	return fmt.Sprintf(slotsOfPattern, *organization)
}

// Settings returns what was set for the installation, or for an organization alone.
func (s *Service) Settings(ctx context.Context, organization *int64) (Slots, error) {
	own := Slots{Slots: map[piv.Slot]string{}}
	if organization == nil {
		own = initial()
	}
	_, err := s.read(ctx, slotsPathOf(organization), &own)
	return own, err
}

// Effective returns what counts for an organization's tokens; nil: those of none. A slot that gets
// nothing is in no plan.
func (s *Service) Effective(ctx context.Context, organization *int64) (Slots, error) {
	slots, err := s.Settings(ctx, nil)
	if err != nil {
		return slots, err
	}
	if organization != nil {
		own, err := s.Settings(ctx, organization)
		if err != nil {
			return slots, err
		}
		maps.Copy(slots.Slots, own.Slots)
		if own.Plan != nil {
			slots.Plan = own.Plan
		}
	}
	slots.Plan = slices.DeleteFunc(slots.Plan, func(slot piv.Slot) bool { return slots.Slots[slot] == None })
	return slots, nil
}

// Uses reports whether a profile that some slot gets has that placeholder: the name of it then
// counts as one in certificates.
func (s *Service) Uses(ctx context.Context, placeholder string) (bool, error) {
	used, err := s.InUse(ctx)
	if err != nil {
		return false, err
	}
	list, err := s.List(ctx)
	return slices.ContainsFunc(list, func(p Profile) bool {
		return used[p.Name] && slices.ContainsFunc(p.templates(), func(t string) bool { return slices.Contains(mentions(t), placeholder) })
	}), err
}

// PutSettings replaces what was set for the installation, or for an organization. Invalid for a
// profile that there isn't or that isn't for its slot, and for a plan with slots that get none.
func (s *Service) PutSettings(ctx context.Context, a access.Actor, organization *int64, next Slots) error {
	base, err := s.Settings(ctx, nil)
	if err != nil {
		return err
	}
	var bad []fault.Field
	for _, slot := range piv.Slots {
		name, set := next.Slots[slot]
		field := "slots." + string(slot)
		switch p, err := s.Get(ctx, name); {
		case !set && organization == nil:
			bad = append(bad, fault.Required(field))
		case !set || name == None:
		case fault.Is(err, fault.NotFound):
			bad = append(bad, fault.Wrong(field, "no_profile", "names no certificate profile"))
		case err != nil:
			return err
		case !slices.Contains(p.Slots, slot):
			bad = append(bad, fault.Wrong(field, "profile_slot", "names a profile that isn't for this slot"))
		}
		if set {
			base.Slots[slot] = name
		}
	}
	if next.Plan == nil && organization == nil {
		bad = append(bad, fault.Required("plan"))
	}
	for i, slot := range next.Plan {
		switch {
		case !slot.Valid():
			bad = append(bad, fault.NotOneOf("plan", piv.Slots...))
		case slices.Contains(next.Plan[:i], slot):
			bad = append(bad, fault.Wrong("plan", "slot_twice", "names a slot twice"))
		case base.Slots[slot] == None:
			bad = append(bad, fault.Wrong("plan", "slot_unused", "names a slot that gets no certificates"))
		}
	}
	if len(bad) > 0 {
		return fault.Invalid(bad...)
	}
	var was Slots
	version, err := s.read(ctx, slotsPathOf(organization), &was)
	if err != nil {
		return err
	}
	target := "installation"
	if organization != nil {
		target = audit.ID(*organization)
	}
	entry := audit.By(a, audit.SlotProfilesChanged, "slot_profiles", target, next.summary()).In(organization)
	return s.write(ctx, slotsPathOf(organization), version, next, entry)
}

func (s Slots) summary() string {
	var parts []string
	for _, slot := range piv.Slots {
		if name, ok := s.Slots[slot]; ok {
			parts = append(parts, fmt.Sprintf("%s %s", slot, name))
		}
	}
	if s.Plan != nil {
		parts = append(parts, fmt.Sprintf("plan %v", s.Plan))
	}
	return strings.Join(parts, ", ")
}

// InUse returns the profiles that some slot gets.
func (s *Service) InUse(ctx context.Context) (map[string]bool, error) {
	used := map[string]bool{}
	base, err := s.Settings(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, name := range base.Slots {
		used[name] = true
	}
	paths, err := s.Vault.List(ctx, folder)
	if err != nil {
		return nil, vault.Fault(err)
	}
	for _, path := range paths {
		var own Slots
		if !strings.HasPrefix(path, "organization_") {
			continue
		}
		if _, err := s.read(ctx, folder+"/"+path, &own); err != nil {
			return nil, err
		}
		for _, name := range own.Slots {
			used[name] = true
		}
	}
	return used, nil
}
