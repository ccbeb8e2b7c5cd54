package reminder

import (
	"context"
	"strconv"
	"time"

	"github.com/keyward/keyward/internal/notify"
)

// EndingEvery is how often to look for expiring certificates.
const EndingEvery = time.Hour

// batch is how many of them one transaction handles: other writers wait for it.
const batch = 100

// Missed is how long after its end a certificate without an earlier reminder is still
// reported. An installation that was down, or is new to reminders, skips older ones.
const Missed = 7 * 24 * time.Hour

// Ending is a certificate that has reached a milestone. It is not revoked, no later one for its
// slot has renewed it, and its token still has the owner it was issued to and is neither lost
// nor retired. Its lifetime exceeds the milestone by at least a day, so that no reminder is due
// at issuance.
type Ending struct {
	ID             int64
	SerialNumber   string
	Slot           string
	NotAfter       time.Time
	HWKeySerial    string
	Label          string
	OwnerID        int64
	OrganizationID *int64
	Organization   string
	Milestone      int // days; the last one passed
}

// Owners notifies owners of their expiring certificates: once at each milestone, and
// of several missed ones only of the last.
func (s *Service) Owners(ctx context.Context) error {
	now := s.Now()
	for {
		n, err := s.Store.NotifyEnding(ctx, now, batch, func(e Ending) notify.Message { return e.message(now) })
		if err != nil || n < batch {
			return err
		}
	}
}

func (e Ending) message(now time.Time) notify.Message {
	const day = 24 * time.Hour
	m := notify.Message{
		To: notify.Audience{UserID: e.OwnerID}, Kind: notify.CertificateEnded, At: now,
		Params: notify.Params{
			"serial": e.HWKeySerial, "label": e.Label, "slot": e.Slot, "certificate": e.SerialNumber,
			"ends_at": e.NotAfter.UTC().Format(time.RFC3339),
		},
	}
	if e.Milestone > 0 {
		m.Kind = notify.CertificateExpires
		m.Params["days"] = strconv.Itoa(int((e.NotAfter.Sub(now) + day - 1) / day))
	}
	return m
}
