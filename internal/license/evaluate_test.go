package license_test

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/license"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// TestEvaluate: each status, at both sides of each boundary.
func TestEvaluate(t *testing.T) {
	t.Parallel()
	expiry := start.Add(365 * day)
	here := &license.License{IssueDate: start, ExpiryDate: expiry}
	// The same moment in two other zones: one where it is another day, one with a half-hour
	// offset.
	apia := &license.License{IssueDate: start, ExpiryDate: expiry.In(time.FixedZone("Apia", 13*3600))}
	kolkata := &license.License{IssueDate: start, ExpiryDate: expiry.In(time.FixedZone("Kolkata", 5*3600+1800))}
	trial := license.Facts{TrialStartedAt: start}
	licensed := func(l *license.License) license.Facts {
		return license.Facts{License: l, Authentic: true, NewestIssue: l.IssueDate, TrialStartedAt: start}
	}
	short := &license.License{IssueDate: start, ExpiryDate: start.Add(day)}
	forged := licensed(here)
	forged.Authentic = false
	removed := license.Facts{NewestIssue: start, TrialStartedAt: start}
	for name, c := range map[string]struct {
		facts license.Facts
		now   time.Time
		want  license.Status
		days  int
	}{
		"trial, first moment":         {trial, start, license.Trial, 30},
		"trial, last day's beginning": {trial, start.Add(29 * day), license.Trial, 1},
		"trial, last nanosecond":      {trial, start.Add(30*day - 1), license.Trial, 0},
		"trial, over":                 {trial, start.Add(30 * day), license.Expired, 0},
		"trial, before it began":      {trial, start.Add(-100 * day), license.Trial, 30},
		"no trial":                    {license.Facts{}, start, license.Expired, 0},
		"removed within the trial":    {removed, start.Add(30*day - 1), license.Trial, 0},
		"removed after the trial":     {removed, start.Add(30 * day), license.Missing, 0},
		"licensed, first moment":      {licensed(here), start, license.Valid, 365},
		"licensed within the trial":   {licensed(here), start.Add(day), license.Valid, 364},
		"8 days":                      {licensed(here), expiry.Add(-8 * day), license.Valid, 8},
		"7 days and a nanosecond":     {licensed(here), expiry.Add(-7*day - 1), license.Valid, 7},
		"7 days":                      {licensed(here), expiry.Add(-7 * day), license.Expiring, 7},
		"last nanosecond":             {licensed(here), expiry.Add(-1), license.Expiring, 0},
		"the moment of expiry":        {licensed(here), expiry, license.Expired, 0},
		"expired within the trial":    {licensed(short), start.Add(2 * day), license.Expired, 0},
		"Apia, last second":           {licensed(apia), expiry.Add(-time.Second), license.Expiring, 0},
		"Apia, expired":               {licensed(apia), expiry, license.Expired, 0},
		"Kolkata, 7 days":             {licensed(kolkata), expiry.Add(-7 * day), license.Expiring, 7},
		"a clock of another zone":     {licensed(here), expiry.Add(-1).In(apia.ExpiryDate.Location()), license.Expiring, 0},
		"forged":                      {forged, start, license.Invalid, 0},
	} {
		s := license.Evaluate(c.facts, c.now)
		if s.Status != c.want || s.DaysRemaining != c.days || s.License != c.facts.License {
			t.Errorf("%s: %s with %d days, want %s with %d", name, s.Status, s.DaysRemaining, c.want, c.days)
		}
		if again := license.Evaluate(s.Facts(), c.now); again != s {
			t.Errorf("%s: evaluated once more it is %+v, not %+v", name, again, s)
		}
	}
}

// TestClockSetBack: the latest time seen counts, and ClockBehind says so, except for
// corrections of a time service.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	expiry := start.Add(365 * day)
	licensed := license.Facts{License: &license.License{IssueDate: start, ExpiryDate: expiry}, Authentic: true}
	seen := func(f license.Facts, at time.Time) license.Facts {
		f.LastSeen = at
		return f
	}
	trial, over := license.Facts{TrialStartedAt: start}, start.Add(30*day)
	for name, c := range map[string]struct {
		facts  license.Facts
		now    time.Time
		want   license.Status
		days   int
		at     time.Time
		behind bool
	}{
		"trial, set back":      {seen(trial, over), start, license.Expired, 0, over, true},
		"trial, to before it":  {trial, start.Add(-day), license.Trial, 30, start, true},
		"license, set back":    {seen(licensed, expiry), start, license.Expired, 0, expiry, true},
		"by what is let go":    {seen(licensed, expiry), expiry.Add(-license.ClockSlack), license.Expired, 0, expiry, false},
		"by a nanosecond more": {seen(licensed, expiry), expiry.Add(-license.ClockSlack - 1), license.Expired, 0, expiry, true},
		"not set back":         {seen(licensed, start), start, license.Valid, 365, start, false},
		"gone on":              {seen(licensed, start), expiry, license.Expired, 0, expiry, false},
	} {
		s := license.Evaluate(c.facts, c.now)
		if s.Status != c.want || s.DaysRemaining != c.days || !s.At.Equal(c.at) || s.ClockBehind != c.behind {
			t.Errorf("%s: %+v, want %+v", name, s, c)
		}
	}
}
