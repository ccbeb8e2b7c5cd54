package reminder

import (
	"context"
	"strconv"
	"time"

	"github.com/keyward/keyward/internal/notice"
)

// EndingEvery is how often it is looked for certificates that end.
const EndingEvery = time.Hour

// batch is how many of them one transaction tells of: others wait for it.
const batch = 100

// Missed is how long after its end a certificate is told of that nobody saw coming: an
// installation that was away, or begins to tell, says nothing of what ended long ago.
const Missed = 7 * 24 * time.Hour

// Ending is a certificate that has come to a milestone: one that is not revoked, of a
// token that still has the owner it was made for and is neither lost nor retired, and that no later one of the
// same slot has renewed. Its life is longer than the milestone by a day at least, so that
// none is told of when it is made.
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
	Milestone      int // days; the last that has passed
}

// Owners tells owners of their certificates that end: at each milestone once, and of
// several that passed unseen the last.
func (s *Service) Owners(ctx context.Context) error {
	now := s.Now()
	for {
		n, err := s.Store.TellEnding(ctx, now, batch, func(e Ending) notice.Message { return e.message(now) })
		if err != nil || n < batch {
			return err
		}
	}
}

func (e Ending) message(now time.Time) notice.Message {
	const day = 24 * time.Hour
	m := notice.Message{
		To: notice.Audience{UserID: e.OwnerID}, Kind: notice.CertificateEnded, At: now,
		Params: notice.Params{
			"serial": e.HWKeySerial, "label": e.Label, "slot": e.Slot, "certificate": e.SerialNumber,
			"ends_at": e.NotAfter.UTC().Format(time.RFC3339),
		},
	}
	if e.Milestone > 0 {
		m.Kind = notice.CertificateEnding
		m.Params["days"] = strconv.Itoa(int((e.NotAfter.Sub(now) + day - 1) / day))
	}
	return m
}
