package license

import "time"

// The spans of the specification, and what is no clock set back: time services correct
// a clock by less.
const (
	TrialPeriod    = 30 * 24 * time.Hour
	ExpiringPeriod = 7 * 24 * time.Hour
	ClockSlack     = 5 * time.Minute
)

// Facts is what the status follows from.
type Facts struct {
	InstallationID string
	License        *License  // the stored one; nil without one
	Authentic      bool      // its signature and its installation ID fit
	NewestIssue    time.Time // issue date of the latest license that was ever stored here; zero: none was
	TrialStartedAt time.Time // zero: no trial was ever begun, and none runs
	LastSeen       time.Time // the latest moment that was ever noted; zero: none
}

// Evaluate says how an installation with these facts stands, by a clock that says now.
// A license and a trial are over in the very moment in which they end. A license that has
// exactly ExpiringPeriod left is expiring.
func Evaluate(f Facts, now time.Time) Standing {
	at := latest(now, f.LastSeen)
	if f.License == nil { // a trial that a wrong clock began says nothing of a license
		at = latest(at, f.TrialStartedAt)
	}
	s := Standing{
		InstallationID: f.InstallationID, License: f.License, TrialStartedAt: f.TrialStartedAt, NewestIssue: f.NewestIssue,
		At: at, ClockBehind: at.Sub(now) > ClockSlack,
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
