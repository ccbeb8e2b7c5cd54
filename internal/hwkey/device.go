package hwkey

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/user"
	"github.com/keyward/keyward/internal/vault"
)

// Device is a hardware token on record. Its secrets are in the vault; what
// stands here of them is a projection that lists can show without opening
// the vault.
type Device struct {
	ID               int64 // the row's number, for paging; not part of the API
	Serial           string
	Label            string
	Model            string
	FirmwareVersion  string
	FormFactor       string
	Status           Status
	OwnerID          *int64
	OwnerUsername    string // read only: the store joins it
	OwnerName        string // read only; empty: not known
	OwnerEmail       string // read only
	OwnerActive      bool   // read only
	OrganizationID   *int64
	OrganizationName string // read only
	RegisteredAt     time.Time
	EnrolledAt       *time.Time
	LastSeenAt       *time.Time
	SecretsVersion   int // version of the vault's document
	RotationPending  bool
	SecretsChangedAt *time.Time
	SecretsReleased  bool // whether any was ever handed out; not part of the API
	// Generation counts how often the token's certificates were all revoked
	// at once. A key that was made under an earlier one is no key of the
	// token any more. Not part of the API.
	Generation int64
	// SecretsCounter is the document's Counter when it was seen last; 0 when
	// it was not. A document below it is an older one. Not part of the API.
	SecretsCounter int64
}

// Standing is all that a change of a token depends on, read in one
// transaction.
type Standing struct {
	Device Device
	Owner  *user.User // see Store.ChangeDevice
}

// Change is what to write in that same transaction.
type Change struct {
	// Device is the token as it is to be. Written are label, model, firmware
	// version, form factor, status, owner, organization, when it was enrolled
	// and last seen, and whether its secrets were released; without entries none of them, since no change
	// goes unaudited. What it shows of the vault's document is always written.
	Device  Device
	Entries []audit.Entry
	// Revoke, when set, revokes every live certificate of the token and
	// begins its next Generation. It needs an entry.
	Revoke *Revocation
}

// Revocation says how a token's certificates end.
type Revocation struct {
	Reason vault.Reason
	At     time.Time
	Entry  audit.Entry // of each certificate, with its serial number
}

// Filter narrows a list; zero fields do not.
type Filter struct {
	Q              string // part of serial, label, or the owner's username or name, ignoring case
	Status         Status
	OwnerID        *int64
	OrganizationID *int64
	// RotationPending lets through only tokens with an open rotation.
	RotationPending bool
	Sort            page.Sort // by serial, label, status or registered
}

// Store keeps devices. Serials are unique ignoring case and found ignoring
// case.
type Store interface {
	// InsertDevice sets ID. Conflict when the serial exists, or when the owner
	// is disabled or of another organization than the token.
	InsertDevice(ctx context.Context, d Device, entry audit.Entry) (Device, error)
	// Device is NotFound outside scope (by organization or owner).
	Device(ctx context.Context, scope access.Scope, serial string) (Device, error)
	// ListDevices returns those in scope, newest first.
	ListDevices(ctx context.Context, scope access.Scope, f Filter, p page.Request) (page.Page[Device], error)
	// ChangeDevice finds a token in scope (NotFound otherwise), lets decide
	// look at it, and writes the change that decide returns; its error comes
	// back as it is and nothing is written. Standing.Owner is the account that
	// owner names, nil when there is none, or nobody is named. All of it is
	// one transaction that no other change of the token or of that account
	// can enter, so what decide saw still holds. It returns the token as it
	// stands then. Invalid for owner_id or organization_id when there is no
	// such user or organization; Conflict when a new owner is disabled or of
	// another organization than the token.
	ChangeDevice(ctx context.Context, scope access.Scope, serial string, owner *int64, decide func(Standing) (Change, error)) (Device, error)
	// DevicesWithPendingRotation serves the reconciler: it returns devices
	// whose projection says that a rotation is pending, newest first.
	DevicesWithPendingRotation(ctx context.Context, p page.Request) ([]Device, error)

	// DeviceHistory returns the audit entries about a token in scope (NotFound
	// otherwise) and its certificates, newest first: to its owner those since it is
	// theirs, to managers those of their organization.
	DeviceHistory(ctx context.Context, scope access.Scope, serial string, p page.Request) (page.Page[audit.Entry], error)

	ReleaseStore
	ImportStore
}
