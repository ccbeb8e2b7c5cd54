package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/test/must"
)

var auditCases = map[string]func(*testing.T, *fixture){
	"every field comes back":          auditFields,
	"what was made comes back":        auditMade,
	"filters and scopes":              auditFilters,
	"all of a token, and of a person": auditAbout,
	"many hand-overs":                 auditOften,
	"names of today, in scope":        auditNames,
	"an empty list is an empty page":  auditEmptyPage,
	"entries together":                auditTogether,
}

func auditFields(t *testing.T, f *fixture) {
	full := audit.Entry{
		At: Now.Add(time.Hour), Action: "backup.completed", Outcome: audit.Failure, ActorID: &f.alex.ID, Actor: "alex",
		OrganizationID: &f.a.ID, TargetType: "backup", TargetID: "Key/1", Hostname: "desk", IPAddress: "192.0.2.1",
		RequestID: "r-1", Reason: "=1+1; naïve", Details: "[Scheduled] \"quoted\" 'and' naïve", FileName: "backup-full.enc", BackupType: "full",
		DurationMS: ptr(int64(1500)), SizeBytes: ptr(int64(1 << 40)),
	}
	must.OK(t, f.AppendAudit(t.Context(), full))
	must.OK(t, f.AppendAudit(t.Context(), audit.Entry{Action: audit.Login, Outcome: audit.Denied, Actor: audit.System}))
	p := must.Get(f.ListAudit(t.Context(), access.All(), audit.Filter{}, page.Request{Limit: 2}))(t)
	if len(p.Items) != 2 || p.Items[1].ID <= p.Items[0].ID || p.Items[0].ID <= f.seen {
		t.Fatalf("want two new entries with rising ids, got %v after %d", p.Items, f.seen)
	}
	full.ID = p.Items[0].ID
	equal(t, "entry", p.Items[0], full)
	equal(t, "time of an entry without one", p.Items[1].At, Now)
}

// auditMade: whatever was sent, an entry reads back as it was made.
func auditMade(t *testing.T, f *fixture) {
	const sent = "nul\x00, broken \xff\nand more"
	made := audit.By(access.Actor{Username: sent, Hostname: sent, IPAddress: "192.0.2.1", RequestID: sent, APIKeyID: 7},
		audit.PermissionDenied, "hwkey", sent, sent).Saying(sent).Because(sent).In(&f.a.ID).As(audit.Denied)
	made.At = Now
	must.OK(t, f.AppendAudit(t.Context(), made))
	got := must.Get(f.ListAudit(t.Context(), access.All(), audit.Filter{}, page.Request{Limit: 1}))(t).Items[0]
	made.ID = got.ID
	equal(t, "entry", got, made)
}

func auditFilters(t *testing.T, f *fixture) {
	at := func(i int) time.Time { return Now.Add(time.Duration(i) * time.Minute) }
	f.append(t,
		audit.Entry{At: at(1), Action: "hwkey.reset", Outcome: audit.Success, Actor: "Alex", ActorID: &f.alex.ID,
			OrganizationID: &f.a.ID, TargetID: "AbC-1"},
		audit.Entry{At: at(2), Action: "hwkey.registered", Outcome: audit.Failure, Actor: "manager",
			ActorID: &f.manager.ID, OrganizationID: &f.a.ID, TargetID: "abc-2"},
		audit.Entry{At: at(3), Action: "hwkeys.other", Outcome: audit.Denied, Actor: "bea", ActorID: &f.bea.ID,
			OrganizationID: &f.b.ID, TargetID: "abc-1"},
		audit.Entry{At: at(4), Action: "hwkey.reset", Outcome: audit.Denied, Actor: "bea", ActorID: &f.bea.ID, OrganizationID: &f.b.ID},
		audit.Entry{At: at(5), Action: "HWKEY.reset", Outcome: audit.Success, Actor: "alexa"},
		audit.Entry{At: at(6), Action: audit.Refresh, Outcome: audit.Success, Actor: "alexa"},
		audit.Entry{At: at(7), Action: "user.updated", Outcome: audit.Success, Actor: "manager", ActorID: &f.manager.ID,
			OrganizationID: &f.a.ID, TargetType: "user", TargetID: audit.ID(f.alex.ID)},
		audit.Entry{At: at(8), Action: "user.updated", Outcome: audit.Success, Actor: "alex", ActorID: &f.alex.ID,
			OrganizationID: &f.b.ID, TargetType: "user", TargetID: audit.ID(f.alex.ID)},
		audit.Entry{At: at(9), Action: "session.ended", Outcome: audit.Success, Actor: audit.System,
			TargetType: "session", TargetID: audit.ID(f.alex.ID)},
	)
	for _, c := range []struct {
		name   string
		scope  access.Scope
		filter audit.Filter
		want   string // minutes, newest first
	}{
		{"everything", access.All(), audit.Filter{}, "9 8 7 6 5 4 3 2 1"},
		{"no renewals", access.All(), audit.Filter{NoRenewals: true}, "9 8 7 5 4 3 2 1"},
		{"an actor's, without renewals", access.All(), audit.Filter{NoRenewals: true, Actor: "alexa"}, "5"},
		{"renewals", access.All(), audit.Filter{Action: "auth.refresh"}, "6"},
		{"nothing without a reach", access.Scope{}, audit.Filter{}, ""},
		{"an organization", inOrganization(f.a), audit.Filter{}, "7 2 1"},
		{"own: by actor", ofUser(f.bea), audit.Filter{}, "4 3"},
		{"own and action", ofUser(f.bea), audit.Filter{Action: "hwkey."}, "4"},
		{"action prefix", access.All(), audit.Filter{Action: "hwkey."}, "4 2 1"},
		{"whole action", access.All(), audit.Filter{Action: "hwkey.reset"}, "4 1"},
		{"shorter prefix", access.All(), audit.Filter{Action: "hwkey"}, "4 3 2 1"},
		{"several", access.All(), audit.Filter{Action: "hwkey.reset,hwkeys,auth.refresh"}, "6 4 3 1"},
		{"several that overlap", access.All(), audit.Filter{Action: "hwkey,hwkey.reset"}, "4 3 2 1"},
		{"unknown action", access.All(), audit.Filter{Action: "nothing."}, ""},
		{"a prefix is no pattern", access.All(), audit.Filter{Action: "%"}, ""},
		{"organization and action", inOrganization(f.b), audit.Filter{Action: "hwkey."}, "4"},
		{"actor ignores case, whole", access.All(), audit.Filter{Actor: "ALEX"}, "8 1"},
		{"actor and action", access.All(), audit.Filter{Actor: "bea", Action: "hwkeys"}, "3"},
		{"target ignores case", access.All(), audit.Filter{Target: "ABC-1"}, "3 1"},
		{"target in organization", inOrganization(f.a), audit.Filter{Target: "ABC-1"}, "1"},
		{"target and action", access.All(), audit.Filter{Target: "ABC-1", Action: "hwkey."}, "1"},
		{"outcome success", access.All(), audit.Filter{Outcome: audit.Success}, "9 8 7 6 5 1"},
		{"outcome failure", access.All(), audit.Filter{Outcome: audit.Failure}, "2"},
		{"outcome in organization", inOrganization(f.b), audit.Filter{Outcome: audit.Denied, Action: "hwkey."}, "4"},
		{"organization filter", access.All(), audit.Filter{OrganizationID: &f.b.ID}, "8 4 3"},
		{"another organization than one's own", inOrganization(f.a), audit.Filter{OrganizationID: &f.b.ID}, ""},
		{"own entries in an organization", ofUser(f.alex), audit.Filter{OrganizationID: &f.a.ID}, "1"},
		{"a person's, by them and on them", access.All(), audit.Filter{User: f.alex.ID}, "8 7 1"},
		{"a person's in an organization", inOrganization(f.a), audit.Filter{User: f.alex.ID}, "7 1"},
		{"a person's own", ofUser(f.alex), audit.Filter{User: f.alex.ID}, "8 1"},
		{"a person's, some actions", access.All(), audit.Filter{User: f.alex.ID, Action: "user.,auth."}, "8 7"},
		{"a person's on a target", access.All(), audit.Filter{User: f.alex.ID, Target: "abc-1"}, "1"},
		{"from counts, to does not", access.All(), audit.Filter{From: at(2), To: at(4)}, "3 2"},
	} {
		c.filter.From = later(c.filter.From, at(1))
		rows := walk(t, 2, func(p page.Request) (page.Page[audit.Entry], error) {
			return f.ListAudit(t.Context(), c.scope, c.filter, p)
		})
		minute := func(e audit.Entry) string { return fmt.Sprint(int(e.At.Sub(Now).Minutes())) }
		got := names(rows, minute)
		equal(t, c.name, strings.Join(got, " "), c.want)
		c.filter.OldestFirst = true
		rows = walk(t, 2, func(p page.Request) (page.Page[audit.Entry], error) {
			return f.ListAudit(t.Context(), c.scope, c.filter, p)
		})
		slices.Reverse(got)
		equal(t, c.name+", oldest first", names(rows, minute), got)
	}
}

// auditAbout: whoever asks for a token gets its certificates' entries, too, and whoever asks for a person gets what others
// did to their sessions and tokens, to a token while it was theirs.
func auditAbout(t *testing.T, f *fixture) {
	say := func(action audit.Action, by account.User, kind, id, details string) {
		t.Helper()
		e := audit.By(actorOf(by), action, kind, id, details)
		f.append(t, e)
	}
	hand := func(to *account.User, details string) {
		t.Helper()
		must.Get(f.ChangeDevice(t.Context(), access.All(), "10000", &to.ID, func(s hwkey.Present) (hwkey.Change, error) {
			s.Device.OwnerID, s.Device.OrganizationID, s.Device.Status = &to.ID, to.OrganizationID, hwkey.Assigned
			e := audit.By(actorOf(f.manager), audit.HWKeyAssigned, "hwkey", "10000", details)
			return hwkey.Change{Device: s.Device, Entries: []audit.Entry{e}}, nil
		}))(t)
	}
	f.device(t, "10000", func(d *hwkey.Device) { d.OwnerID, d.Status = nil, hwkey.InStock })
	f.device(t, "20000", func(d *hwkey.Device) { d.OwnerID, d.OrganizationID = &f.bea.ID, &f.b.ID })
	say("a.stock", f.manager, "hwkey", "10000", "")
	hand(&f.bea, "owner is now bea")
	say("a.beas", f.manager, "hwkey", "10000", "")
	hand(&f.alex, "owner is now alex; the token has to be reset")
	say("a.alexs", f.manager, "hwkey", "10000", "")
	say("a.own", f.alex, "hwkey", "10000", "")
	d := must.Get(f.Device(t.Context(), access.All(), "10000"))(t)
	c := f.certificate(t, f.record("0a", "10000", func(c *cert.Certificate) { c.Generation = d.Generation }))
	say("a.revoked", f.manager, "certificate", c.SerialNumber, "")
	session := "4711"
	say(audit.SessionCreated, f.alex, "session", session, "")
	say("a.ended", f.manager, "session", session, "")
	say("a.other", f.manager, "hwkey", session, "")
	hand(&f.bea, "owner is now bea")
	say("a.beas_again", f.manager, "hwkey", "10000", "")
	f.device(t, "30000", func(d *hwkey.Device) { d.OwnerID, d.Status = nil, hwkey.InStock })
	say(audit.HWKeyAssigned, f.manager, "hwkey", "30000", "owner is now carol")
	later := newAccount("carol", access.User, &f.a.ID)
	later.CreatedAt = afterwards
	carol := must.Get(f.InsertUser(t.Context(), later, entry(audit.UserCreated, "user")))(t)
	for _, c := range []struct {
		name   string
		filter audit.Filter
		want   string
	}{
		{"a token", audit.Filter{Target: "10000"},
			"a.beas_again hwkey.assigned a.revoked certificate.issued a.own a.alexs hwkey.assigned a.beas hwkey.assigned a.stock hwkey.registered"},
		{"some actions of a token", audit.Filter{Target: "10000", Action: "certificate.,a.beas"}, "a.beas_again certificate.issued a.beas"},
		{"a certificate", audit.Filter{Target: c.SerialNumber}, "a.revoked certificate.issued"},
		{"another token", audit.Filter{Target: "20000"}, "hwkey.registered"},
		{"a former owner", audit.Filter{User: f.alex.ID},
			"hwkey.assigned a.ended session.created a.revoked certificate.issued a.own a.alexs hwkey.assigned"},
		{"the owner", audit.Filter{User: f.bea.ID},
			"a.beas_again hwkey.assigned hwkey.assigned a.beas hwkey.assigned hwkey.registered"},
		{"a person and a token", audit.Filter{User: f.alex.ID, Target: "10000"},
			"hwkey.assigned a.revoked certificate.issued a.own a.alexs hwkey.assigned"},
		{"whose name was another's", audit.Filter{User: carol.ID}, "user.created"},
	} {
		rows := walk(t, 2, func(p page.Request) (page.Page[audit.Entry], error) {
			return f.ListAudit(t.Context(), access.All(), c.filter, p)
		})
		rows = slices.DeleteFunc(rows, func(e audit.Entry) bool { return e.ID <= f.seen })
		equal(t, c.name, strings.Join(names(rows, func(e audit.Entry) string { return string(e.Action) }), " "), c.want)
	}
}

// auditOften: more than a thousand hand-overs and a hundred actions fit in a statement.
func auditOften(t *testing.T, f *fixture) {
	f.device(t, "10000", func(d *hwkey.Device) { d.OwnerID, d.Status = nil, hwkey.InStock })
	var entries []audit.Entry
	for i := range 2200 {
		details := "owner is now alex"
		if i%2 > 0 {
			details = "owner removed"
		}
		entries = append(entries, audit.By(actorOf(f.manager), audit.HWKeyAssigned, "hwkey", "10000", details))
		if i >= 2100 {
			entries = append(entries, audit.By(actorOf(f.manager), audit.Action(fmt.Sprint("a.", i-2100)), "hwkey", "10000", ""))
		}
	}
	f.append(t, entries...)
	for filter, want := range map[audit.Filter]string{
		{User: f.alex.ID}:               "hwkey.assigned a.98 hwkey.assigned",
		{User: f.alex.ID, Action: "a."}: "a.98 a.96 a.94",
	} {
		p := must.Get(f.ListAudit(t.Context(), access.All(), filter, page.Request{Limit: 3}))(t)
		equal(t, "actions", strings.Join(names(p.Items, func(e audit.Entry) string { return string(e.Action) }), " "), want)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (f *fixture) append(t *testing.T, entries ...audit.Entry) {
	t.Helper()
	must.OK(t, f.AppendAudit(t.Context(), entries...))
}

func auditEmptyPage(t *testing.T, f *fixture) {
	p := must.Get(f.ListAudit(t.Context(), access.All(), audit.Filter{Action: "none"}, page.Request{Limit: 1}))(t)
	if p.Items == nil || p.NextCursor != nil {
		t.Errorf("an empty list must be an empty page, got %v", p)
	}
}

func auditTogether(t *testing.T, f *fixture) {
	must.OK(t, f.AppendAudit(t.Context()))
	f.append(t, entry("a.a", ""), entry("a.b", ""), entry("a.c", ""))
	equal(t, "entries", f.logged(t), []string{"a.a  ", "a.b  ", "a.c  "})
	f.seen = f.newest(t)
	many, want := make([]audit.Entry, 400), make([]string, 400)
	for i := range many {
		many[i], want[i] = entry(audit.Action(fmt.Sprintf("a.%03d", i)), ""), fmt.Sprintf("a.%03d  ", i)
	}
	f.append(t, many...)
	equal(t, "many entries", f.logged(t), want)
}

// auditNames: whoever reads an entry learns the names that they may see, and no others.
func auditNames(t *testing.T, f *fixture) {
	about := func(by *account.User, kind string, id int64) audit.Entry {
		return audit.Entry{ActorID: &by.ID, TargetType: kind, TargetID: audit.ID(id)}
	}
	list := []audit.Entry{
		about(&f.manager, "user", f.bea.ID), about(&f.bea, "organization", f.a.ID), about(&f.alex, "hwkey", f.alex.ID),
		{Actor: audit.System, TargetType: "organization", TargetID: "none"},
	}
	for _, c := range []struct {
		name  string
		scope access.Scope
		want  string
	}{
		{"everything", access.All(), "manager>bea bea>Acme alex> >"},
		{"an organization", inOrganization(f.a), "manager> >Acme alex> >"},
		{"own", ofUser(f.bea), ">bea bea> > >"},
	} {
		got := must.Get(f.NameAudit(t.Context(), c.scope, list))(t)
		said := names(list, func(e audit.Entry) string { return strings.ReplaceAll(got.Actor(e)+">"+got.Target(e), " Ähm", "") })
		equal(t, c.name, strings.Join(said, " "), c.want)
	}
}
