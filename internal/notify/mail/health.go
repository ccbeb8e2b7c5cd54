package mail

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/settings"
)

// standingName is the row in which the sending server reports its trouble to the others.
const standingName = "mail_standing"

// Trouble is why all messages wait.
type Trouble struct {
	Since         time.Time `json:"since"`
	Class         Class     `json:"class"`
	Reply         string    `json:"reply"`
	NextAttemptAt time.Time `json:"next_attempt_at"`
	Attempts      int       `json:"attempts"` // since then
	Settings      time.Time `json:"settings"` // when the settings concerned were changed
}

// troubleOf reads the row; nil: no trouble.
func troubleOf(ctx context.Context, rows settings.Store) (*Trouble, error) {
	v, err := rows.Setting(ctx, standingName)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var t *Trouble
	if err := json.Unmarshal([]byte(v.Text), &t); err != nil {
		return nil, fmt.Errorf("how mail stands: %w", err)
	}
	return t, nil
}

// putTrouble writes the row; nil: the trouble is over.
func putTrouble(ctx context.Context, rows settings.Store, t *Trouble, at time.Time) error {
	raw, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("how mail stands: %w", err)
	}
	return rows.PutSetting(ctx, standingName, settings.Value{Text: string(raw), UpdatedAt: at})
}

// Health is the state of mail.
type Health struct {
	Enabled bool
	Waiting int      // pending messages
	Trouble *Trouble // nil: none
}

// Health returns the state of mail.
func (s *Service) Health(ctx context.Context) (Health, error) {
	set, err := s.Settings(ctx)
	if err != nil {
		return Health{}, err
	}
	st := Health{Enabled: set.Enabled}
	if st.Waiting, err = s.Store.WaitingMail(ctx); err != nil {
		return Health{}, err
	}
	if st.Enabled {
		st.Trouble, err = troubleOf(ctx, s.Rows)
	}
	return st, err
}

// Detail says why messages wait and what to do, for the health report.
func (t Trouble) Detail(waiting int) string {
	r := Refusal{Class: t.Class, Reply: t.Reply}
	answered := ""
	if t.Reply != "" {
		answered = " It answered " + t.Reply + "."
	}
	wait := fmt.Sprintf("%d messages have been waiting", waiting)
	if waiting == 1 {
		wait = "1 message has been waiting"
	}
	return fmt.Sprintf("%s since %s. %s%s", wait, t.Since.UTC().Format("2006-01-02 15:04 MST"), r.explained().Detail, answered)
}
