package license

import "time"

// The periods of the specification, and the tolerance for clocks: time services
// correct a clock by less than ClockSlack.
const (
	TrialPeriod    = 30 * 24 * time.Hour
	ExpiringPeriod = 7 * 24 * time.Hour
	ClockSlack     = 5 * time.Minute
)

// Facts determine the status.
type Facts struct {
	InstallationID string
	License        *License  // the stored license; nil: none
	Authentic      bool      // its signature and installation ID match
	NewestIssue    time.Time // issue date of the latest license ever stored here; zero: none
	TrialStartedAt time.Time // zero: no trial ever began
	LastSeen       time.Time // the latest time ever noted; zero: none
	NoKeys         bool      // there is no public key to check a license with: each is rejected
}

// Evaluate returns how an installation with these facts is licensed at the time now. A
// license and a trial are over at the very moment when they end. A license with exactly
// ExpiringPeriod left is expiring.
func Evaluate(f Facts, now time.Time) Evaluation {
	at := latest(now, f.LastSeen)
	if f.License == nil { // a trial begun under a wrong clock must not affect a license
		at = latest(at, f.TrialStartedAt)
	}
	s := Evaluation{
		InstallationID: f.InstallationID, License: f.License, TrialStartedAt: f.TrialStartedAt, NewestIssue: f.NewestIssue,
		At: at, ClockBehind: at.Sub(now) > ClockSlack, NoKeys: f.NoKeys,
	}
	if f.License == nil {
		left := time.Duration(0)
		if !f.TrialStartedAt.IsZero() {
			left = f.TrialStartedAt.Add(TrialPeriod).Sub(at)
		}
		switch {
		case left > 0:
			s.Status = Trial
		case !f.NewestIssue.IsZero():
			s.Status = Missing
		default:
			s.Status = Expired
		}
		s.DaysRemaining = days(left)
		return s
	}
	left := f.License.ExpiryDate.Sub(at)
	switch {
	case !f.Authentic:
		s.Status = Invalid
		return s
	case left <= 0:
		s.Status = Expired
	case left <= ExpiringPeriod:
		s.Status = Expiring
	default:
		s.Status = Valid
	}
	s.DaysRemaining = days(left)
	return s
}

func latest(first time.Time, others ...time.Time) time.Time {
	for _, t := range others {
		if t.After(first) {
			first = t
		}
	}
	return first
}

func days(left time.Duration) int { return int(max(left, 0) / (24 * time.Hour)) }
