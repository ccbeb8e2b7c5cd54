package license

import "time"

// Admit checks an upload for an installation with these facts at the time now:
// signature, installation ID, expiry, and, unless replaceNewer, that no license issued
// later was ever stored. A *Rejected names the first failed check. On success it returns
// the facts with the license stored.
//
// The issue date is signed by the vendor. If it is later than any before, it replaces
// the latest time seen, and the start of a trial after that: a clock that once was far
// ahead by mistake neither ends an installation for good nor leaves it a trial in the
// future.
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

// written formats a time for people: whole seconds, UTC.
func written(t time.Time) string { return t.UTC().Format(time.RFC3339) }
