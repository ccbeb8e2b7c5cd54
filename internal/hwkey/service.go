package hwkey

import (
	"cmp"
	"context"
	"crypto/rsa"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/textinput"
)

// Directory looks up the people and organizations that tokens belong to.
type Directory interface {
	User(ctx context.Context, scope access.Scope, id int64) (account.User, error)
	Organization(ctx context.Context, scope access.Scope, id int64) (account.Organization, error)
	// UserByLogin finds an account by username or email, ignoring case and scope.
	// NotFound otherwise.
	UserByLogin(ctx context.Context, login string) (account.User, error)
	// OrganizationByName ignores case. NotFound outside scope.
	OrganizationByName(ctx context.Context, scope access.Scope, name string) (account.Organization, error)
}

// Agents returns the agent key that a session registered, or AgentNotRegistered.
type Agents interface {
	AgentKey(ctx context.Context, sessionID int64) (*rsa.PublicKey, error)
}

// Publisher sends recorded revocations to the CRL.
type Publisher interface {
	PublishRevocations(ctx context.Context) error
}

// Service implements the operations on tokens.
type Service struct {
	Store     Store
	Custody   *custody.Store
	Directory Directory
	Agents    Agents
	Publisher Publisher
	Log       *slog.Logger
	Now       func() time.Time

	// ReleaseLog is the only way for secrets to leave.
	ReleaseLog *intentlog.Releases

	// ReleaseLimit is how many different tokens of others are released to one person per
	// ReleaseWindow; zero means DefaultReleaseLimit.
	ReleaseLimit int

	// ReleaseBlocked, if not nil, returns RecoveryRequired while nothing may be released.
	ReleaseBlocked func(ctx context.Context) error
	// RolledBack, if not nil, is called for a token whose document is older than its row
	// expects; it checks again with still. Its error is the answer, nil if the document
	// is no longer older.
	RolledBack func(ctx context.Context, serial string, still func(context.Context) (bool, error)) error

	Denials *audit.Denials // records serial numbers that are taken outside the actor's scope
	// Grows, if not nil, returns LicenseRestricted while no token may be added.
	Grows func(ctx context.Context) error

	// FirmwareCounts is set if certificates require a minimum of the recorded firmware.
	FirmwareCounts bool

	importing atomic.Int32 // imports in progress
}

// Registration is a token to register.
type Registration struct {
	Serial          string
	Label           string
	Model           string
	FirmwareVersion string
	FormFactor      string
	OwnerID         *int64
	OrganizationID  *int64
}

// Register registers a token. Its secrets are in the vault before the row is
// committed, so a registered token always has them.
func (s *Service) Register(ctx context.Context, a access.Actor, scope access.Scope, in Registration) (Device, error) {
	existing, err := s.Store.Device(ctx, access.All(), in.Serial)
	taken := err == nil
	if !taken && !fault.Is(err, fault.NotFound) {
		return Device{}, err
	}
	if !taken {
		in.Serial = piv.CanonicalSerial(in.Serial)
	}
	if bad := checkRegistration(in); len(bad) > 0 {
		return Device{}, fault.Invalid(bad...)
	}
	owner, organizationID, err := s.home(ctx, a, scope, in.OwnerID, in.OrganizationID)
	if err != nil {
		return Device{}, err
	}
	if taken {
		if !scope.Allows(existing.OrganizationID, existing.OwnerID) {
			if err := s.Denials.Beyond(ctx, a, "register-hwkey", "hwkey", in.Serial); err != nil {
				return Device{}, err
			}
		}
		return Device{}, serialTaken(scope, existing)
	}
	if err := s.mayGrow(ctx); err != nil {
		return Device{}, err
	}
	version, err := s.Custody.Create(ctx, in.Serial, in.OwnerID)
	if err != nil {
		return Device{}, err
	}
	now := s.Now()
	d := Device{
		Serial: in.Serial, Label: strings.TrimSpace(in.Label), Model: in.Model, FirmwareVersion: in.FirmwareVersion,
		FormFactor: in.FormFactor, Status: InStock, OrganizationID: organizationID, RegisteredAt: now,
		SecretsVersion: version, SecretsChangedAt: &now, SecretsReleased: version > 1, // from a former registration
	}
	details := "in stock"
	if owner != nil {
		d.Status, d.OwnerID = Assigned, &owner.ID
		details = "assigned to " + owner.Username
	}
	told := d.notifyOwner(a, notify.TokenAssigned, now, nil)
	return s.Store.InsertDevice(ctx, d, d.entry(a, audit.HWKeyRegistered, details).Notifying(told...))
}

// entry returns an audit entry about the token, filed in its organization.
func (d Device) entry(a access.Actor, action audit.Action, details string) audit.Entry {
	return audit.By(a, action, "hwkey", d.Serial, details).In(d.OrganizationID)
}

// serialTaken does not tell a manager who owns the token.
func serialTaken(scope access.Scope, d Device) error {
	if scope.Allows(d.OrganizationID, d.OwnerID) {
		return fault.New(fault.Conflict, "hwkey_exists", "A token with this serial number is already registered.")
	}
	return fault.New(fault.Conflict, "serial_closed",
		"This serial number can't be registered. If you have this token, ask a global administrator.")
}

func checkRegistration(in Registration) []fault.Field {
	var bad []fault.Field
	if !piv.ValidSerial(in.Serial) {
		bad = append(bad, fault.Wrong("serial", "bad_serial",
			"must be 4 to 64 letters, digits or dashes, not starting with a dash; zeros in front of a number don't count"))
	}
	return append(bad, checkTexts(&in.Label, &in.Model, &in.FirmwareVersion, &in.FormFactor)...)
}

func checkTexts(label, model, firmware, formFactor *string) []fault.Field {
	var bad []fault.Field
	for _, t := range []struct {
		field string
		value *string
		limit int
	}{{"label", label, 128}, {"model", model, 64}, {"form_factor", formFactor, 64}} {
		if t.value != nil && !textinput.ValidLine(*t.value, t.limit) {
			bad = append(bad, fault.BadText(t.field, t.limit))
		}
	}
	if firmware != nil && *firmware != "" {
		if _, err := piv.ParseVersion(*firmware); err != nil {
			bad = append(bad, fault.Wrong("firmware_version", "bad_version", "must look like 5.4.3"))
		}
	}
	return bad
}

// home determines a new token's owner, nil for nobody, and its organization.
func (s *Service) home(
	ctx context.Context, a access.Actor, scope access.Scope, ownerID, organizationID *int64,
) (*account.User, *int64, error) {
	if organizationID != nil {
		if _, err := account.NamedOrganization(ctx, s.Directory, scope, *organizationID); err != nil {
			return nil, nil, err
		}
	}
	if ownerID == nil {
		return nil, cmp.Or(organizationID, a.OrganizationID), nil
	}
	owner, err := s.Directory.User(ctx, scope, *ownerID)
	if fault.Is(err, fault.NotFound) {
		return nil, nil, mayOwn(scope, nil, organizationID)
	}
	if err != nil {
		return nil, nil, err
	}
	return &owner, owner.OrganizationID, mayOwn(scope, &owner, organizationID)
}

var ofAnotherOrganization = fault.Wrong("owner_id", "of_another_organization", "belongs to another organization than the token")

// mayOwn checks that a token, of that organization if not nil, may be given to an
// account: in the actor's scope, active, and of the same organization. A nil owner is no account.
func mayOwn(scope access.Scope, owner *account.User, organizationID *int64) error {
	switch {
	case owner == nil || !scope.Allows(owner.OrganizationID, &owner.ID):
		return fault.Invalid(fault.Wrong("owner_id", "unknown_user", "is not a user you manage"))
	case organizationID != nil && !access.SameID(owner.OrganizationID, organizationID):
		return fault.Invalid(ofAnotherOrganization)
	case !owner.IsActive:
		return fault.Invalid(fault.Wrong("owner_id", "account_disabled", "names a disabled account"))
	}
	return nil
}

// Get returns NotFound outside scope.
func (s *Service) Get(ctx context.Context, scope access.Scope, serial string) (Device, error) {
	return s.Store.Device(ctx, scope, serial)
}

// List returns the tokens in scope, in the filter's order.
func (s *Service) List(ctx context.Context, scope access.Scope, f Filter, p page.Request) (page.Page[Device], error) {
	if f.Status != "" && !f.Status.Valid() {
		return page.Page[Device]{}, fault.Invalid(fault.NotOneOf("status", Statuses...))
	}
	if f.FirmwareBelow != "" {
		if _, err := versionBelow(f.FirmwareBelow); err != nil {
			return page.Page[Device]{}, fault.Invalid(fault.Wrong("firmware_below", "bad_version", "must look like 5.4.3"))
		}
	}
	f.Now = s.Now()
	return s.Store.ListDevices(ctx, scope, f, p)
}

// Reconcile updates rows that say that a rotation is pending from the vault: the
// update after a move may have been lost.
func (s *Service) Reconcile(ctx context.Context) error {
	p := page.Request{Limit: page.MaxLimit}
	for {
		devices, err := s.Store.DevicesWithPendingRotation(ctx, p)
		if err != nil || len(devices) == 0 {
			return err
		}
		for _, d := range devices {
			state, err := s.Custody.Load(ctx, d.Serial)
			if err != nil {
				return err
			}
			if state.Version == d.SecretsVersion {
				continue
			}
			if _, err := s.follow(ctx, d.Serial, state, func(*Change) {}); err != nil {
				return err
			}
		}
		p.Before = devices[len(devices)-1].ID
	}
}
