package license_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/license/licensetest"
	"github.com/keyward/keyward/test/must"
)

// vendor signs licenses.
type vendor struct{ licensetest.Vendor }

func newVendor(number byte) vendor { return vendor{licensetest.New(number)} }

// issue returns a license for an installation, valid between the two times.
func (v vendor) issue(t *testing.T, installation string, from, to time.Time) license.File {
	t.Helper()
	return must.Get(license.Parse(v.Issue(t, installation, from, to)))(t)
}

var (
	ours   = strings.Repeat("A", 43) + "="
	theirs = strings.Repeat("B", 42) + "A="
)

// TestAdmitInOrder: of several faults of an upload, the first in the specification's
// order is reported.
func TestAdmitInOrder(t *testing.T) {
	t.Parallel()
	us, stranger := newVendor(0), newVendor(1)
	facts := license.Facts{InstallationID: ours, NewestIssue: start, TrialStartedAt: start, LastSeen: start}
	before, now := start.Add(-400*day), start.Add(10*day)
	for name, c := range map[string]struct {
		file    license.File
		keys    license.Keys
		replace bool
		want    string
	}{
		"all is wrong, and no key": {stranger.issue(t, theirs, before, before.Add(day)), nil, false, license.ReasonUnknownKey},
		"all is wrong":             {stranger.issue(t, theirs, before, before.Add(day)), us.Keys(t), false, license.ReasonBadSignature},
		"all but the signature":    {us.issue(t, theirs, before, before.Add(day)), us.Keys(t), false, license.ReasonOtherInstallation},
		"expired and older":        {us.issue(t, ours, before, before.Add(day)), us.Keys(t), false, license.ReasonExpired},
		"expired now":              {us.issue(t, ours, start, now), us.Keys(t), true, license.ReasonExpired},
		"expired in a second":      {us.issue(t, ours, start, now.Add(time.Second)), us.Keys(t), false, ""},
		"older":                    {us.issue(t, ours, start.Add(-time.Second), now.Add(day)), us.Keys(t), false, license.ReasonOlder},
		"older, on purpose":        {us.issue(t, ours, start.Add(-time.Second), now.Add(day)), us.Keys(t), true, ""},
		"the same once more":       {us.issue(t, ours, start, now.Add(day)), us.Keys(t), false, ""},
		"newer":                    {us.issue(t, ours, start.Add(time.Second), now.Add(day)), us.Keys(t), false, ""},
		"signed by the second key": {us.issue(t, ours, start, now.Add(day)), append(stranger.Keys(t), us.Keys(t)...), false, ""},
	} {
		next, err := license.Admit(c.file, c.keys, facts, now, c.replace)
		rejected, _ := errors.AsType[*license.Rejected](err)
		switch {
		case c.want == "" && (err != nil || *next.License != c.file.License || next.NewestIssue.Before(start)):
			t.Errorf("%s: %+v, %v", name, next, err)
		case c.want != "" && (rejected == nil || rejected.Reason != c.want || rejected.Fault.Reason != c.want || next != facts):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestAdmitAfterAWrongClock: a clock that was far ahead ends nothing for good, and one
// set back lengthens nothing.
func TestAdmitAfterAWrongClock(t *testing.T) {
	t.Parallel()
	us := newVendor(0)
	ahead := start.Add(50 * 365 * day)
	facts := license.Facts{InstallationID: ours, TrialStartedAt: ahead, NewestIssue: start, LastSeen: ahead}
	now := start.Add(100 * day)

	same := us.issue(t, ours, start, start.Add(365*day))
	if _, err := license.Admit(same, us.Keys(t), facts, now, true); err == nil {
		t.Error("the license that had expired by the latest moment seen was taken again")
	}
	renewed := us.issue(t, ours, now, now.Add(365*day))
	next, err := license.Admit(renewed, us.Keys(t), facts, now, false)
	if s := license.Evaluate(next, now); err != nil || s.Status != license.Valid || s.DaysRemaining != 365 || s.ClockBehind {
		t.Errorf("%+v, %v", s, err)
	}
	// The clock was set back before the upload: the vendor's date counts.
	next, err = license.Admit(renewed, us.Keys(t), facts, start.Add(-1000*day), false)
	if s := license.Evaluate(next, start.Add(-1000*day)); err != nil || s.DaysRemaining != 365 || !s.ClockBehind {
		t.Errorf("%+v, %v", s, err)
	}
}
