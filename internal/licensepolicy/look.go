package licensepolicy

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/settings"
)

// How the service is called. Every server knows of a change after PollEvery plus the
// time of an answer: within ten seconds.
const (
	PollEvery   = 5 * time.Second
	pollTimeout = 3 * time.Second
	noteEvery   = time.Hour // how often the latest time seen is written
	factsRow    = "license_facts"
	notifiedRow = "license_told"
	waitChanges = 15 * time.Second // limit for an upload or removal
)

// facts are the database's own record: restoring either the vault or the database does not
// restart the trial.
type facts struct {
	TrialStartedAt time.Time `json:"trial_started_at"`
	LatestSeenAt   time.Time `json:"latest_seen_at"`
	NewestIssue    time.Time `json:"newest_issue"` // issue date of the latest license ever stored
}

// Poll asks the license service how the installation is licensed. If it does not answer,
// that is no error but a TRIAL.
func (s *Service) Poll(ctx context.Context) error {
	s.looking.Lock()
	defer s.looking.Unlock()
	limited, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	st, err := s.Port.Status(limited)
	if err == nil {
		err = sensible(st)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return s.unreached(ctx, err)
	}
	_, err = s.reached(ctx, st)
	return err
}

// reached adopts an answer of the service.
func (s *Service) reached(ctx context.Context, st license.Evaluation) (Evaluation, error) {
	known, err := s.note(ctx, func(known facts, now time.Time) facts {
		if st.NewestIssue.After(known.NewestIssue) {
			// The vendor signed the issue date. So the latest time seen starts over, as in the
			// vault: a clock that once was far ahead does not end an installation for good.
			known.NewestIssue, known.LatestSeenAt = st.NewestIssue.UTC(), st.At.UTC()
		}
		return s.seen(known, now)
	})
	if err != nil {
		return Evaluation{}, err
	}
	before := s.latest.Load()
	next := s.judge(st, known)
	s.latest.Store(&next)
	if before != nil && !before.Reached {
		s.Log.InfoContext(ctx, "the license service answers again", "status", string(next.Status))
	}
	return next, nil
}

// unreached does as the specification says when the service does not answer: the
// installation continues as in its trial, and one log line says so.
func (s *Service) unreached(ctx context.Context, why error) error {
	known, err := s.note(ctx, s.seen)
	if err != nil {
		return err
	}
	before := s.latest.Load()
	if before == nil || before.Reached {
		s.Log.WarnContext(ctx, "the license service does not answer: until it does, this counts as a trial, and nothing is restricted",
			"error", why)
	}
	now := s.Now()
	f := license.Facts{InstallationID: s.Latest().InstallationID, TrialStartedAt: known.TrialStartedAt}
	f.LastSeen = s.Present.At(known.LatestSeenAt, now)
	next := Evaluation{Evaluation: license.Evaluate(f, now), EndsAt: f.TrialStartedAt.Add(license.TrialPeriod)}
	next.Status = license.Trial
	s.latest.Store(&next)
	return nil
}

// judge re-evaluates an answer of the service with the database's record: the earlier
// start of the trial and the later time count.
func (s *Service) judge(st license.Evaluation, known facts) Evaluation {
	f, now := st.Facts(), s.Now()
	if present := s.Present.At(known.LatestSeenAt, now); present.After(f.LastSeen) {
		f.LastSeen = present
	}
	if f.TrialStartedAt.IsZero() || known.TrialStartedAt.Before(f.TrialStartedAt) {
		f.TrialStartedAt = known.TrialStartedAt
	}
	next := Evaluation{Evaluation: license.Evaluate(f, now), Reached: true, EndsAt: f.TrialStartedAt.Add(license.TrialPeriod)}
	next.ClockBehind = next.ClockBehind || st.ClockBehind
	if next.License != nil {
		next.EndsAt = next.License.ExpiryDate
	}
	return next
}

// sensible refuses an answer that no license service would send.
func sensible(st license.Evaluation) error {
	for _, status := range license.Statuses() {
		if st.Status == status && st.InstallationID != "" && (st.License != nil || status != license.Valid && status != license.Expiring) {
			return nil
		}
	}
	return fmt.Errorf("licensed: the license service answers with the status %q, which makes no sense", st.Status)
}

// seen updates the latest time, at most hourly.
func (s *Service) seen(known facts, now time.Time) facts {
	if present := s.Present.At(known.LatestSeenAt, now); present.Sub(known.LatestSeenAt) >= noteEvery {
		known.LatestSeenAt = present.UTC().Truncate(time.Second)
	}
	return known
}

// note changes the database's record, which other servers may change concurrently.
func (s *Service) note(ctx context.Context, change func(known facts, now time.Time) facts) (facts, error) {
	for {
		now := s.Now().UTC().Truncate(time.Second)
		known, kept, err := s.known(ctx, now)
		if err != nil {
			return facts{}, err
		}
		next := change(known, now)
		if next == known {
			return known, nil
		}
		v, err := valueOf(next, now)
		if err != nil {
			return facts{}, err
		}
		if swapped, err := s.Store.SwapSetting(ctx, factsRow, kept, v); swapped || err != nil {
			return next, err
		}
	}
}

// known reads the database's record; the first caller begins the trial.
func (s *Service) known(ctx context.Context, now time.Time) (known facts, kept settings.Value, err error) {
	kept, err = s.Store.Setting(ctx, factsRow)
	if fault.Is(err, fault.NotFound) {
		var first settings.Value
		if first, err = valueOf(facts{TrialStartedAt: now, LatestSeenAt: now}, now); err == nil {
			kept, err = s.Store.KeepSetting(ctx, factsRow, first)
		}
	}
	if err != nil {
		return known, kept, err
	}
	if err := json.Unmarshal([]byte(kept.Text), &known); err != nil {
		return known, kept, fmt.Errorf("licensed: what the database remembers: %w", err)
	}
	return known, kept, nil
}

func valueOf(what any, now time.Time) (settings.Value, error) {
	text, err := json.Marshal(what)
	return settings.Value{Text: string(text), UpdatedAt: now}, err
}
