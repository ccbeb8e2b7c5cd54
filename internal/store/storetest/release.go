package storetest

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/test/must"
)

var releaseCases = map[string]func(*testing.T, *fixture){
	"places are counted by token":            releasePlaces,
	"a place gets free after the window":     releaseFrees,
	"a lower limit":                          releaseLowered,
	"a refusal is written and told once":     releaseTold,
	"never more than the limit, all at once": releaseAtOnce,
	"a release is recorded":                  releaseRecorded,
	"releases at once are told once":         releasesTold,
	"what a verification reads of releases":  releaseRead,
}

// releaseRecorded: an entry is returned as it reads back, alone or with a change of the row.
func releaseRecorded(t *testing.T, f *fixture) {
	d := f.devices(t, 1)[0]
	made := audit.By(access.Actor{UserID: f.alex.ID, Username: "alex"}, audit.SecretsReleased, "hwkey", d.Serial, "fields pin").In(&f.b.ID)
	alone := must.Get(f.RecordRelease(t.Context(), d.Serial, made, nil))(t)
	equal(t, "time", alone.At, Now)
	equal(t, "organization", *alone.OrganizationID, f.b.ID)
	later := must.Get(f.RecordRelease(t.Context(), strings.ToUpper(d.Serial), made, func(d *hwkey.Device) {
		d.SecretsVersion, d.SecretsReleased = 7, true
	}))(t)
	equal(t, "organization, of the token", later.OrganizationID, d.OrganizationID)
	rows := must.Get(f.AuditRowsOf(t.Context(), later.ID, alone.ID, later.ID+1))(t)
	if len(rows) != 2 || rows[0].Fault+rows[1].Fault != "" {
		t.Fatalf("read back: %+v", rows)
	}
	equal(t, "the first", rows[0].Entry, alone)
	equal(t, "the second", rows[1].Entry, later)
	after := must.Get(f.Device(t.Context(), access.All(), d.Serial))(t)
	d.SecretsVersion, d.SecretsReleased = 7, true
	equal(t, "the row", after, d)
	_, err := f.RecordRelease(t.Context(), "nothing-1", made, func(*hwkey.Device) {})
	refused(t, "no token", err, fault.NotFound)
	if rows := must.Get(f.AuditRowsOf(t.Context()))(t); len(rows) != 0 {
		t.Errorf("of no id: %+v", rows)
	}
}

// releasesTold: of several concurrent releases the owner is notified once.
func releasesTold(t *testing.T, f *fixture) {
	d := f.devices(t, 1)[0]
	made := audit.By(actorOf(f.manager), audit.SecretsReleased, "hwkey", d.Serial, "fields pin").
		Notifying(f.released("manager", d.Serial, "pin", Now))
	release := func(int) error { return errOf(f.RecordRelease(t.Context(), d.Serial, made, nil)) }
	equal(t, "releases", race(release), map[fault.Code]int{"": racers})
	equal(t, "told", len(f.noticesOf(t, f.alex.ID)), 1)
}

func releaseRead(t *testing.T, f *fixture) {
	before := must.Get(f.NewestAudit(t.Context()))(t)
	f.append(t, entry(audit.SecretsReleased, "hwkey"), entry(audit.SecretsObserved, "hwkey"), entry(audit.RotationStarted, "hwkey"),
		entry(audit.SecretsReleased, "hwkey").As(audit.Denied), entry(audit.SecretsReleased, "hwkey"))
	all := must.Get(f.ReleasesAfter(t.Context(), before, 10))(t)
	equal(t, "releases", len(all), 3)
	equal(t, "after the first", must.Get(f.ReleasesAfter(t.Context(), all[0], 1))(t), all[1:2])
	for _, session := range []string{"4711", "47110"} {
		f.append(t, audit.Entry{Action: audit.SessionAgentRegistered, Outcome: audit.Success, TargetType: "session", TargetID: session,
			Details: "agent key of " + session})
	}
	f.append(t, audit.Entry{Action: audit.SessionCreated, Outcome: audit.Success, TargetType: "session", TargetID: "4711"})
	equal(t, "keys", must.Get(f.RegisteredKeys(t.Context(), 4711))(t), []string{"of 4711"})
}

// place requests a place for a device within a limit of three.
func (f *fixture) place(t *testing.T, who account.User, d hwkey.Device, at time.Time) error {
	t.Helper()
	return f.ReserveRelease(t.Context(), hwkey.Reservation{
		ActorID: who.ID, DeviceID: d.ID, At: at, Limit: 3,
		Denied: audit.By(access.Actor{UserID: who.ID, Username: who.Username}, audit.SecretsReleased, "hwkey", d.Serial, "").As(audit.Denied),
		Notice: notify.Message{To: notify.Audience{OrganizationID: who.OrganizationID}, Kind: notify.ReleaseLimit, Message: "m", At: at},
	})
}

func (f *fixture) devices(t *testing.T, n int) []hwkey.Device {
	t.Helper()
	out := make([]hwkey.Device, n)
	for i := range out {
		out[i] = f.device(t, fmt.Sprint("key-", i))
	}
	return out
}

func (f *fixture) full(t *testing.T, what string, err error, wait time.Duration) {
	t.Helper()
	refused(t, what, err, fault.RateLimited)
	if e, ok := fault.As(err); ok {
		equal(t, what+": wait", e.RetryAfter, wait)
	}
}

func releasePlaces(t *testing.T, f *fixture) {
	d := f.devices(t, 5)
	for i := range 3 {
		must.OK(t, f.place(t, f.manager, d[i], Now.Add(time.Duration(i)*time.Minute)))
	}
	f.full(t, "the fourth", f.place(t, f.manager, d[3], Now.Add(10*time.Minute)), 50*time.Minute)
	for i := range 3 {
		must.OK(t, f.place(t, f.manager, d[i], Now.Add(20*time.Minute))) // they have their place
	}
	f.full(t, "after they were renewed", f.place(t, f.manager, d[3], Now.Add(30*time.Minute)), 50*time.Minute)
	must.OK(t, f.place(t, f.admin, d[3], Now.Add(10*time.Minute))) // each person has their own limit
}

func releaseFrees(t *testing.T, f *fixture) {
	d := f.devices(t, 6)
	for i := range 3 {
		must.OK(t, f.place(t, f.manager, d[i], Now.Add(time.Duration(i)*time.Minute)))
	}
	hour := Now.Add(hwkey.ReleaseWindow)
	f.full(t, "a microsecond early", f.place(t, f.manager, d[3], hour.Add(-time.Microsecond)), time.Microsecond)
	must.OK(t, f.place(t, f.manager, d[3], hour))
	f.full(t, "the next", f.place(t, f.manager, d[4], hour), time.Minute)
	f.full(t, "one that lost its place", f.place(t, f.manager, d[0], hour), time.Minute)
	must.OK(t, f.place(t, f.manager, d[4], hour.Add(2*time.Minute)))
	must.OK(t, f.place(t, f.manager, d[5], hour.Add(2*time.Minute)))
}

func releaseLowered(t *testing.T, f *fixture) {
	d := f.devices(t, 3)
	for i := range 3 {
		must.OK(t, f.place(t, f.manager, d[i], Now.Add(time.Duration(i)*time.Minute)))
	}
	another := f.device(t, "another")
	r := hwkey.Reservation{ActorID: f.manager.ID, DeviceID: another.ID, At: Now.Add(10 * time.Minute), Limit: 1,
		Denied: entry(audit.SecretsReleased, "hwkey")}
	f.full(t, "all three must go", f.ReserveRelease(t.Context(), r), 52*time.Minute)
}

// notices lists who was notified, newest first.
func (f *fixture) notices(t *testing.T) string {
	t.Helper()
	var told []string
	for _, u := range []account.User{f.admin, f.manager, f.alex, f.bea} {
		list := must.Get(f.ListNotices(t.Context(), u.ID, notify.Filter{}, page.Request{Limit: 50}))(t)
		for _, n := range list.Items {
			told = append(told, u.Username+":"+string(n.Kind))
		}
	}
	return strings.Join(told, " ")
}

func releaseTold(t *testing.T, f *fixture) {
	d := f.devices(t, 5)
	for i := range 3 {
		must.OK(t, f.place(t, f.alex, d[i], Now))
	}
	equal(t, "told before", f.notices(t), "")
	f.seen = f.newest(t)
	for i := range 3 {
		f.full(t, "refused", f.place(t, f.alex, d[3+i%2], Now.Add(time.Minute)), 59*time.Minute)
	}
	equal(t, "entries", f.logged(t), []string{"hwkey.secrets_released hwkey key-3", "hwkey.secrets_released hwkey key-4",
		"hwkey.secrets_released hwkey key-3"})
	equal(t, "told", f.notices(t), "admin:release_limit manager:release_limit")
	f.full(t, "later", f.place(t, f.alex, d[3], Now.Add(59*time.Minute)), time.Minute)
	equal(t, "told once an hour", f.notices(t), "admin:release_limit manager:release_limit")
	for i := range 3 {
		must.OK(t, f.place(t, f.alex, d[i], Now.Add(time.Hour)))
	}
	f.full(t, "an hour later", f.place(t, f.alex, d[3], Now.Add(time.Hour+time.Minute)), 59*time.Minute)
	equal(t, "told again", f.notices(t), "admin:release_limit admin:release_limit manager:release_limit manager:release_limit")
}

func releaseAtOnce(t *testing.T, f *fixture) {
	d := f.devices(t, 12)
	var got atomic.Int32
	var group sync.WaitGroup
	for _, device := range d {
		for range 2 { // each asked for twice
			group.Go(func() {
				err := f.place(t, f.manager, device, Now)
				if err == nil {
					got.Add(1)
				} else if !fault.Is(err, fault.RateLimited) {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	free := 0
	for _, device := range d {
		if f.place(t, f.manager, device, Now) == nil {
			free++
		}
	}
	equal(t, "tokens with a place", free, 3)
	if n := got.Load(); n < 3 || n > 6 {
		t.Errorf("%d calls got a place of three tokens that were asked for twice", n)
	}
	equal(t, "told once", f.notices(t), "admin:release_limit manager:release_limit")
}
