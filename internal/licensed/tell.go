package licensed

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/notice"
)

// TellEvery is how often it is looked whether something is to be told.
const TellEvery = time.Minute

// milestones are the days before the end on which global administrators are told.
var milestones = []int{0, 1, 3, 7, 14, 30}

// told is what was told last.
type told struct {
	EndsAt time.Time `json:"ends_at"`
	Days   int       `json:"days"`
}

// Tell gives global administrators a notice when the license or the trial has come to a
// milestone: once each, however many servers there are. Milestones that passed unseen are
// one notice.
func (s *Service) Tell(ctx context.Context) error {
	st := s.Standing()
	due, ok := milestone(st)
	if !ok {
		return nil
	}
	was, err := s.Store.Setting(ctx, toldRow)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	var before told
	if was.Text != "" {
		if err := json.Unmarshal([]byte(was.Text), &before); err != nil {
			return fmt.Errorf("licensed: what was told last: %w", err)
		}
	}
	if before.EndsAt.Equal(st.EndsAt) && before.Days <= due && was.Text != "" {
		return nil
	}
	now := s.Now()
	v, err := valueOf(told{st.EndsAt, due}, now)
	if err == nil {
		_, err = s.Store.TellLicense(ctx, toldRow, was, v, notice.Message{Kind: notice.LicenseEnding, Message: message(st, due), At: now})
	}
	return err
}

// milestone is the last one that was passed. A trial's first is two weeks before its end:
// it has only 30 days.
func milestone(st Standing) (int, bool) {
	ends := st.License != nil && st.Status != license.Invalid || st.Status == license.Trial || st.Status == license.Expired
	if !st.Reached || !ends {
		return 0, false
	}
	left := st.EndsAt.Sub(st.At)
	for _, days := range milestones {
		if left <= time.Duration(days)*24*time.Hour {
			return days, st.License != nil || days < milestones[len(milestones)-1]
		}
	}
	return 0, false
}

func message(st Standing, days int) string {
	what := "license"
	if st.License == nil {
		what = "trial"
	}
	const next = " no accounts, tokens or first certificates are added until a license is uploaded on the page License; all else goes on."
	if days == 0 {
		return "The " + what + " of this installation has ended:" + next
	}
	unit := "days"
	if days == 1 {
		unit = "day"
	}
	return fmt.Sprintf("The %s of this installation ends in %d %s or less, on %s. After that%s", what, days, unit,
		st.EndsAt.UTC().Format("2006-01-02 15:04 UTC"), next)
}
