package storetest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/organization"
	"github.com/keyward/keyward/internal/report"
	"github.com/keyward/keyward/internal/user"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var reportCases = map[string]func(*testing.T, *fixture){
	"an empty installation":        reportEmpty,
	"no such organization":         reportAbsent,
	"a random fleet":               reportFleet,
	"a release of an organization": reportGone,
	"equally frequent":             reportOrder,
}

// monday is when the week of Now begins.
var monday = time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)

// proofs are what tokens say; the first two differ in what the report does not
// tell apart.
var proofs = []*cert.Attestation{
	{FirmwareVersion: "5.4.3", FormFactor: "Nano (USB-A)", PINPolicy: "once", TouchPolicy: "never", Root: "R"},
	{FirmwareVersion: "5.4.3", FormFactor: "Nano (USB-C)", PINPolicy: "once", TouchPolicy: "never", Root: "S"},
	{FirmwareVersion: "5.7.1", FormFactor: "Nano (USB-C)", PINPolicy: "always", TouchPolicy: "cached", Root: "S"},
	{FirmwareVersion: "5.4.3", PINPolicy: "never", TouchPolicy: "never", Root: "R"}, nil,
}

// ends are times around which certificates end: limits and borders of weeks.
var ends = []time.Time{
	question.Now, question.EndsUntil, monday, monday.Add(report.Week), monday.Add(9 * report.Week), monday.Add(report.Weeks * report.Week),
}

// question asks with limits of which some rows lie exactly on.
var question = report.Query{
	ChangedBefore: Now.Add(-10 * 24 * time.Hour), Now: Now, EndsUntil: Now.Add(10 * 24 * time.Hour), FirstWeek: monday,
	From: Now.Add(-5 * 24 * time.Hour), To: Now, ListLimit: 4, ListTotal: 1000,
}

func reportEmpty(t *testing.T, f *fixture) {
	got := must.Get(f.Compliance(t.Context(), question))(t)
	equal(t, "organizations", names(got, func(o report.OrganizationReport) string { return o.Name }), []string{"Acme", "Bolt", ""})
	equal(t, "people of none", got[2].Tokenless.Users, []report.TokenlessUser{
		{ID: f.admin.ID, Username: "admin", Name: "admin Ähm", Email: "admin@example.org"},
	})
	equal(t, "people of Acme", got[0].Tokenless.Count, 2)
	for _, o := range got {
		equal(t, "weeks of "+o.Name, []any{len(o.Weeks), o.Weeks[0], o.Weeks[25]},
			[]any{26, report.WeekCount{Start: "2026-05-04"}, report.WeekCount{Start: "2026-10-26"}})
	}
	equal(t, "lists", got[1].Firmware != nil && got[1].Old.Tokens != nil && got[1].Expiring.Certificates != nil &&
		got[1].Expired.Certificates != nil && got[1].Releases.ByReason != nil, true)
}

func reportAbsent(t *testing.T, f *fixture) {
	q := question
	q.OrganizationID = ptr(int64(99999))
	refused(t, "absent", errOf(f.Compliance(t.Context(), q)), fault.NotFound)
}

// reportOrder: what is equally frequent comes in the order of bytes, in which
// capitals come first.
func reportOrder(t *testing.T, f *fixture) {
	for i, version := range []string{"a", "B", "5.7.1-x", "5.71"} {
		d := hwkey.Device{Serial: fmt.Sprint("order-", i), Status: hwkey.InStock, FirmwareVersion: version, RegisteredAt: Now}
		d.OrganizationID = &f.b.ID
		must.Get(f.InsertDevice(t.Context(), d, entry(audit.HWKeyRegistered, "hwkey")))(t)
	}
	got := must.Get(f.Compliance(t.Context(), question))(t)
	versions := names(got[1].Firmware, func(c report.FirmwareCount) string { return c.Version })
	equal(t, "firmware", versions, []string{"5.7.1-x", "5.71", "B", "a"})
}

// reportGone: a release is a fact of its day, whatever became of the
// organization.
func reportGone(t *testing.T, f *fixture) {
	must.OK(t, f.AppendAudit(t.Context(), audit.Entry{
		At: Now.Add(-time.Hour), Action: audit.SecretsReleased, Outcome: audit.Success, OrganizationID: ptr(int64(99999)), Reason: "r"}))
	got := must.Get(f.Compliance(t.Context(), question))(t)
	equal(t, "of none", got[2].Releases.Total, 1)
}

// fleet is what the store was given, kept apart from it.
type fleet struct {
	random        *rand.Rand
	organizations []*organization.Organization // nil: of none
	users         []user.User
	devices       []hwkey.Device
	certificates  []cert.Certificate
	entries       []audit.Entry // of releases, and of what is none
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// near gives a time around a limit, often on it or a microsecond beside it.
func (m *fleet) near(limit time.Time) time.Time {
	switch m.random.IntN(4) {
	case 0:
		return limit.Add(time.Duration(m.random.IntN(3)-1) * time.Microsecond)
	default:
		return limit.Add(time.Duration(m.random.IntN(400)-200) * time.Hour)
	}
}

func organizationOf(o *organization.Organization) *int64 {
	if o == nil {
		return nil
	}
	return &o.ID
}

// reportFleet makes a random fleet and holds the report, for all and for each
// organization, to what is counted without the store.
func reportFleet(t *testing.T, f *fixture) {
	m := &fleet{random: rand.New(rand.NewPCG(1, 5))} // #nosec G404 -- a test that can be repeated
	third := f.organization(t, "Cell")
	m.organizations = []*organization.Organization{&f.a, &f.b, &third, nil}
	m.users = []user.User{f.admin, f.manager, f.alex, f.bea}
	for i := range 40 {
		u := account(fmt.Sprint("person", i), access.User, organizationOf(pick(m.random, m.organizations)))
		u = must.Get(f.InsertUser(t.Context(), u, entry(audit.UserCreated, "user")))(t)
		m.users = append(m.users, u)
	}
	for i := range 90 {
		m.add(t, f, i)
	}
	for i := range 120 {
		e := audit.Entry{
			At:     m.near(pick(m.random, []time.Time{question.From, question.To})),
			Action: pick(m.random, []audit.Action{"hwkey.secrets_released", "hwkey.secrets_released", "hwkey.rotation_started", "hwkey.reset"}),
			Actor:  "manager", TargetType: "hwkey", TargetID: fmt.Sprint("key-", i),
			Outcome:        pick(m.random, []audit.Outcome{"success", "success", "success", "denied"}),
			OrganizationID: organizationOf(pick(m.random, m.organizations)),
			Reason:         pick(m.random, []string{"", "lost", "Lost", "forgotten PIN", "=1+1", "help", "desk", "other"}),
		}
		must.OK(t, f.AppendAudit(t.Context(), e))
		m.entries = append(m.entries, e)
	}
	m.disable(t, f)
	m.check(t, f)
}

// disable takes some people's accounts; their tokens stay theirs.
func (m *fleet) disable(t *testing.T, f *fixture) {
	t.Helper()
	for i, u := range m.users {
		if u.ID == f.admin.ID || m.random.IntN(5) > 0 {
			continue
		}
		must.Both(f.ChangeUser(t.Context(), access.All(), u.ID, nil, func(s user.State) (user.Change, error) {
			s.User.IsActive = false
			return user.Change{User: s.User, At: Now, Entries: []audit.Entry{entry("x.y", "user")}}, nil
		}))(t)
		m.users[i].IsActive = false
	}
}

// add registers a token, often with an owner, and some certificates.
func (m *fleet) add(t *testing.T, f *fixture, i int) {
	t.Helper()
	d := hwkey.Device{
		Serial: fmt.Sprint("key-", i), Status: pick(m.random, hwkey.Statuses), OrganizationID: organizationOf(pick(m.random, m.organizations)),
		FirmwareVersion: pick(m.random, []string{"", "4.3.7", "5.4.3", "5.7.1", "5.7.2", "5.7.4"}), RegisteredAt: Now,
		SecretsChangedAt: ptr(m.near(question.ChangedBefore)),
	}
	// A token lies where its owner does, and none begins with a disabled one.
	if owner := pick(m.random, m.users); owner.IsActive && m.random.IntN(4) > 0 {
		d.OwnerID, d.OrganizationID = &owner.ID, owner.OrganizationID
	}
	signs := d.Status.Signs()
	d = must.Get(f.InsertDevice(t.Context(), d, entry(audit.HWKeyRegistered, "hwkey")))(t)
	m.devices = append(m.devices, d)
	for n := range m.random.IntN(3) {
		if !signs {
			return
		}
		c := f.record(fmt.Sprintf("%04x%02x", i, n), d.Serial, func(c *cert.Certificate) {
			c.OwnerID, c.OrganizationID, c.NotAfter = d.OwnerID, d.OrganizationID, m.near(pick(m.random, ends))
			c.OwnerUsername, c.OwnerEmail = d.OwnerUsername, d.OwnerEmail
			c.Attestation = pick(m.random, proofs)
		})
		c = f.certificate(t, c)
		if m.random.IntN(4) == 0 {
			revoked := entry(audit.CertificateRevoked, "certificate")
			c = must.Get(f.RevokeCertificate(t.Context(), c.SerialNumber, vault.Superseded, Now, revoked))(t)
		}
		m.certificates = append(m.certificates, c)
	}
}

func (m *fleet) check(t *testing.T, f *fixture) {
	t.Helper()
	all := must.Get(f.Compliance(t.Context(), question))(t)
	equal(t, "organizations", len(all), len(m.organizations))
	total := int64(0)
	for i, o := range m.organizations {
		want := m.count(o)
		equal(t, fmt.Sprint("organization ", i), all[i], want)
		total += want.Tokens
		if o == nil {
			continue
		}
		q := question
		q.OrganizationID = &o.ID
		alone := must.Get(f.Compliance(t.Context(), q))(t)
		equal(t, "alone", alone, []report.OrganizationReport{want})
	}
	equal(t, "tokens", total, int64(len(m.devices)))
	q := question
	q.ListTotal = 5
	few := must.Get(f.Compliance(t.Context(), q))(t)
	listed := 0
	for i, o := range few {
		listed += len(o.Old.Tokens) + len(o.Expiring.Certificates) + len(o.Expired.Certificates) + len(o.Tokenless.Users)
		equal(t, "numbers with few rows", []int64{o.Old.Count, o.Expiring.Count, o.Expired.Count, o.Tokenless.Count},
			[]int64{all[i].Old.Count, all[i].Expiring.Count, all[i].Expired.Count, all[i].Tokenless.Count})
	}
	equal(t, "rows in all", listed, 5)
}
