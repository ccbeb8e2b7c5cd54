package hwkey

import (
	"context"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/notify"
)

// The hourly cap (contract, "Hardware tokens and custody").
const (
	ReleaseWindow       = time.Hour
	DefaultReleaseLimit = 20
)

// Reservation asks for a place under the cap before a release of someone else's token.
type Reservation struct {
	ActorID  int64
	DeviceID int64
	At       time.Time
	Limit    int            // different tokens per ReleaseWindow
	Denied   audit.Entry    // written if the cap is reached
	Notice   notify.Message // sent with it, at most once per ReleaseWindow and actor
}

// ReleaseStore counts releases of other people's tokens, and records releases in the
// audit log, from which the compliance report counts them.
type ReleaseStore interface {
	// ReserveRelease counts the different tokens that the actor reserved within the last
	// ReleaseWindow and takes a place for this one, in one transaction: concurrent calls
	// never exceed Limit. A token that has a place keeps it, from now on. Without a free
	// place it returns RateLimited, with the time until one is free, and writes Denied and Notice.
	ReserveRelease(ctx context.Context, r Reservation) error
	// RecordRelease writes a release's entry and returns it as written, with At and its
	// ID. With ID zero the database took no row, and perhaps nothing else. edit, if not nil, changes the row's
	// projection of the vault's document, LastSeenAt and SecretsReleased in the same
	// transaction; the entry is then filed in the token's current organization. NotFound
	// if there is no such token. A nil error means that it is durable.
	RecordRelease(ctx context.Context, serial string, entry audit.Entry, edit func(*Device)) (audit.Entry, error)
}

// reserve takes a place under the cap. It comes after all other checks, so that
// requests refused for other reasons use no place.
func (s *Service) reserve(ctx context.Context, a access.Actor, d Device, reason string) error {
	return s.reserveFor(ctx, a, d, audit.SecretsReleased, reason)
}

// ReserveSigning is reserve for a certificate of an unattested key: its holder, too,
// can act as the token's owner.
func (s *Service) ReserveSigning(ctx context.Context, a access.Actor, d Device, reason string) error {
	return s.reserveFor(ctx, a, d, audit.CertificateIssued, reason)
}

func (s *Service) reserveFor(ctx context.Context, a access.Actor, d Device, action audit.Action, reason string) error {
	limit := s.ReleaseLimit
	if limit == 0 {
		limit = DefaultReleaseLimit
	}
	now := s.Now()
	why := fmt.Sprintf("refused: at most %d different tokens an hour are released to one person", limit)
	return s.Store.ReserveRelease(ctx, Reservation{
		ActorID: a.UserID, DeviceID: d.ID, At: now, Limit: limit,
		Denied: d.entry(a, action, why).As(audit.Denied).Because(reason),
		Notice: tooMany(a, action, limit, now),
	})
}
