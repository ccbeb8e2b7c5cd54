package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/report"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var reportCases = map[string]func(*testing.T, *fixture){
	"an empty installation":        reportEmpty,
	"no such organization":         reportAbsent,
	"every number":                 reportWhole,
	"a release of an organization": reportGone,
	"equally frequent":             reportOrder,
}

// monday is when the week of Now begins.
var monday = time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)

// question has limits that some rows lie exactly on.
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

// reportOrder: equally frequent values are in byte order, capitals first.
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

// reportGone: a release is a fact of its day, even if the organization is deleted.
func reportGone(t *testing.T, f *fixture) {
	must.OK(t, f.AppendAudit(t.Context(), audit.Entry{
		At: Now.Add(-time.Hour), Action: audit.SecretsReleased, Outcome: audit.Success, OrganizationID: ptr(int64(99999)), Reason: "r"}))
	got := must.Get(f.Compliance(t.Context(), question))(t)
	equal(t, "of none", got[2].Releases.Total, 1)
}

// reportWhole compares a fleet counted by hand, with rows on both sides of each limit.
func reportWhole(t *testing.T, f *fixture) {
	const day = 24 * time.Hour
	token := func(serial string, status hwkey.Status, owner *account.User, firmware string, age time.Duration) {
		f.device(t, serial, func(d *hwkey.Device) {
			d.Status, d.OwnerID, d.FirmwareVersion, d.SecretsChangedAt = status, nil, firmware, ptr(Now.Add(-age))
			if owner != nil {
				d.OwnerID, d.OrganizationID = &owner.ID, owner.OrganizationID
			}
		})
	}
	token("k-1", hwkey.Active, &f.alex, "5.4.3", 10*day)
	token("k-2", hwkey.Active, &f.alex, "5.4.3", 10*day+time.Microsecond)
	token("k-3", hwkey.InStock, nil, "5.7.1", 30*day)
	token("k-4", hwkey.Suspended, nil, "", day)
	token("k-5", hwkey.Retired, nil, "5.7.1", 40*day)
	token("k-6", hwkey.Lost, &f.manager, "5.7.1", 20*day)
	token("b-1", hwkey.Assigned, &f.bea, "5.7.1", day)
	gone := f.disabled(t, "gone")
	end := func(serial, token, slot string, at time.Time, proof *cert.Attestation, owner account.User) {
		f.certificate(t, f.record(serial, token, func(c *cert.Certificate) {
			c.Slot, c.NotAfter, c.Attestation = slot, at, proof
			c.OwnerID, c.OrganizationID = &owner.ID, owner.OrganizationID
		}))
	}
	proof := func(firmware, form, touch string) *cert.Attestation {
		return &cert.Attestation{FirmwareVersion: firmware, FormFactor: form, PINPolicy: "once", TouchPolicy: touch, Root: "R"}
	}
	end("a1", "k-1", "9a", question.EndsUntil, proof("5.4.3", "Nano (USB-A)", "never"), f.alex)
	end("a2", "k-1", "9c", question.EndsUntil.Add(time.Microsecond), proof("5.4.3", "Nano (USB-C)", "never"), f.alex) // told as one with a1
	end("a3", "k-2", "9a", Now, nil, f.alex)
	end("a4", "k-2", "9c", Now.Add(-time.Hour), nil, f.alex) // and another came after it
	end("a5", "k-2", "9c", Now.Add(60*day), nil, f.alex)
	end("a6", "k-2", "9d", Now.Add(day), proof("5.7.1", "Nano (USB-A)", "cached"), f.alex)
	end("a7", "k-2", "9e", Now.Add(day), proof("5.7.1", "Nano (USB-A)", "cached"), f.alex)
	end("b1", "b-1", "9a", monday.Add(report.Weeks*report.Week-time.Microsecond), nil, f.bea)
	end("b2", "b-1", "9c", monday.Add(report.Weeks*report.Week), nil, f.bea)
	must.Get(f.RevokeCertificate(t.Context(), "a7", vault.Superseded, Now, entry(audit.CertificateRevoked, "certificate")))(t)
	for _, e := range []audit.Entry{
		{At: question.From, Action: audit.SecretsReleased, Outcome: audit.Success, Reason: "lost"},
		{At: Now.Add(-day), Action: "hwkey.rotation_started", Outcome: audit.Success, Reason: "help"},
		{At: Now.Add(-time.Microsecond), Action: audit.SecretsReleased, Outcome: audit.Success, Reason: "lost"},
		{At: question.From.Add(-time.Microsecond), Action: audit.SecretsReleased, Outcome: audit.Success, Reason: "before"},
		{At: question.To, Action: audit.SecretsReleased, Outcome: audit.Success, Reason: "after"},
		{At: Now.Add(-day), Action: audit.SecretsReleased, Outcome: audit.Denied, Reason: "denied"},
		{At: Now.Add(-day), Action: audit.HWKeyReset, Outcome: audit.Success, Reason: "a reset"},
	} {
		e.OrganizationID = &f.a.ID
		must.OK(t, f.AppendAudit(t.Context(), e))
	}
	weeks := func(counts map[int]int64) (list []report.WeekCount) {
		for n := range report.Weeks {
			list = append(list, report.WeekCount{Start: monday.AddDate(0, 0, 7*n).Format(time.DateOnly), Count: counts[n]})
		}
		return list
	}
	ends := func(serial, token string, at time.Time) report.ExpiringCertificate {
		return report.ExpiringCertificate{SerialNumber: serial, HWKeySerial: token, CommonName: "alex", NotAfter: at}
	}
	person := func(u account.User) report.TokenlessUser {
		return report.TokenlessUser{ID: u.ID, Username: u.Username, Name: u.Name, Email: u.Email}
	}
	want := report.OrganizationReport{
		ID: &f.a.ID, Name: "Acme", Tokens: 6, ByStatus: report.ByStatus{InStock: 1, Active: 2, Suspended: 1, Lost: 1, Retired: 1},
		Firmware: []report.FirmwareCount{{Version: "5.7.1", Count: 3}, {Version: "5.4.3", Count: 2}, {Version: "", Count: 1}},
		Old: report.OldSecrets{Count: 3, Tokens: []report.OldToken{
			{Serial: "k-3", ChangedAt: Now.Add(-30 * day)},
			{Serial: "k-6", ChangedAt: Now.Add(-20 * day), Owner: ptr("manager"), OwnerName: f.manager.Name},
			{Serial: "k-2", ChangedAt: Now.Add(-10*day - time.Microsecond), Owner: ptr("alex"), OwnerName: f.alex.Name},
		}},
		Expiring: report.Expiring{Count: 2, Certificates: []report.ExpiringCertificate{
			ends("a6", "k-2", Now.Add(day)), ends("a1", "k-1", question.EndsUntil)}},
		Expired: report.Expired{Count: 1, Certificates: []report.ExpiringCertificate{ends("a3", "k-2", Now)}},
		Weeks:   weeks(map[int]int64{0: 1, 1: 2, 8: 1}),
		Proofs: report.Proofs{Attested: 3, NotAttested: 1, Keys: []report.ProofCount{
			{Firmware: "5.4.3", PINPolicy: "once", TouchPolicy: "never", Count: 2},
			{Firmware: "5.7.1", PINPolicy: "once", TouchPolicy: "cached", Count: 1},
		}},
		Tokenless: report.Tokenless{Count: 1, Users: []report.TokenlessUser{person(f.manager)}},
		Releases:  report.Releases{Total: 3, ByReason: []report.ReasonCount{{Reason: "lost", Count: 2}, {Reason: "help", Count: 1}}},
	}
	all := must.Get(f.Compliance(t.Context(), question))(t)
	equal(t, "an organization", all[0], want)
	equal(t, "the weeks of another", all[1].Weeks, weeks(map[int]int64{report.Weeks - 1: 1}))
	equal(t, "people of none, of "+gone.Username+" nothing", all[2].Tokenless.Users, []report.TokenlessUser{person(f.admin)})
	q := question
	q.OrganizationID = &f.a.ID
	equal(t, "alone", must.Get(f.Compliance(t.Context(), q))(t), []report.OrganizationReport{want})
	q.ListLimit, q.ListTotal = 2, 3
	few := must.Get(f.Compliance(t.Context(), q))(t)[0]
	equal(t, "numbers with few rows", []int64{few.Old.Count, few.Expiring.Count, few.Expired.Count, few.Tokenless.Count}, []int64{3, 2, 1, 1})
	equal(t, "rows in all", len(few.Old.Tokens)+len(few.Expiring.Certificates)+len(few.Expired.Certificates)+len(few.Tokenless.Users), 3)
	equal(t, "of one list", []int{len(few.Old.Tokens), len(few.Firmware)}, []int{2, 2})
}
