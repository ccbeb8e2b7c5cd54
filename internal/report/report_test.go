package report

import (
	"context"
	"encoding/csv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/must"
)

var now = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// monday is the start of now's week.
var monday = time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)

// counter is a store that answers with the query, when allowed to.
type counter struct {
	asked   atomic.Pointer[Query]
	at      atomic.Int32
	entered chan struct{}
	leave   chan struct{}
}

func (c *counter) Compliance(_ context.Context, q Query) ([]OrganizationReport, error) {
	c.asked.Store(&q)
	if c.at.Add(1) > 1 {
		return nil, fault.New(fault.Internal, "", "two reports at once")
	}
	defer c.at.Add(-1)
	if c.entered != nil {
		c.entered <- struct{}{}
		<-c.leave
	}
	return []OrganizationReport{}, nil
}

func service(c *counter) *Service { return &Service{Store: c, Now: func() time.Time { return now }} }

func ptr[T any](v T) *T { return &v }

func TestParameters(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for _, c := range []struct {
		name    string
		scope   access.Scope
		request Request
		want    Query
		code    fault.Code
	}{
		{"defaults", access.All(), Request{}, Query{
			ChangedBefore: now.Add(-365 * day), Now: now, EndsUntil: now.Add(30 * day), From: now.Add(
				-30 * day), To: now, FirstWeek: monday, ListLimit: 100, ListTotal: 20_000}, ""},
		{"a manager", access.Scope{Reach: access.Organization, OrganizationID: 7}, Request{OlderThanDays: 1,
			ExpiringDays: 2, From: now.Add(-time.Hour), To: now.Add(time.Hour)}, Query{
			OrganizationID: ptr(int64(7)), ChangedBefore: now.Add(-day), Now: now, EndsUntil: now.Add(
				2 * day), From: now.Add(-time.Hour), To: now.Add(time.Hour), FirstWeek: monday, ListLimit: 100, ListTotal: 20_000}, ""},
		{"a period of long ago", access.All(), Request{To: now.Add(-100 * day), OrganizationID: ptr(int64(3))}, Query{
			OrganizationID: ptr(int64(3)), ChangedBefore: now.Add(-365 * day), Now: now, EndsUntil: now.Add(
				30 * day), From: now.Add(-130 * day), To: now.Add(-100 * day), FirstWeek: monday, ListLimit: 100, ListTotal: 20_000}, ""},
		{"another's organization", access.Scope{Reach: access.Organization,
			OrganizationID: 7}, Request{OrganizationID: ptr(int64(8))}, Query{}, fault.NotFound},
		{"a user", access.Scope{Reach: access.Own, UserID: 7}, Request{}, Query{}, fault.PermissionDenied},
		{"nobody", access.Scope{}, Request{}, Query{}, fault.PermissionDenied},
		{"an empty period", access.All(), Request{From: now, To: now}, Query{}, fault.InvalidRequest},
		{"a period that has not begun", access.All(), Request{From: now.Add(time.Hour)}, Query{}, fault.InvalidRequest},
		{"too many days", access.All(), Request{OlderThanDays: 3651}, Query{}, fault.InvalidRequest},
		{"negative days", access.All(), Request{ExpiringDays: -1}, Query{}, fault.InvalidRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			store := &counter{}
			got, err := service(store).Compliance(t.Context(), c.scope, c.request)
			if fault.CodeOf(err) != c.code {
				t.Fatalf("got %v, want %q", err, c.code)
			}
			if c.code != "" {
				if store.asked.Load() != nil {
					t.Error("the store was asked")
				}
				return
			}
			if d := cmp.Diff(c.want, *store.asked.Load()); d != "" {
				t.Error(d)
			}
			if got.GeneratedAt != now || !got.Parameters.From.Equal(c.want.From) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestUnwritablePeriod: a year that RFC 3339 cannot express is refused, naming
// the field, even if it results from a default.
func TestUnwritablePeriod(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		return must.Get(time.Parse(time.RFC3339, text))(t)
	}
	for _, c := range []struct {
		name    string
		request Request
		fields  []string
	}{
		{"the default before year 0", Request{To: at("0000-01-10T00:00:00Z")}, []string{"from", "to"}},
		{"year 10000 in UTC", Request{To: at("9999-12-31T23:59:59-12:00")}, []string{"to"}},
		{"year -1 in UTC", Request{From: at("0000-01-01T00:00:00+12:00")}, []string{"from"}},
		{"the default before 1970", Request{To: at("1970-01-10T00:00:00Z")}, []string{"from"}},
		{"the first and the last moment", Request{From: at("1970-01-01T00:00:00Z"), To: at("9999-12-31T23:59:59Z")}, nil},
	} {
		store := &counter{}
		_, err := service(store).Compliance(t.Context(), access.All(), c.request)
		var fields []string
		if f, ok := fault.As(err); ok && f.Code == fault.InvalidRequest {
			for _, bad := range f.Fields {
				fields = append(fields, bad.Field)
			}
		}
		if d := cmp.Diff(c.fields, fields); d != "" || (err == nil) != (c.fields == nil) {
			t.Errorf("%s: %v\n%s", c.name, err, d)
		}
	}
}

// TestOneAtATime: the others wait, but not forever.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	store := &counter{entered: make(chan struct{}), leave: make(chan struct{})}
	s := service(store)
	s.wait = 10 * time.Millisecond
	first := make(chan error)
	go func() { _, err := s.Compliance(t.Context(), access.All(), Request{}); first <- err }()
	<-store.entered
	if _, err := s.Compliance(t.Context(), access.All(), Request{}); !fault.Is(err, fault.Overloaded) {
		t.Errorf("a second one meanwhile: %v", err)
	}
	s.wait = time.Hour
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Compliance(ended, access.All(), Request{}); err == nil || fault.Is(err, fault.Overloaded) {
		t.Errorf("one whose client has gone: %v", err)
	}
	second := make(chan error)
	go func() { _, err := s.Compliance(t.Context(), access.All(), Request{}); second <- err }()
	store.leave <- struct{}{}
	<-store.entered
	store.leave <- struct{}{}
	for _, done := range []chan error{first, second} {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestMonday: a week begins on Monday at midnight UTC, wherever the clock is.
func TestMonday(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 14*3600)
	for _, c := range []struct {
		at   time.Time
		want string
	}{
		{monday, "2026-05-04"},
		{monday.Add(-time.Nanosecond), "2026-04-27"},
		{monday.Add(7*24*time.Hour - time.Nanosecond), "2026-05-04"},
		{monday.In(east), "2026-05-04"},
		{monday.Add(-time.Hour).In(east), "2026-04-27"},
		{time.Date(2027, 1, 3, 23, 0, 0, 0, time.UTC), "2026-12-28"},
	} {
		if got := Monday(c.at); got.Format(time.RFC3339) != c.want+"T00:00:00Z" {
			t.Errorf("the week of %v begins %v, want %s", c.at, got, c.want)
		}
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	at := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	report := ComplianceReport{
		GeneratedAt: now, Parameters: ReportParameters{OlderThanDays: 365, ExpiringDays: 30, From: at, To: now},
		Organizations: []OrganizationReport{{
			ID: ptr(int64(1)), Name: "=cmd|'/c calc'!A1", Tokens: 3, ByStatus: ByStatus{Assigned: 1, Retired: 2},
			Firmware:  []FirmwareCount{{"5.7.1", 2}, {"", 1}},
			Old:       OldSecrets{1, []OldToken{{"10001", at, ptr("jdoe"), "Jane Doe"}}},
			Expiring:  Expiring{1, []ExpiringCertificate{{"0a", "10001", "jdoe", at}}},
			Expired:   Expired{1, []ExpiringCertificate{{"0b", "10001", "jdoe", at}}},
			Weeks:     []WeekCount{{"2026-05-04", 1}, {"2026-05-11", 0}},
			Proofs:    Proofs{3, 2, []ProofCount{{"5.4.3", "once", "never", 3}}},
			Tokenless: Tokenless{1, []TokenlessUser{{4, "-amy", "Amy", "@sum"}}},
			Releases:  Releases{5, []ReasonCount{{"+1, \"quoted\"\nline", 4}, {"", 1}}},
		}, {}},
	}
	text := string(report.CSV())
	rows := must.Get(csv.NewReader(strings.NewReader(text)).ReadAll())(t)
	const org = "'=cmd|'/c calc'!A1"
	want := [][]string{
		{"organization", "section", "key", "value"},
		{"", "report", "generated_at", "2026-05-04T12:00:00Z"}, {"", "report", "secrets_older_than_days", "365"},
		{"", "report", "expiring_within_days", "30"}, {"", "report", "from", "2025-01-02T03:04:05Z"}, {"",
			"report", "to", "2026-05-04T12:00:00Z"},
		{org, "tokens", "total", "3"}, {org, "tokens_by_status", "in_stock", "0"}, {org, "tokens_by_status", "assigned", "1"},
		{org, "tokens_by_status", "active", "0"}, {org, "tokens_by_status", "suspended", "0"}, {org, "tokens_by_status", "lost", "0"},
		{org, "tokens_by_status", "retired", "2"}, {org, "tokens_by_firmware", "5.7.1", "2"}, {org, "tokens_by_firmware", "", "1"},
		{org, "secrets_older_than_limit", "count", "1"}, {org, "secrets_older_than_limit_tokens", "10001", "2025-01-02T03:04:05Z"},
		{org, "certificates_expiring", "count", "1"}, {org, "certificates_expiring_certificates", "0a", "2025-01-02T03:04:05Z"},
		{org, "certificates_expired", "count", "1"}, {org, "certificates_expired_certificates", "0b", "2025-01-02T03:04:05Z"},
		{org, "certificates_expiring_by_week", "2026-05-04", "1"}, {org, "certificates_expiring_by_week", "2026-05-11", "0"},
		{org, "certificates_by_attestation", "attested", "3"}, {org, "certificates_by_attestation", "not_attested", "2"},
		{org, "certificates_by_attestation_keys", "firmware 5.4.3, PIN once, touch never", "3"},
		{org, "users_without_token", "count", "1"}, {org, "users_without_token_users", "'-amy", "'@sum"},
		{org, "releases", "total", "5"}, {org, "releases_by_reason", "'+1, \"quoted\"\nline", "4"}, {org, "releases_by_reason", "", "1"},
	}
	if d := cmp.Diff(want, rows[:len(want)]); d != "" {
		t.Error(d)
	}
	if len(rows) != len(want)+14 || !strings.HasPrefix(text, CSVHeader) {
		t.Errorf("%d rows", len(rows))
	}
	for i, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
				t.Errorf("row %d: a spreadsheet would run %q", i, cell)
			}
		}
	}
}
