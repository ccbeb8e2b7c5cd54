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
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/issuancelog"
)

// Devices tells of the tokens that certificates are for.
type Devices interface {
	Device(ctx context.Context, scope access.Scope, serial string) (hwkey.Device, error)
}

// Publisher shows new revocations on the published CRL.
type Publisher interface {
	Refresh(ctx context.Context) error
}

// Agents tells which agent key a session has registered.
// AgentNotRegistered when there is none.
type Agents interface {
	AgentKey(ctx context.Context, sessionID int64) (*rsa.PublicKey, error)
}

// Releases counts what one person gets of the tokens of others.
type Releases interface {
	// ReserveSigning takes a place under the hourly cap that releases of
	// secrets have. RateLimited when there is none.
	ReserveSigning(ctx context.Context, a access.Actor, d hwkey.Device, reason string) error
}

// Service is the domain's face to the edges.
type Service struct {
	Store    Store
	Devices  Devices
	Agents   Agents
	Releases Releases
	PKI      vault.PKI
	CRL      Publisher
	// Issuances, when not nil, is where the vault logs what it signs.
	Issuances *issuancelog.Log
	// Held, when not nil, is RecoveryRequired while nothing may be signed.
	Held func(ctx context.Context) error
	// Grows, when not nil, is LicenseRestricted while no slot gets its first
	// certificate.
	Grows func(ctx context.Context) error
	// Compared, when not nil, tells whether database and vault were compared and
	// neither is older than the other knows it to be. Until then nothing is
	// revoked for not being on record.
	Compared func() bool
	Policy   SubjectPolicy
	Keys     KeyPolicy
	Log      *slog.Logger
	Now      func() time.Time

	publishing turn         // one carrier at a time
	carried    atomic.Int64 // how often revocations went to the vault
	shown      atomic.Int64 // up to which of these the published CRL shows
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

// Get is NotFound outside scope.
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

// List returns the certificates in scope, newest first.
func (s *Service) List(ctx context.Context, scope access.Scope, f Filter, p page.Request) (page.Page[Certificate], error) {
	if f.Status != "" && f.Status != Issued && f.Status != Revoked && f.Status != Expired {
		return page.Page[Certificate]{}, fault.Invalid(fault.NotOneOf("status", Issued, Revoked, Expired))
	}
	f.Now = s.Now()
	return s.Store.ListCertificates(ctx, scope, f, p)
}

// ByWeek counts those in scope that end within the coming year, week by week
// from the present one.
func (s *Service) ByWeek(ctx context.Context, scope access.Scope, f Filter) (Weeks, error) {
	f.Now = s.Now()
	return s.Store.CountByWeek(ctx, scope, f, f.Now.UTC().Truncate(Week), YearAhead) // the zero time is a Monday
}

// PEM encodes a certificate.
func PEM(der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
