// Package report counts what an auditor asks of a fleet of tokens: per
// organization, tokens by status and firmware, secrets that are too old,
// certificates that end soon, people without a token, and releases of secrets
// by their reason (contract, "Users and organizations").
//
// All numbers of a report are of one moment: they come from one snapshot of
// the database, so that they add up. Its lists are bounded, its numbers not.
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

// What is assumed of what a request leaves out.
const (
	DefaultOlderThanDays = 365
	DefaultExpiringDays  = 30
	DefaultPeriod        = 30 * 24 * time.Hour
	MaxDays              = 3650
)

// Weeks is how many weeks the expiries are counted by.
const Weeks = 26

// Week is how long one lasts: UTC knows no summer time.
const Week = 7 * 24 * time.Hour

// Request is what a report is asked for. Zero fields take the defaults.
type Request struct {
	OrganizationID *int64 // nil: all in scope
	OlderThanDays  int
	ExpiringDays   int
	From, To       time.Time // of the releases
}

// Query is what the store is asked for.
type Query struct {
	OrganizationID *int64    // nil: all, and what is of none
	ChangedBefore  time.Time // secrets from before are too old
	Now            time.Time
	EndsUntil      time.Time // certificates that end after Now, and then at the latest, end soon
	FirstWeek      time.Time // when the first of the Weeks begins: the Monday at or before Now, UTC
	From, To       time.Time // releases; To exclusive
	ListLimit      int       // of one list
	ListTotal      int       // of all lists but those of numbers
}

// Store counts.
type Store interface {
	// Compliance returns the numbers of an organization, or of every one by
	// their ids and last of what belongs to none. NotFound when there is no
	// such organization.
	Compliance(ctx context.Context, q Query) ([]OrganizationReport, error)
}

// Service makes reports, one at a time: each reads a good part of the
// database's indexes.
type Service struct {
	Store Store
	Now   func() time.Time

	turn chan struct{}
	made sync.Once     // the turn
	wait time.Duration // for the turn; zero is turnWait
}

const turnWait = 20 * time.Second

// Compliance makes the report. A manager gets the own organization's; any
// other is NotFound. Overloaded when others have the turn for too long.
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
	now = s.Now() // the wait is over
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

// Monday is the beginning, in UTC, of the week in which a time lies.
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

// writable tells whether a time, in UTC, is one that the report can show: RFC
// 3339 has four digits for a year, and nothing here is older than 1970.
func writable(t time.Time) bool {
	year := t.UTC().Year()
	return year >= 1970 && year <= 9999
}
