package profile

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
)

// The documents in the vault.
const (
	folder         = "certificate_profiles"
	customPath     = folder + "/custom"
	slotsPath      = folder + "/installation"
	slotsOfPattern = folder + "/organization_%d"
)

// Log keeps audit entries.
type Log interface {
	AppendAudit(ctx context.Context, entries ...audit.Entry) error
}

// Certificates tells which profiles certificates have.
type Certificates interface {
	// ProfileAlive reports whether a certificate of the profile has not ended.
	ProfileAlive(ctx context.Context, name string, now time.Time) (bool, error)
}

// Service keeps the profiles, and which slot gets which.
type Service struct {
	Vault        vault.KV
	Log          Log
	Certificates Certificates
	KeyTypes     []piv.KeyType // PKI_KEY_TYPES
	MaxTTL       time.Duration // PKI_CERT_TTL
	Realm        string        // PKI_KERBEROS_REALM; empty: none
	// Constant says that the vault's roles have O, OU and C, which are then the same in each certificate.
	Constant bool
	// SetUp, if not nil, returns ProfileUnsupported until the vault was told of the profile, for such
	// keys, as it is.
	SetUp func(ctx context.Context, p Profile, t piv.KeyType) error
	// Lint, if not nil, returns Invalid for a profile that passed Check and whose certificates break a
	// standard all the same.
	Lint func(ctx context.Context, p Profile) error
	Now  func() time.Time
}

// stored is the document of the profiles that administrators made. A retired one has no new
// certificates.
type stored struct {
	Profiles []Profile `json:"profiles"`
	Retired  []string  `json:"retired,omitempty"`
}

// read decodes a document; version 0: there is none.
func (s *Service) read(ctx context.Context, path string, v any) (version int, err error) {
	found, err := s.Vault.Get(ctx, path)
	if errors.Is(err, vault.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, vault.Fault(err)
	}
	return found.Number, found.Data.Decode(v)
}

// write puts a document in the place of the version that was read. The entry comes first: a change
// without one would be worse than an entry whose change the vault refused, which another entry
// tells.
func (s *Service) write(ctx context.Context, path string, version int, v any, entry audit.Entry) error {
	data, err := vault.Encode(v)
	if err != nil {
		return err
	}
	if err := s.Log.AppendAudit(ctx, entry); err != nil {
		return err
	}
	_, err = s.Vault.Put(ctx, path, data, version)
	if err == nil {
		return nil
	}
	entry.Outcome, entry.Details = audit.Failure, "not stored: "+entry.Details
	if errors.Is(err, vault.ErrCAS) {
		err = fault.New(fault.Conflict, "profiles_changed", "Someone else has just changed the profiles. Reload them and try again.")
	} else if _, ok := fault.As(err); !ok {
		if errors.Is(err, vault.ErrUnavailable) { // its answer may be lost
			entry.Details = strings.Replace(entry.Details, "not stored", "not confirmed by the vault", 1)
		}
		err = vault.Fault(err)
	}
	if failed := s.Log.AppendAudit(access.OnRecord(context.WithoutCancel(ctx)), entry); failed != nil {
		return failed
	}
	return err
}

func unknown(field string) error {
	return fault.Invalid(fault.Wrong(field, "no_profile", "names no certificate profile"))
}

var errNoProfile = fault.New(fault.NotFound, "no_profile", "There is no such certificate profile.")

// Get returns a profile by its name. NotFound.
func (s *Service) Get(ctx context.Context, name string) (Profile, error) {
	if p, ok := Builtin(name); ok {
		return p, nil
	}
	list, err := s.custom(ctx)
	if err != nil {
		return Profile{}, err
	}
	at := slices.IndexFunc(list, func(p Profile) bool { return p.Name == name })
	if at < 0 {
		return Profile{}, errNoProfile
	}
	return list[at], nil
}

func (s *Service) custom(ctx context.Context) ([]Profile, error) {
	var d stored
	if _, err := s.read(ctx, customPath, &d); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(d.Profiles, func(p Profile) bool { return slices.Contains(d.Retired, p.Name) }), nil
}

// List returns all profiles, the built-in ones first.
func (s *Service) List(ctx context.Context) ([]Profile, error) {
	list, err := s.custom(ctx)
	return append(Builtins(), list...), err
}

// Of returns the profile of a new certificate: the one of that name, or the slot's if it is empty.
// An empty key type is the one that Key chooses. Invalid for a name that none has; ProfileMismatch
// where the slot gets no certificates; ProfileUnsupported of SetUp.
func (s *Service) Of(ctx context.Context, name string, slot piv.Slot, t piv.KeyType, organization *int64) (Profile, error) {
	slots, err := s.Effective(ctx, organization)
	if err != nil {
		return Profile{}, err
	}
	if reason := slots.Refuses(name, slot); reason != nil {
		return Profile{}, reason
	}
	p, err := s.Get(ctx, cmp.Or(name, slots.Slots[slot]))
	if err == nil && s.SetUp != nil {
		if t == "" {
			t, _, _ = s.Key(p, slot)
		}
		err = s.SetUp(ctx, p, t)
	}
	switch {
	case !fault.Is(err, fault.NotFound):
		return p, err
	case name != "":
		return p, unknown("profile")
	}
	return p, fault.Newf(fault.ProfileMismatch, "slot_profile_gone",
		"Slot {slot} has a profile that was deleted. Ask an administrator to choose another.", fault.Params{"slot": string(slot)})
}

// Refuses is why a slot can't have a profile, whatever that is; nil if it can.
func (s Slots) Refuses(name string, slot piv.Slot) *fault.Error {
	switch its := s.Slots[slot]; {
	case its == None:
		return fault.Newf(fault.ProfileMismatch, "slot_unused",
			"Slot {slot} gets no certificates here. Choose another slot, or ask an administrator.", fault.Params{"slot": string(slot)})
	case slot == piv.CardAuthentication && name == Default && its != Default: // without a PIN, who holds the card would sign in as its owner
		return fault.Newf(fault.ProfileMismatch, "profile_slot",
			"Certificates of the profile {profile} don't belong in slot {slot}. Choose another slot or profile.",
			fault.Params{"profile": name, "slot": string(slot)})
	}
	return nil
}

// Create makes a profile. Conflict if the name is taken, by one that was deleted, too, while a
// certificate has it.
func (s *Service) Create(ctx context.Context, a access.Actor, p Profile) (Profile, error) {
	if err := s.savable(ctx, p); err != nil {
		return Profile{}, err
	}
	var d stored
	version, err := s.read(ctx, customPath, &d)
	if err == nil {
		err = s.forget(ctx, &d)
	}
	if err != nil {
		return Profile{}, err
	}
	_, taken := Builtin(p.Name)
	if taken || slices.ContainsFunc(d.Profiles, func(o Profile) bool { return o.Name == p.Name }) {
		return Profile{}, fault.New(fault.Conflict, "profile_taken",
			"A profile with that name exists, or a deleted one still has certificates. Choose another name.").
			About(fault.Wrong("name", "profile_taken", "belongs to another profile"))
	}
	if len(d.Profiles) >= maxProfiles {
		return Profile{}, fault.Newf(fault.Conflict, "many_profiles", "There are {max} profiles already. Delete one first.",
			fault.Params{"max": maxProfiles})
	}
	d.Profiles = append(d.Profiles, p)
	entry := audit.By(a, audit.ProfileCreated, "certificate_profile", p.Name, p.summary()).In(nil)
	return p, s.write(ctx, customPath, version, d, entry)
}

func (s *Service) savable(ctx context.Context, p Profile) error {
	err := s.Check(p)
	if err == nil && s.Lint != nil {
		err = s.Lint(ctx, p)
	}
	return err
}

// Change replaces a profile; certificates that have it stay as they are.
func (s *Service) Change(ctx context.Context, a access.Actor, name string, change func(*Profile)) (Profile, error) {
	if _, ok := Builtin(name); ok {
		return Profile{}, errBuiltin
	}
	d, version, at, err := s.find(ctx, name)
	if err != nil {
		return Profile{}, err
	}
	p := d.Profiles[at]
	change(&p)
	p.Name = name
	if err := s.savable(ctx, p); err != nil {
		return Profile{}, err
	}
	if err := s.keepsSlots(ctx, d.Profiles[at], p); err != nil {
		return Profile{}, err
	}
	d.Profiles[at] = p
	entry := audit.By(a, audit.ProfileChanged, "certificate_profile", name, p.summary()).In(nil)
	return p, s.write(ctx, customPath, version, d, entry)
}

var errBuiltin = fault.New(fault.PermissionDenied, "profile_builtin", "Built-in profiles can't be changed. Make a copy, and change that.")

// find returns the document and where a profile stands in it; NotFound.
func (s *Service) find(ctx context.Context, name string) (d stored, version, at int, err error) {
	if version, err = s.read(ctx, customPath, &d); err != nil {
		return d, version, 0, err
	}
	at = slices.IndexFunc(d.Profiles, func(p Profile) bool { return p.Name == name })
	if at < 0 || slices.Contains(d.Retired, name) {
		return d, version, 0, errNoProfile
	}
	return d, version, at, nil
}

// keepsSlots returns ProfileInUse if a slot gets the profile that it would no longer be for.
func (s *Service) keepsSlots(ctx context.Context, was, next Profile) error {
	if !slices.ContainsFunc(was.Slots, func(slot piv.Slot) bool { return !slices.Contains(next.Slots, slot) }) {
		return nil
	}
	used, err := s.InUse(ctx)
	if err == nil && used[was.Name] {
		err = errInUse
	}
	return err
}

var errInUse = fault.New(fault.ProfileInUse, "", "A slot still gets this profile. Choose another one for the slot first.")

// Delete removes a profile. ProfileInUse while a slot or plan names it; one that certificates have
// gets no new ones, and keeps its name until the last has ended.
func (s *Service) Delete(ctx context.Context, a access.Actor, name string) error {
	if _, ok := Builtin(name); ok {
		return errBuiltin
	}
	d, version, at, err := s.find(ctx, name)
	if err != nil {
		return err
	}
	used, err := s.InUse(ctx)
	switch {
	case err != nil:
		return err
	case used[name]:
		return errInUse
	}
	alive, err := s.Certificates.ProfileAlive(ctx, name, s.Now())
	if err != nil {
		return err
	}
	if alive {
		d.Retired = append(d.Retired, name)
	} else {
		d.Profiles = slices.Delete(d.Profiles, at, at+1)
	}
	entry := audit.By(a, audit.ProfileDeleted, "certificate_profile", name, "").In(nil)
	return s.write(ctx, customPath, version, d, entry)
}

// forget drops deleted profiles whose last certificate has ended.
func (s *Service) forget(ctx context.Context, d *stored) error {
	for _, name := range slices.Clone(d.Retired) {
		alive, err := s.Certificates.ProfileAlive(ctx, name, s.Now())
		if err != nil {
			return err
		}
		if !alive {
			d.Retired = slices.DeleteFunc(d.Retired, func(n string) bool { return n == name })
			d.Profiles = slices.DeleteFunc(d.Profiles, func(p Profile) bool { return p.Name == name })
		}
	}
	return nil
}

// summary is a profile in the audit log.
func (p Profile) summary() string {
	text, err := vault.Encode(p)
	if err != nil {
		return ""
	}
	return string(text)
}

// maxProfiles is how many profiles administrators can make.
const maxProfiles = 100
