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
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/test/must"
)

var historyCases = map[string]func(*testing.T, *fixture){
	"of a token, as far as one may see": deviceHistory,
	"preferences":                       preferences,
	"told again after a while":          quietTold,
}

// deviceHistory: the owner does not see what came before the token was theirs, what is about
// another thing of that name, nor who else was refused.
func deviceHistory(t *testing.T, f *fixture) {
	f.device(t, "10000", func(d *hwkey.Device) { d.OwnerID, d.Status = &f.bea.ID, hwkey.Assigned; d.OrganizationID = &f.b.ID })
	write := func(action audit.Action, kind, id string, organization *int64) {
		t.Helper()
		e := entry(action, kind).In(organization)
		e.TargetID = id
		must.OK(t, f.AppendAudit(t.Context(), e))
	}
	write(audit.SecretsReleased, "hwkey", "10000", &f.b.ID)
	owner := &f.alex.ID
	d := must.Get(f.ChangeDevice(t.Context(), access.All(), "10000", owner, func(s hwkey.Present) (hwkey.Change, error) {
		s.Device.OwnerID, s.Device.OrganizationID = owner, &f.a.ID
		e := entry(audit.HWKeyAssigned, "hwkey").In(&f.a.ID)
		e.TargetID = "10000"
		return hwkey.Change{Device: s.Device, Entries: []audit.Entry{e}}, nil
	}))(t)
	write(audit.UserUpdated, "user", "10000", &f.a.ID)
	write(audit.HWKeyReset, "hwkey", "10000", &f.a.ID)
	for _, u := range []account.User{f.bea, f.alex} { // who ask for what is not theirs
		e := audit.By(actorOf(u), audit.PermissionDenied, "hwkey", "10000", "").As(audit.Denied)
		must.OK(t, f.AppendAudit(t.Context(), e))
	}
	c := f.certificate(t, f.record("0a", "10000", func(c *cert.Certificate) { c.Generation = d.Generation }))
	write(audit.CertificateRevoked, "certificate", c.SerialNumber, &f.a.ID)
	write(audit.HWKeyReset, "hwkey", "10001", &f.a.ID)

	history := func(scope access.Scope) string {
		t.Helper()
		got := walk(t, 2, func(p page.Request) (page.Page[audit.Entry], error) {
			return f.DeviceHistory(t.Context(), scope, "10000", p)
		})
		list := names(got, func(e audit.Entry) string {
			if e.Action == audit.PermissionDenied {
				return "denied:" + e.Actor
			}
			return string(e.Action)
		})
		list = slices.DeleteFunc(list, func(a string) bool { return a == string(audit.CertificateIssued) || a == string(audit.HWKeyRegistered) })
		return strings.Join(list, " ")
	}
	const since = "certificate.revoked denied:alex hwkey.reset hwkey.assigned"
	equal(t, "the owner", history(access.Scope{Reach: access.Own, UserID: f.alex.ID}), since)
	equal(t, "the manager", history(access.Scope{Reach: access.Organization, OrganizationID: f.a.ID}), since)
	const all = "certificate.revoked denied:alex denied:bea hwkey.reset hwkey.assigned hwkey.secrets_released"
	equal(t, "the admin", history(access.All()), all)
	for name, scope := range map[string]access.Scope{
		"the former owner": {Reach: access.Own, UserID: f.bea.ID},
		"their manager":    {Reach: access.Organization, OrganizationID: f.b.ID},
	} {
		refused(t, name, errOf(f.DeviceHistory(t.Context(), scope, "10000", page.Request{Limit: 9})), fault.NotFound)
	}
}

func preferences(t *testing.T, f *fixture) {
	got := must.Get(f.Preferences(t.Context(), f.alex.ID))(t)
	equal(t, "at first", fmt.Sprint(got), fmt.Sprint(notify.Preferences{Mail: map[notify.Kind]bool{}, Address: f.alex.Email}))
	f.mailOn(t)
	put := func(c notify.Choosing) { must.OK(t, f.PutPreferences(t.Context(), f.alex.ID, c)) }
	put(notify.Choosing{Mail: map[notify.Kind]bool{notify.CertificateExpires: false}})
	put(notify.Choosing{Language: ptr("de")})
	put(notify.Choosing{Mail: map[notify.Kind]bool{notify.Digest: true}})
	got = must.Get(f.Preferences(t.Context(), f.alex.ID))(t)
	equal(t, "chosen one after the other", fmt.Sprint(got), fmt.Sprint(notify.Preferences{
		Language: "de", Mail: map[notify.Kind]bool{notify.CertificateExpires: false, notify.Digest: true}, Address: f.alex.Email,
		Available: true,
	}))
	put(notify.Choosing{Language: ptr(""), Mail: map[notify.Kind]bool{notify.Digest: false}})
	got = must.Get(f.Preferences(t.Context(), f.alex.ID))(t)
	equal(t, "taken back", fmt.Sprint(got.Language, got.Mail),
		fmt.Sprint("", map[notify.Kind]bool{notify.CertificateExpires: false, notify.Digest: false}))
	refused(t, "nobody's", errOf(f.Preferences(t.Context(), 1<<40)), fault.NotFound)
	refused(t, "nobody's", f.PutPreferences(t.Context(), 1<<40, notify.Choosing{Language: ptr("de")}), fault.NotFound)
}

// released is a message to alex.
func (f *fixture) released(by, serial, fields string, at time.Time) notify.Message {
	return notify.Message{To: notify.Audience{UserID: f.alex.ID}, Kind: notify.SecretsReleased, At: at, Quiet: time.Hour,
		Params: notify.Params{"by": by, "serial": serial, "fields": fields}}
}

// quietTold: a repeated message is sent once in its quiet time, per token and per person; news is
// sent.
func quietTold(t *testing.T, f *fixture) {
	at := Now
	tell := func(by, serial, fields string, after time.Duration) {
		at = at.Add(after)
		f.tell(t, f.released(by, serial, fields, at))
	}
	tell("desk", "1", "pin", 0)
	tell("desk", "1", "pin", 59*time.Minute)
	tell("desk", "2", "pin", 0)
	tell("desk", "2", "pin,puk", 0)
	tell("desk", "2", "management_key", 0)
	tell("desk", "2", "pin,puk,management_key", 0)
	tell("chief", "1", "pin", 0)
	tell("desk", "1", "pin", 2*time.Minute)
	list := must.Get(f.ListNotices(t.Context(), f.alex.ID, notify.Filter{}, page.Request{Limit: 9}))(t).Items
	equal(t, "told", names(list, func(n notify.Notice) string {
		return n.Params["by"] + " " + n.Params["serial"] + " " + n.Params["fields"]
	}),
		[]string{"desk 1 pin", "chief 1 pin", "desk 2 management_key", "desk 2 pin,puk", "desk 2 pin", "desk 1 pin"})
	for _, n := range list {
		equal(t, "in words", strings.HasPrefix(n.Message, n.Params["by"]+" got the secrets of your token"), true)
	}
}
