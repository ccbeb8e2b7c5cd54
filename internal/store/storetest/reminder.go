package storetest

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata" // the zones, wherever the tests run

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/ca"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/reminder"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var reminderCases = map[string]func(*testing.T, *fixture){
	"owners, as their certificates end":                remindOwners,
	"managers, each morning":                           remindManagers,
	"the digest, but for who turned it off, on Monday": remindDigest,
	"mornings while the clock goes forward":            remindAcross(time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC)),
	"mornings while it goes back":                      remindAcross(time.Date(2026, 10, 25, 1, 0, 0, 0, time.UTC)),
	"trouble, once":                                    remindTrouble,
}

const remindDay = 24 * time.Hour

// reminders is the service with the case's own clock.
func (f *fixture) reminders(now *time.Time) *reminder.Service {
	return &reminder.Service{
		Store: f, Now: func() time.Time { return *now }, Zone: time.UTC,
		Backups:    func(context.Context) (backup.Health, error) { return backup.Health{}, nil },
		Seal:       func(context.Context) (chain.Status, error) { return chain.Status{}, nil },
		CADue:      func(context.Context) (ca.Due, error) { return ca.Due{}, nil },
		RolledBack: func() (vault, database *rollback.Finding) { return nil, nil },
	}
}

// atOnce runs a task on three servers.
func atOnce(t *testing.T, do func(context.Context) error) {
	t.Helper()
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if err := do(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// said are a person's messages of kinds with a prefix, oldest first: the kind and what it names.
func (f *fixture) said(t *testing.T, who account.User, names ...string) []string {
	t.Helper()
	var out []string
	for _, n := range must.Get(f.ListNotices(t.Context(), who.ID, notify.Filter{}, page.Request{Limit: page.MaxLimit}))(t).Items {
		line := string(n.Kind)
		for _, name := range names {
			line += " " + n.Params[name]
		}
		if n.Message == "" {
			t.Errorf("%s has no words: %v", n.Kind, n.Params)
		}
		out = append(out, line)
	}
	slices.Reverse(out)
	return out
}

// lasting is a certificate that ends in so many days from Now, after a lifetime of so many.
func (f *fixture) lasting(t *testing.T, serial, token string, days, life int) cert.Certificate {
	t.Helper()
	return f.certificate(t, f.record(serial, token, func(c *cert.Certificate) {
		c.NotAfter = Now.Add(time.Duration(days) * remindDay)
		c.NotBefore = c.NotAfter.Add(-time.Duration(life) * remindDay)
	}))
}

// remindOwners: each milestone once, however many servers look; of several that were missed the
// last; nothing for what is renewed, revoked, lost, long gone, or just issued.
func remindOwners(t *testing.T, f *fixture) {
	now := Now
	s := f.reminders(&now)
	for _, token := range []string{"10000", "10001", "10002", "10003", "10004", "10005"} {
		f.device(t, token)
	}
	f.lasting(t, "0a", "10000", 40, 365)
	f.lasting(t, "0b", "10001", 40, 365)
	f.lasting(t, "0c", "10001", 400, 365) // renewed
	f.lasting(t, "0d", "10002", -8, 365)  // ended long ago
	f.lasting(t, "0e", "10003", 10, 11)   // was made just now
	revoked := f.lasting(t, "0f", "10004", 20, 365)
	must.Get(f.RevokeCertificate(t.Context(), revoked.SerialNumber, vault.Superseded, Now, entry(audit.CertificateRevoked, "certificate")))(t)
	f.lasting(t, "1a", "10005", 20, 365)
	lost := entry(audit.HWKeyStatusChanged, "hwkey")
	must.Get(f.ChangeDevice(t.Context(), access.All(), "10005", nil, func(st hwkey.Present) (hwkey.Change, error) {
		st.Device.Status = hwkey.Lost
		return hwkey.Change{Device: st.Device, Entries: []audit.Entry{lost}}, nil
	}))(t)

	for range 13 { // the last one is three days later
		atOnce(t, s.Owners)
		now = now.Add(6 * time.Hour)
	}
	equal(t, "in three days", f.said(t, f.alex, "serial", "days"), []string{"certificate_ending 10003 7"})
	now = Now.Add(8 * remindDay) // nobody looked
	for ; now.Before(Now.Add(45 * remindDay)); now = now.Add(12 * time.Hour) {
		if now.After(Now.Add(15*remindDay)) && now.Before(Now.Add(30*remindDay)) {
			continue
		}
		atOnce(t, s.Owners)
	}
	equal(t, "until the end", f.said(t, f.alex, "serial", "days"), []string{
		"certificate_ending 10003 7", "certificate_ending 10003 2", "certificate_ending 10003 1", "certificate_ended 10003 ",
		"certificate_ending 10000 30", "certificate_ending 10000 10", "certificate_ending 10000 7", "certificate_ending 10000 3",
		"certificate_ending 10000 1", "certificate_ended 10000 ",
	})
	equal(t, "a stranger", len(f.said(t, f.bea)), 0)
}

// remindManagers: one message per day and organization, on what reached a milestone since.
func remindManagers(t *testing.T, f *fixture) {
	now := time.Date(2026, 3, 4, 6, 0, 0, 0, time.UTC) // of the first morning that is seen
	s := f.reminders(&now)
	end := func(serial, token string, days int) {
		f.device(t, token)
		f.certificate(t, f.record(serial, token, func(c *cert.Certificate) {
			c.NotAfter = now.Add(time.Duration(days)*remindDay + time.Hour)
			c.NotBefore = c.NotAfter.Add(-365 * remindDay)
		}))
	}
	end("0a", "10000", 31)
	end("0b", "10001", 31)
	end("0c", "10002", 15)
	end("0d", "10003", 50)
	for range 5 * 24 {
		atOnce(t, s.Managers)
		now = now.Add(time.Hour)
	}
	equal(t, "told", f.said(t, f.manager, "organization", "n30", "n14", "tokens"), []string{
		"certificates_ending Acme 2 1 10002\n10000\n10001"})
	now = now.Add(60 * remindDay) // nobody looked
	atOnce(t, s.Managers)
	equal(t, "told of what ended meanwhile", f.said(t, f.manager, "n0")[1:], []string(nil))
	equal(t, "an admin, who is not asked where there are managers", len(f.said(t, f.admin)), 0)
}

// remindDigest: each Monday, if it is on, and only if there is something to do.
func remindDigest(t *testing.T, f *fixture) {
	f.mailOn(t)
	now := time.Date(2026, 3, 4, 6, 0, 0, 0, time.UTC) // a Wednesday
	s := f.reminders(&now)
	s.Backups = func(context.Context) (backup.Health, error) { return backup.Health{Overdue: now}, nil }
	f.device(t, "10000")
	f.device(t, "10001", func(d *hwkey.Device) { d.OrganizationID, d.OwnerID = &f.b.ID, &f.bea.ID })
	f.certificate(t, f.record("0a", "10000", func(c *cert.Certificate) { // it ends soon, however short its life is
		c.NotBefore, c.NotAfter = now, now.Add(20*remindDay)
	}))
	quiet := must.Get(f.InsertUser(t.Context(), newAccount("quiet", access.OrgManager, &f.b.ID), entry("x.y", "user")))(t)
	must.OK(t, f.PutPreferences(t.Context(), quiet.ID, notify.Choosing{Mail: map[notify.Kind]bool{notify.Digest: false}}))
	for range 14 * 8 {
		atOnce(t, s.Digest)
		now = now.Add(3 * time.Hour)
	}
	var got []string
	for _, m := range f.outbox(t) {
		got = append(got, strings.Join([]string{m.Address, m.Params["organization"], m.Params["ending"], m.Params["unset"],
			m.Params["backup"]}, " "))
	}
	slices.Sort(got)
	equal(t, "sent", got, []string{
		"admin@example.org  1 2 overdue", "admin@example.org  1 2 overdue", "manager@example.org Acme 1 1 ", "manager@example.org Acme 1 1 "})
	equal(t, "on the page", len(f.said(t, f.manager)), 0)
}

// remindAcross: each morning at seven by the zone's clock, from three days before the change of the
// clock until three days after, and the digest on the Monday.
func remindAcross(turned time.Time) func(*testing.T, *fixture) {
	return func(t *testing.T, f *fixture) {
		f.mailOn(t)
		berlin := must.Get(time.LoadLocation("Europe/Berlin"))(t)
		now := turned.Add(-3 * remindDay)
		s := f.reminders(&now)
		s.Zone = berlin
		for day := range 6 { // one comes to a milestone each day
			token := strconv.Itoa(10000 + day)
			f.device(t, token)
			f.certificate(t, f.record("0"+token, token, func(c *cert.Certificate) {
				c.NotAfter = now.Add(time.Duration(30+day)*remindDay + time.Hour)
				c.NotBefore = c.NotAfter.Add(-365 * remindDay)
			}))
		}
		for range 6 * 24 {
			atOnce(t, s.Managers)
			atOnce(t, s.Digest)
			now = now.Add(time.Hour)
		}
		var told []string
		for _, m := range f.outbox(t) {
			if m.Address == f.manager.Email {
				told = append(told, string(m.Kind)+m.CreatedAt.In(berlin).Format(" Mon 15:04"))
			}
		}
		slices.Sort(told)
		equal(t, "told", told, []string{
			"certificates_ending Fri 07:00", "certificates_ending Mon 07:00", "certificates_ending Sat 07:00", "certificates_ending Sun 07:00",
			"certificates_ending Thu 07:00", "certificates_ending Tue 07:00", "digest Mon 07:00",
		})
	}
}

// remindTrouble: each trouble once, and again when it changes.
func remindTrouble(t *testing.T, f *fixture) {
	now := Now
	s := f.reminders(&now)
	var standing backup.Health
	var seal chain.Status
	var older *rollback.Finding
	s.Backups = func(context.Context) (backup.Health, error) { return standing, nil }
	s.Seal = func(context.Context) (chain.Status, error) { return seal, nil }
	s.RolledBack = func() (vault, database *rollback.Finding) { return older, nil }
	atOnce(t, s.Trouble)
	for _, reason := range []string{"batch 3 is gone", "batch 4 is gone"} {
		standing.Overdue, standing.DrillOverdue = now.Add(-4*time.Hour), Now
		seal.Failure, older = &chain.Broken{Reason: reason}, &rollback.Finding{ID: reason}
		for range 3 {
			atOnce(t, s.Trouble)
		}
		now = now.Add(remindDay)
	}
	failed := now
	standing = backup.Health{Overdue: now.Add(-time.Hour), Failed: &backup.Job{FinishedAt: &failed}} // told when it failed
	seal.Failure, older = nil, nil
	atOnce(t, s.Trouble)
	older = &rollback.Finding{ID: "another"}
	atOnce(t, s.Trouble)
	got := f.said(t, f.admin, "what", "reason", "older")
	slices.Sort(got)
	equal(t, "told", got, []string{
		"audit_seal_broken  batch 3 is gone ", "audit_seal_broken  batch 4 is gone ",
		"backup_overdue backup  ", "backup_overdue backup  ", "backup_overdue drill  ",
		"stores_disagree   vault", "stores_disagree   vault", "stores_disagree   vault",
	})
	equal(t, "a manager", len(f.said(t, f.manager)), 0)
}
