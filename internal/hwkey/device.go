package hwkey

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/page"
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
	// Generation counts how often the token's certificates were all revoked
	// at once. A key that was made under an earlier one is no key of the
	// token any more. Not part of the API.
	Generation int64
}

var serial = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z-]{3,63}$`)

// ValidSerial tells whether s may be a token's serial (contract,
// "Identifiers").
func ValidSerial(s string) bool { return serial.MatchString(s) && !strings.EqualFold(s, "license") }

// Change is what Update writes to a device; nil leaves a column as it is.
type Change struct {
	ExpectStatus     Status  // when set, any other present status is a Conflict and nothing is written
	ExpectOwner      **int64 // when set, any other present owner is a Conflict, too
	ExpectIn         **int64 // when set, any other present organization is a Conflict, too
	Label            *string
	Model            *string
	FirmwareVersion  *string
	FormFactor       *string
	Status           *Status
	OwnerID          **int64 // pointer to nil clears
	OrganizationID   **int64
	EnrolledAt       **time.Time
	LastSeenAt       *time.Time
	SecretsVersion   *int
	SecretsAnew      bool // the vault's document may have been made anew, its version counts from one
	RotationPending  *bool
	SecretsChangedAt *time.Time
	// Released, when set, is put on record as RecordRelease does.
	Released *Released
	// RevokeCertificates, when set, revokes every live certificate of the
	// token with that reason, at RevokedAt, by RevokedBy, each with a
	// CertificateRevoked entry made from RevokeEntry, and begins the token's
	// next Generation.
	RevokeCertificates *vault.Reason
	RevokedAt          time.Time
	RevokeEntry        audit.Entry // TargetID is filled in
}

// Filter narrows a list; zero fields do not.
type Filter struct {
	Q              string // part of serial, label or owner's username, ignoring case
	Status         Status
	OwnerID        *int64
	OrganizationID *int64
	// RotationPending lets through only tokens with an open rotation.
	RotationPending bool
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
	// UpdateDevice writes a change together with its entries and returns the
	// device as it stands then. NotFound, or Conflict by ExpectStatus
	// ExpectOwner or ExpectIn, or when a new owner is disabled or of another
	// organization than the token. A SecretsVersion older than the row's leaves the three
	// secrets columns as they are, without SecretsAnew: writes after two moves
	// may come in any order.
	UpdateDevice(ctx context.Context, serial string, c Change, entries ...audit.Entry) (Device, error)
	// DevicesWithPendingRotation serves the reconciler: it returns devices
	// whose projection says that a rotation is pending, newest first.
	DevicesWithPendingRotation(ctx context.Context, p page.Request) ([]Device, error)

	ReleaseStore
	ImportStore
}
