package cert

import (
	"context"
	"crypto/rsa"
	"encoding/pem"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/vault"
)

// Devices returns the tokens that certificates are for.
type Devices interface {
	Device(ctx context.Context, scope access.Scope, serial string) (hwkey.Device, error)
}

// Publisher shows new revocations on the published CRL.
type Publisher interface {
	Refresh(ctx context.Context) error
}

// PublishedList is the published CRLs.
type PublishedList interface {
	// RevokedOn returns a certificate's entry on the list of a CA, by ID; nil if it has none.
	RevokedOn(ctx context.Context, ca, serialNumber string) (*vault.Revocation, error)
	// Version changes with the list.
	Version() string
}

// Agents returns the agent key that a session registered, or AgentNotRegistered.
type Agents interface {
	AgentKey(ctx context.Context, sessionID int64) (*rsa.PublicKey, error)
}

// Releases limits what one person gets of others' tokens.
type Releases interface {
	// ReserveSigning uses up one place under the hourly cap on releases of secrets.
	// RateLimited if none is left.
	ReserveSigning(ctx context.Context, a access.Actor, d hwkey.Device, reason string) error
}

// Service implements the certificate operations of the API and the commands.
type Service struct {
	Store    Store
	Devices  Devices
	Agents   Agents
	Releases Releases
	PKI      vault.PKI
	Profiles *profile.Service
	CRL      Publisher
	// Published is the published list, for RevocationStatus alone.
	Published PublishedList
	// Issuances is where the vault logs what it signs.
	Issuances *intentlog.Issuances
	// SigningBlocked, if not nil, returns RecoveryRequired while nothing may be signed.
	SigningBlocked func(ctx context.Context) error
	// Grows, if not nil, returns LicenseRestricted while no slot may get its first
	// certificate.
	Grows func(ctx context.Context) error
	// Consistent, if not nil, reports whether database and vault were compared and neither
	// is older than the other expects. Until then nothing is revoked for lack of a record.
	Consistent func() bool
	Policy     SubjectPolicy
	Keys       KeyPolicy
	Log        *slog.Logger
	Now        func() time.Time

	unrecorded notRecorded  // of certificates that OCSP is asked about
	publishing turn         // one caller sends at a time
	submitted  atomic.Int64 // how often revocations were sent to the vault
	published  atomic.Int64 // the value of submitted that the published CRL includes
}

func checkSlot(slot string) (string, error) {
	if slot == "" {
		return string(piv.Authentication), nil
	}
	if !piv.Slot(slot).Valid() {
		return "", fault.Invalid(fault.NotOneOf("slot", piv.Slots...))
	}
	return slot, nil
}

// Get returns NotFound outside scope.
func (s *Service) Get(ctx context.Context, scope access.Scope, serialNumber string) (Certificate, error) {
	return s.Store.Certificate(ctx, scope, serialNumber)
}

// LiveOf returns the live certificates of tokens that the actor may see.
func (s *Service) LiveOf(ctx context.Context, hwkeySerials []string) (map[string][]Certificate, error) {
	if len(hwkeySerials) == 0 {
		return nil, nil
	}
	return s.Store.LiveOf(ctx, hwkeySerials, s.Now())
}

// List returns the certificates in scope, in the filter's order.
func (s *Service) List(ctx context.Context, scope access.Scope, f Filter, p page.Request) (page.Page[Certificate], error) {
	if f.Status != "" && f.Status != Issued && f.Status != Revoked && f.Status != Expired {
		return page.Page[Certificate]{}, fault.Invalid(fault.NotOneOf("status", Issued, Revoked, Expired))
	}
	f.Now = s.Now()
	return s.Store.ListCertificates(ctx, scope, f, p)
}

// ByWeek counts the certificates in scope that end within the coming year, by week
// from the current one.
func (s *Service) ByWeek(ctx context.Context, scope access.Scope, f Filter) (Weeks, error) {
	f.Now = s.Now()
	return s.Store.CountByWeek(ctx, scope, f, f.Now.UTC().Truncate(Week), YearAhead) // the zero time is a Monday
}

// PEM encodes a certificate.
func PEM(der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
