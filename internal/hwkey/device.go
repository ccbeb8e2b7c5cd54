package hwkey

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/vault"
)

// Device is a hardware token's record. Its secrets are in the vault; what the row
// has of them is a projection for lists, which need not open the vault.
type Device struct {
	ID               int64 // the row's number, for paging; not part of the API
	Serial           string
	Label            string
	Model            string
	FirmwareVersion  string
	FormFactor       string
	Status           Status
	OwnerID          *int64
	OwnerUsername    string // read-only: the store joins it
	OwnerName        string // read-only; empty: unknown
	OwnerEmail       string // read-only
	OwnerActive      bool   // read-only
	OwnerUPN         string // read-only, as are those that follow; empty: none
	OwnerSID         string
	OwnerRole        access.Role
	OrganizationID   *int64
	OrganizationName string // read-only
	KerberosRealm    string // read-only: the organization's; empty: the installation's
	RegisteredAt     time.Time
	EnrolledAt       *time.Time
	LastSeenAt       *time.Time
	SecretsVersion   int // version of the vault's document
	RotationPending  bool
	SecretsChangedAt *time.Time
	SecretsReleased  bool // whether any ever were; not part of the API
	// Generation counts how often all the token's certificates were revoked at once. A
	// key generated under an earlier one is no longer the token's. Not part of the API.
	Generation int64
	// SecretsCounter is the document's Counter as last seen; 0 if never. A document
	// below it is an older one. Not part of the API.
	SecretsCounter int64
}

// Present is everything a change of a token depends on, read in one transaction.
type Present struct {
	Device Device
	Owner  *account.User // see Store.ChangeDevice
}

// Change is what to write in that same transaction.
type Change struct {
	// Device is the token after the change. Label, model, firmware version, form factor,
	// status, owner, organization, when it was enrolled and last seen, and whether its
	// secrets were released are written only if there are Entries, since no change goes
	// unaudited. The projection of the vault's document is always written.
	Device  Device
	Entries []audit.Entry
	// Revoke, if not nil, revokes all the token's live certificates and begins its next
	// Generation. It requires an entry.
	Revoke *Revocation
}

// Revocation says how a token's certificates are revoked.
type Revocation struct {
	Reason vault.Reason
	At     time.Time
	Entry  audit.Entry // for each certificate, which adds its serial number
}

// Filter narrows a list; zero fields do not filter.
type Filter struct {
	Q              string // part of serial, label, or the owner's username or name, ignoring case
	Status         Status
	OwnerID        *int64
	OrganizationID *int64
	// RotationPending selects only tokens with an open rotation.
	RotationPending bool
	Model           string    // part of it, ignoring case
	Firmware        *string   // exactly; empty: unknown
	FirmwareBelow   string    // versions before this one, of one to three numbers; an unknown one is not
	Owned           *bool     // whether it has an owner
	Enrolled        *bool     // whether it has been set up
	SeenFrom        time.Time // last seen then or later
	SeenBefore      time.Time // last seen before, or never
	// SecretsBefore selects tokens, not retired, whose secrets changed before and not since.
	SecretsBefore time.Time
	// ExpiringDays selects tokens with a certificate that ends within so many days of Now.
	ExpiringDays int
	Now          time.Time
	Sort         page.Sort // by serial, label, status or registered
}

// Store keeps devices. Serials are unique and looked up ignoring case.
type Store interface {
	// InsertDevice sets ID. Conflict if the serial exists, or the owner is disabled or
	// of another organization than the token.
	InsertDevice(ctx context.Context, d Device, entry audit.Entry) (Device, error)
	// Device returns NotFound outside scope (by organization or owner).
	Device(ctx context.Context, scope access.Scope, serial string) (Device, error)
	// ListDevices returns the devices in scope, in the filter's order.
	ListDevices(ctx context.Context, scope access.Scope, f Filter, p page.Request) (page.Page[Device], error)
	// ChangeDevice finds a token in scope (else NotFound), calls decide, and writes the
	// change it returns. An error of decide is returned unchanged and nothing is
	// written. Present.Owner is the account with id owner; nil if owner is nil or
	// unknown. All of it is one transaction that excludes other changes of the token and
	// that account, so what decide saw still holds. It returns the token as changed.
	// Invalid for an owner_id or organization_id that does not exist; Conflict if a new
	// owner is disabled or of another organization than the token.
	ChangeDevice(ctx context.Context, scope access.Scope, serial string, owner *int64, decide func(Present) (Change, error)) (Device, error)
	// DevicesWithPendingRotation returns, for the reconciler, devices whose projection
	// says that a rotation is pending, newest first.
	DevicesWithPendingRotation(ctx context.Context, p page.Request) ([]Device, error)

	// DeviceHistory returns the audit entries about a token in scope (else NotFound) and
	// its certificates, newest first: to its owner those since the token is theirs, to
	// managers those of their organization.
	DeviceHistory(ctx context.Context, scope access.Scope, serial string, p page.Request) (page.Page[audit.Entry], error)

	ReleaseStore
	ImportStore
}
