package hwkey

import (
	"context"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/notice"
)

// The hourly cap (contract, "Hardware tokens and custody").
const (
	ReleaseWindow       = time.Hour
	DefaultReleaseLimit = 20
)

// Reservation asks for a place under the cap before a token of somebody else
// is released.
type Reservation struct {
	ActorID  int64
	DeviceID int64
	At       time.Time
	Limit    int            // different tokens in a ReleaseWindow
	Denied   audit.Entry    // written when the cap refuses
	Told     notice.Message // written with it, at most once a ReleaseWindow for one actor
}

// ReleaseStore counts releases of the tokens of others, and puts releases on
// record in the audit log, which the compliance report counts.
type ReleaseStore interface {
	// ReserveRelease counts the different tokens that the actor reserved
	// within the last ReleaseWindow and takes a place for this one, in one
	// transaction: calls at once never get more than Limit. A token that has
	// a place keeps it, from now on. Without a free place it is RateLimited,
	// with the time until one gets free, and Denied and Told are written.
	ReserveRelease(ctx context.Context, r Reservation) error
	// RecordRelease writes the entry of a release and gives it as it was
	// written: with its ID, which is zero when the database took no row, and
	// At. edit, when not nil, changes what the token's row shows of the vault's
	// document, LastSeenAt and SecretsReleased, in the same transaction; the
	// entry is then filed where the token lies by then. NotFound when there is
	// no such token. When the error is nil it is durable.
	RecordRelease(ctx context.Context, serial string, entry audit.Entry, edit func(*Device)) (audit.Entry, error)
}

// reserve takes a place under the cap. It comes after every other check, so
// that what is refused for another reason costs no place.
func (s *Service) reserve(ctx context.Context, a access.Actor, d Device, reason string) error {
	return s.reserveFor(ctx, a, d, audit.SecretsReleased, reason)
}

// ReserveSigning is reserve for a certificate of a key that no attestation
// vouches for: whoever has one can stand in for the token's owner, too.
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
		Told:   tooMany(a, action, limit, now),
	})
}
