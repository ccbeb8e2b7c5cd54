// Package report counts what an auditor asks about a fleet of tokens: per
// organization, tokens by status and firmware, secrets that are too old,
// expiring certificates, people without a token, and releases of secrets by
// reason (contract, "Users and organizations").
//
// All numbers of a report come from one database snapshot, so that they add up.
// Its lists are bounded, its numbers are not.
//
// Route: GET /api/reports/compliance.
package report

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
)

// Bounds of the lists.
const (
	ListLimit = 100    // of one list
	ListTotal = 20_000 // of all tokens, certificates and people of a report
)

// Defaults for a request, and the maximum of its days.
const (
	DefaultOlderThanDays = 365
	DefaultExpiringDays  = 30
	DefaultPeriod        = 30 * 24 * time.Hour
	MaxDays              = 3650
)

// Weeks is for how many weeks expiries are counted.
const Weeks = 26

// Week is a week's length: UTC has no daylight saving time.
const Week = 7 * 24 * time.Hour

// Request is the parameters of a report. Zero fields get the defaults.
type Request struct {
	OrganizationID *int64 // nil: all in scope
	OlderThanDays  int
	ExpiringDays   int
	From, To       time.Time // of the releases
}

// Query is what the store counts.
type Query struct {
	OrganizationID *int64    // nil: all, and what belongs to none
	ChangedBefore  time.Time // secrets changed before are too old
	Now            time.Time
	EndsUntil      time.Time // certificates that expire after Now and until then expire soon
	FirstWeek      time.Time // start of the first of the Weeks: the Monday at or before Now, UTC
	From, To       time.Time // releases; To exclusive
	ListLimit      int       // of one list
	ListTotal      int       // of all lists except those of numbers
}

// Store counts.
type Store interface {
	// Compliance returns the numbers of an organization, or of every one
	// ordered by id, followed by what belongs to none. NotFound when there is
	// no such organization.
	Compliance(ctx context.Context, q Query) ([]OrganizationReport, error)
}

// Service creates reports, one at a time: each reads much of the database's indexes.
type Service struct {
	Store Store
	Now   func() time.Time

	turn chan struct{}
	made sync.Once     // the turn
	wait time.Duration // for the turn; zero is turnWait
}

const turnWait = 20 * time.Second

// Compliance creates the report. A manager gets that of their own organization;
// any other is NotFound. Overloaded when the turn takes too long to come.
func (s *Service) Compliance(ctx context.Context, scope access.Scope, r Request) (ComplianceReport, error) {
	now := s.Now()
	p, err := r.parameters(now)
	if err != nil {
		return ComplianceReport{}, err
	}
	switch scope.Reach {
	case access.Everything:
	case access.Organization:
		if r.OrganizationID != nil && *r.OrganizationID != scope.OrganizationID {
			return ComplianceReport{}, noOrganization()
		}
		p.OrganizationID = &scope.OrganizationID
	default:
		return ComplianceReport{}, fault.New(fault.PermissionDenied, "report_role", "Only administrators can see this report. Ask one.")
	}
	if err := s.take(ctx); err != nil {
		return ComplianceReport{}, err
	}
	defer func() { <-s.turn }()
	now = s.Now() // after the wait
	list, err := s.Store.Compliance(ctx, Query{
		OrganizationID: p.OrganizationID, Now: now,
		ChangedBefore: now.Add(-days(p.OlderThanDays)), EndsUntil: now.Add(days(p.ExpiringDays)), FirstWeek: Monday(now),
		From: p.From, To: p.To, ListLimit: ListLimit, ListTotal: ListTotal,
	})
	if err != nil {
		return ComplianceReport{}, err
	}
	return ComplianceReport{GeneratedAt: now.UTC(), Parameters: p, Organizations: list}, nil
}

func noOrganization() error {
	return fault.New(fault.NotFound, "no_organization", "There is no such organization.")
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// Monday returns the start, in UTC, of a time's week.
func Monday(t time.Time) time.Time {
	year, month, day := t.UTC().Date()
	since := (int(t.UTC().Weekday()) + 6) % 7
	return time.Date(year, month, day-since, 0, 0, 0, 0, time.UTC)
}

// take waits for the turn.
func (s *Service) take(ctx context.Context) error {
	s.made.Do(func() { s.turn = make(chan struct{}, 1) })
	timer := time.NewTimer(cmp.Or(s.wait, turnWait))
	defer timer.Stop()
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return fault.New(fault.Overloaded, "reports", "Other reports are being created. Try again in a moment.").After(10 * time.Second)
	}
}

// parameters checks a request and fills in the defaults.
func (r Request) parameters(now time.Time) (ReportParameters, error) {
	p := ReportParameters{OrganizationID: r.OrganizationID, OlderThanDays: r.OlderThanDays, ExpiringDays: r.ExpiringDays,
		From: r.From.UTC(), To: r.To.UTC()}
	if p.OlderThanDays == 0 {
		p.OlderThanDays = DefaultOlderThanDays
	}
	if p.ExpiringDays == 0 {
		p.ExpiringDays = DefaultExpiringDays
	}
	if r.To.IsZero() {
		p.To = now.UTC()
	}
	if r.From.IsZero() {
		p.From = p.To.Add(-DefaultPeriod)
	}
	var bad []fault.Field
	for _, n := range []struct {
		field string
		value int
	}{{"secrets_older_than_days", p.OlderThanDays}, {"expiring_within_days", p.ExpiringDays}} {
		if n.value < 1 || n.value > MaxDays {
			bad = append(bad, fault.OutOfRange(n.field, 1, MaxDays))
		}
	}
	for _, m := range []struct {
		field string
		at    time.Time
	}{{"from", p.From}, {"to", p.To}} {
		if !writable(m.at) {
			bad = append(bad, fault.Wrong(m.field, "year_out_of_range", "must be of a year between 1970 and 9999 (in UTC, also when it is assumed)"))
		}
	}
	if !p.From.Before(p.To) {
		bad = append(bad, fault.Wrong("from", "not_before_to", "must be before to"))
	}
	if len(bad) > 0 {
		return ReportParameters{}, fault.Invalid(bad...)
	}
	return p, nil
}

// writable reports whether the report can show a time: RFC 3339 has four digits
// for a year, and nothing here is older than 1970.
func writable(t time.Time) bool {
	year := t.UTC().Year()
	return year >= 1970 && year <= 9999
}
