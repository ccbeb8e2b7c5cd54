package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/events"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/test/must"
)

var eventCases = map[string]func(*testing.T, *fixture){
	"whose it is that changed": eventTargets,
	"the newest notices":       eventNotices,
	"the newest jobs":          eventJobs,
}

// eventTargets: an audit entry names what changed; whose it is says the database, now.
func eventTargets(t *testing.T, f *fixture) {
	f.device(t, "ABCD1")
	f.device(t, "10002", func(d *hwkey.Device) { d.OwnerID, d.OrganizationID, d.Status = nil, &f.b.ID, hwkey.InStock })
	f.certificate(t, f.record("0a0b", "ABCD1"))
	s := f.signIn(t, f.bea)
	id := func(n int64) string { return fmt.Sprint(n) }
	found := must.Get(f.Changed(t.Context(), []events.Target{
		{Type: "hwkey", ID: "abcd1"}, {Type: "hwkey", ID: "10002"}, {Type: "hwkey", ID: "nothing"}, {Type: "certificate", ID: "0a0b"},
		{Type: "user", ID: id(f.admin.ID)}, {Type: "user", ID: "x"}, {Type: "session", ID: id(s.ID)}, {Type: "organization", ID: id(f.a.ID)},
	}))(t)
	of := func(p *int64) string {
		if p == nil {
			return "none"
		}
		return fmt.Sprint(*p)
	}
	got := names(found, func(c events.Change) string {
		return fmt.Sprintf("%s %s of %s in %s", c.Kind, c.ID, of(c.UserID), of(c.OrganizationID))
	})
	want := []string{
		fmt.Sprintf("tokens ABCD1 of %d in %d", f.alex.ID, f.a.ID), fmt.Sprintf("tokens 10002 of none in %d", f.b.ID),
		fmt.Sprintf("certificates 0a0b of %d in %d", f.alex.ID, f.a.ID), fmt.Sprintf("accounts %[1]d of %[1]d in none", f.admin.ID),
		fmt.Sprintf("accounts %[1]d of %[1]d in %d", f.bea.ID, f.b.ID),
	}
	slices.Sort(got)
	slices.Sort(want)
	equal(t, "changed", got, want)
	equal(t, "of nothing", len(must.Get(f.Changed(t.Context(), nil))(t)), 0)
}

func eventNotices(t *testing.T, f *fixture) {
	f.told(t, 3)
	list := must.Get(f.ListNotices(t.Context(), f.alex.ID, notify.Filter{}, page.Request{Limit: 9}))(t).Items
	must.Get(f.ReadNotice(t.Context(), f.alex.ID, list[1].ID, Now))(t)
	equal(t, "notices", must.Get(f.NewestNotices(t.Context(), 2))(t), []events.Notice{
		{ID: list[0].ID, UserID: f.alex.ID}, {ID: list[1].ID, UserID: f.alex.ID, Read: true},
	})
}

// eventJobs: whatever moves a job on changes its progress.
func eventJobs(t *testing.T, f *fixture) {
	job := f.startJob(t)
	seen := []string{}
	look := func() {
		t.Helper()
		list := must.Get(f.NewestJobs(t.Context(), 1))(t)
		equal(t, "jobs", len(list), 1)
		equal(t, "job", list[0].ID, job.ID)
		if slices.Contains(seen, list[0].Progress) {
			t.Errorf("%q again", list[0].Progress)
		}
		seen = append(seen, list[0].Progress)
	}
	look()
	must.OK(t, f.BeginJob(t.Context(), job.ID, job.Runner, Now))
	look()
	for done := range 2 {
		reached := backup.Reached{Phase: "dump", Percent: 10, Done: int64(done)}
		must.Get(f.BeatJob(t.Context(), job.ID, job.Runner, reached, Now.Add(time.Second)))(t)
		look()
	}
}
