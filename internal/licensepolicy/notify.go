package licensepolicy

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/notify"
)

// NotifyEvery is how often Notify is due.
const NotifyEvery = time.Minute

// notified is the last notification.
type notified struct {
	EndsAt time.Time `json:"ends_at"`
	Days   int       `json:"days"`
}

// Notify notifies global administrators when the license or the trial reaches a milestone:
// once each, however many servers there are. Several missed milestones become one notice.
func (s *Service) Notify(ctx context.Context) error {
	st := s.Latest()
	due, ok := milestone(st)
	if !ok {
		return nil
	}
	was, err := s.Store.Setting(ctx, notifiedRow)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	var before notified
	if was.Text != "" {
		if err := json.Unmarshal([]byte(was.Text), &before); err != nil {
			return fmt.Errorf("licensed: what was told last: %w", err)
		}
	}
	if before.EndsAt.Equal(st.EndsAt) && before.Days <= due && was.Text != "" {
		return nil
	}
	now := s.Now()
	v, err := valueOf(notified{st.EndsAt, due}, now)
	if err == nil {
		_, err = s.Store.Notify(ctx, notifiedRow, was, v, notify.Message{Kind: notify.LicenseEnding, Params: params(st), At: now})
	}
	return err
}

// milestone returns the last one passed. A trial's first is two weeks before its end,
// because it has only 30 days.
func milestone(st Evaluation) (int, bool) {
	ends := st.License != nil && st.Status != license.Invalid || st.Status == license.Trial || st.Status == license.Expired
	if !st.Reached || !ends {
		return 0, false
	}
	left := st.EndsAt.Sub(st.At)
	for _, days := range notify.Milestones {
		if left <= time.Duration(days)*24*time.Hour {
			return days, st.License != nil || days < notify.Milestones[len(notify.Milestones)-1]
		}
	}
	return 0, false
}

// params says what ends, and when; days are the remaining ones, rounded up.
func params(st Evaluation) notify.Params {
	what := "license"
	if st.License == nil {
		what = "trial"
	}
	const day = 24 * time.Hour
	days := max(0, (st.EndsAt.Sub(st.At)+day-1)/day)
	return notify.Params{"what": what, "days": strconv.Itoa(int(days)), "ends_at": st.EndsAt.UTC().Format(time.RFC3339)}
}
