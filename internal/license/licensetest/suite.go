package licensetest

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/test/must"
)

// Clock is set by the test; any goroutine may read it.
type Clock struct{ at atomic.Pointer[time.Time] }

// Set sets the clock.
func (c *Clock) Set(at time.Time) { c.at.Store(&at) }

// Now returns the clock's time.
func (c *Clock) Now() time.Time { return *c.at.Load() }

const day = 24 * time.Hour

// Run tests a license.Port: open returns one on an empty vault, with that clock and those keys.
func Run(t *testing.T, open func(t *testing.T, keys license.Keys, now func() time.Time) license.Port) {
	t.Helper()
	for name, test := range map[string]func(*suite){
		"life": (*suite).life, "refusals": (*suite).refusals, "history": (*suite).history, "clock": (*suite).clock,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &suite{T: t, us: New(1), start: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
			s.now.Set(s.start)
			s.port = open(t, s.us.Keys(t), s.now.Now)
			test(s)
		})
	}
	t.Run("no keys", func(t *testing.T) {
		t.Parallel()
		s := &suite{T: t, start: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
		s.now.Set(s.start)
		s.port = open(t, nil, s.now.Now)
		if !s.is(license.Trial, 30).NoKeys {
			t.Error("it does not say that it rejects every license")
		}
	})
}

type suite struct {
	*testing.T
	us    Vendor
	port  license.Port
	now   Clock
	start time.Time
}

// is compares how the installation is licensed.
func (s *suite) is(status license.Status, days int) license.Evaluation {
	s.Helper()
	is := must.Get(s.port.Status(s.Context()))(s.T)
	if is.Status != status || is.DaysRemaining != days {
		s.Errorf("%s with %d days, want %s with %d", is.Status, is.DaysRemaining, status, days)
	}
	return is
}

// issue returns a license and its file.
func (s *suite) issue(from, to time.Time) (license.License, []byte) {
	s.Helper()
	text := s.us.Issue(s.T, s.id(), from, to)
	return must.Get(license.Parse(text))(s.T).License, text
}

func (s *suite) id() string {
	s.Helper()
	return must.Get(s.port.InstallationID(s.Context()))(s.T)
}

// life goes through every status except INVALID, which needs another program.
func (s *suite) life() {
	id := s.id()
	want := license.Evaluation{Status: license.Trial, DaysRemaining: 30, InstallationID: id, TrialStartedAt: s.start, At: s.start}
	if diff := cmp.Diff(want, s.is(license.Trial, 30)); diff != "" {
		s.Error(diff)
	}
	s.now.Set(s.start.Add(30 * day))
	s.is(license.Expired, 0)
	from := s.start.Add(30 * day)
	issued, text := s.issue(from, from.Add(100*day))
	uploaded := must.Get(s.port.Upload(s.Context(), text, false))(s.T)
	if diff := cmp.Diff(uploaded, s.is(license.Valid, 100)); diff != "" || *uploaded.License != issued {
		s.Errorf("%+v\n%s", uploaded, diff)
	}
	s.now.Set(issued.ExpiryDate.Add(-7 * day))
	s.is(license.Expiring, 7)
	s.now.Set(issued.ExpiryDate)
	if is := s.is(license.Expired, 0); is.License == nil || is.InstallationID != id || !is.NewestIssue.Equal(issued.IssueDate) {
		s.Errorf("%+v", is)
	}
	if is := must.Get(s.port.Remove(s.Context()))(s.T); is.Status != license.Missing || is.License != nil {
		s.Errorf("%+v", is)
	}
	s.is(license.Missing, 0)
}

// refusals: each is the same error, whatever the transport.
func (s *suite) refusals() {
	id := s.id()
	other := strings.Repeat("B", 42) + "A="
	good, text := s.issue(s.start, s.start.Add(day))
	must.Get(s.port.Upload(s.Context(), text, false))(s.T)
	before := len(must.Get(s.port.History(s.Context()))(s.T))
	for _, text := range []string{"", "no JSON", "\xff\x00", `{"license":`} {
		if _, err := s.port.Upload(s.Context(), []byte(text), false); !fault.Is(err, fault.InvalidRequest) {
			s.Errorf("%q: %v", text, err)
		}
	}
	if after := len(must.Get(s.port.History(s.Context()))(s.T)); after != before {
		s.Errorf("what is no JSON stands on record: %d events, then %d", before, after)
	}
	for _, c := range []struct {
		reason string
		text   []byte
		params fault.Params
		fields int
	}{
		{license.ReasonMalformed, []byte(`{"license":{"seats":"9"},"signature":""}`), nil, 1},
		{license.ReasonMalformed, []byte(strings.Repeat(" ", license.MaxFile) + "{}"), nil, 1},
		{license.ReasonBadSignature, New(2).Issue(s.T, id, s.start, s.start.Add(day)), nil, 0},
		{license.ReasonOtherInstallation, s.us.Issue(s.T, other, s.start, s.start.Add(day)), fault.Params{"installation_id": id}, 0},
		{license.ReasonExpired, s.us.Issue(s.T, id, s.start.Add(-day), s.start), fault.Params{"expiry_date": "2026-03-01T12:00:00Z"}, 0},
		{license.ReasonOlder, s.us.Issue(s.T, id, s.start.Add(-day), s.start.Add(day)),
			fault.Params{"issue_date": "2026-03-01T12:00:00Z"}, 0},
	} {
		is, err := s.port.Upload(s.Context(), c.text, false)
		rejected, ok := errors.AsType[*license.Rejected](err)
		if !ok || rejected.Reason != c.reason || rejected.Fault.Reason != c.reason || len(rejected.Fault.Fields) != c.fields ||
			!fault.Is(err, fault.LicenseRejected) || is.Status != "" {
			s.Errorf("%s: %+v, %v", c.reason, is, err)
			continue
		}
		if diff := cmp.Diff(c.params, rejected.Fault.Params); diff != "" {
			s.Errorf("%s: %s", c.reason, diff)
		}
	}
	if is := s.is(license.Expiring, 1); *is.License != good {
		s.Errorf("%+v", is)
	}
	older, text := s.issue(s.start.Add(-day), s.start.Add(2*day))
	if is, err := s.port.Upload(s.Context(), text, true); err != nil || *is.License != older {
		s.Errorf("on purpose: %+v, %v", is, err)
	}
}

func (s *suite) history() {
	if _, err := s.port.Remove(s.Context()); !errors.Is(err, license.ErrNone) {
		s.Errorf("nothing to remove: %v", err)
	}
	l, text := s.issue(s.start, s.start.Add(day))
	must.Get(s.port.Upload(s.Context(), text, false))(s.T)
	_, _ = s.port.Upload(s.Context(), []byte("{}"), false)
	s.now.Set(s.start.Add(time.Minute))
	must.Get(s.port.Remove(s.Context()))(s.T)
	history := must.Get(s.port.History(s.Context()))(s.T)
	for i := range history {
		if history[i].Message == "" {
			s.Errorf("%+v says nothing", history[i])
		}
		history[i].Message = ""
	}
	want := []license.Event{
		{At: s.start.Add(time.Minute), Operation: license.OperationRemove, Outcome: license.OutcomeSuccess, Summary: &l},
		{At: s.start, Operation: license.OperationUpload, Outcome: license.OutcomeRejected},
		{At: s.start, Operation: license.OperationUpload, Outcome: license.OutcomeSuccess, Summary: &l},
		{At: s.start, Operation: license.OperationTrial, Outcome: license.OutcomeSuccess},
	}
	if diff := cmp.Diff(want, history); diff != "" {
		s.Error(diff)
	}
}

func (s *suite) clock() {
	s.is(license.Trial, 30)
	s.now.Set(s.start.Add(20 * day))
	s.is(license.Trial, 10)
	s.now.Set(s.start)
	if is := s.is(license.Trial, 10); !is.ClockBehind || !is.At.Equal(s.start.Add(20*day)) {
		s.Errorf("%+v", is)
	}
}
