package license

import "time"

// Admit checks an upload to an installation with these facts, by a clock that says now:
// signature, installation ID, expiry, and that no license was stored before that was
// issued later, unless replaceNewer. A *Rejected says what is wrong first. Otherwise it
// gives the facts with the license stored.
//
// The vendor signed when the license was issued. Where that is later than of any before,
// it takes the place of the latest moment seen, and of a trial's beginning after that: a
// clock that once stood far ahead by mistake neither ends an installation for good nor
// leaves it a trial to come.
func Admit(f File, keys Keys, facts Facts, now time.Time, replaceNewer bool) (Facts, error) {
	if len(keys) == 0 {
		return facts, unknownKey()
	}
	if _, err := keys.Verify(f); err != nil {
		return facts, badSignature()
	}
	if f.License.InstallationID != facts.InstallationID {
		return facts, otherInstallation(facts.InstallationID)
	}
	next := facts
	next.License, next.Authentic = &f.License, true
	if f.License.IssueDate.After(facts.NewestIssue) {
		next.NewestIssue, next.LastSeen = f.License.IssueDate, latest(now, f.License.IssueDate)
		if next.TrialStartedAt.After(next.LastSeen) {
			next.TrialStartedAt = next.LastSeen
		}
	}
	switch {
	case Evaluate(next, now).Status == Expired:
		return facts, expired(written(f.License.ExpiryDate))
	case f.License.IssueDate.Before(facts.NewestIssue) && !replaceNewer:
		return facts, older(written(facts.NewestIssue))
	}
	return next, nil
}

// written is a moment as people read it: a whole second, in UTC.
func written(t time.Time) string { return t.UTC().Format(time.RFC3339) }
