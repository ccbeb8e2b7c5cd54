package storetest

import (
	"cmp"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/test/must"
)

var tellCases = map[string]func(*testing.T, *fixture){
	"audiences":                      tellAudiences,
	"goes with its entry or not":     tellWithEntry,
	"by mail when it is switched on": tellByMail,
	"no mail to whom has no address": tellNoAddress,
	"a set-up in one mail":           tellSetUp,
	"a set-up that does not end":     tellSetUpOpen,
	"a set-up of two people":         tellSetUpOthers,
	"a set-up that is refused":       tellSetUpRefused,
	"a mail of a set-up on its way":  tellSetUpSent,
}

// mailOn switches mail on, as an administrator does.
func (f *fixture) mailOn(t *testing.T) {
	t.Helper()
	must.OK(t, f.PutSetting(t.Context(), mail.SettingName, settings.Value{
		Text: `{"enabled":true,"host":"mail.example.org","from":"keyward@example.org","language":"de"}`, UpdatedAt: Now,
	}))
}

// tell writes messages with an entry.
func (f *fixture) tell(t *testing.T, messages ...notify.Message) {
	t.Helper()
	must.OK(t, f.AppendAudit(t.Context(), entry(audit.SettingsChanged, "settings").Notifying(messages...)))
}

// lockedOut is a message to alex.
func (f *fixture) lockedOut() notify.Message {
	return notify.Message{
		To: notify.Audience{UserID: f.alex.ID}, Kind: notify.AccountLocked, Message: "m", At: Now, Params: notify.Params{"a": "b"},
	}
}

// outbox lists the messages, oldest first.
func (f *fixture) outbox(t *testing.T) []mail.Message {
	t.Helper()
	list := must.Get(f.ListMail(t.Context(), mail.Filter{}, page.Request{Limit: page.MaxLimit}))(t).Items
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// whoWasTold names the accounts that have a notice.
func (f *fixture) whoWasTold(t *testing.T) string {
	t.Helper()
	var got []string
	users := must.Get(f.ListUsers(t.Context(), access.All(), account.UserFilter{}, page.Request{Limit: page.MaxLimit}))(t).Items
	for _, u := range users {
		if list := f.noticesOf(t, u.ID); len(list) > 0 {
			got = append([]string{u.Username + ":" + strings.Join(list, "+")}, got...)
		}
	}
	return strings.Join(got, " ")
}

// tellAudiences: a message reaches the active members of its audience.
func tellAudiences(t *testing.T, f *fixture) {
	asleep := f.disabled(t, "asleep")
	admin := newAccount("former", access.GlobalAdmin, nil)
	admin.IsActive = false
	must.Get(f.InsertUser(t.Context(), admin, entry(audit.UserCreated, "user")))(t)
	for _, c := range []struct {
		message string
		to      notify.Audience
	}{
		{"person", notify.Audience{UserID: f.alex.ID}},
		{"asleep", notify.Audience{UserID: asleep.ID}},
		{"nobody", notify.Audience{UserID: 1 << 40}},
		{"managers", notify.Audience{OrganizationID: &f.a.ID, Managers: true}},
		{"unmanaged", notify.Audience{OrganizationID: &f.b.ID, Managers: true}},
		{"unowned", notify.Audience{Managers: true}},
		{"admins", notify.Audience{}},
		{"both", notify.Audience{OrganizationID: &f.a.ID}},
		{"other", notify.Audience{OrganizationID: &f.a.ID, Except: f.manager.ID}},
	} {
		f.tell(t, notify.Message{To: c.to, Kind: notify.ReleaseLimit, Message: c.message, At: Now})
	}
	equal(t, "told", f.whoWasTold(t), "admin:other+both+admins+unowned+unmanaged manager:both+managers alex:person")
}

// tellWithEntry: if the entry is refused, so is the message.
func tellWithEntry(t *testing.T, f *fixture) {
	m := f.lockedOut()
	_, err := f.InsertUser(t.Context(), newAccount("alex", access.User, nil), entry(audit.UserCreated, "user").Notifying(m))
	equal(t, "refused", err != nil, true)
	equal(t, "told", f.noticesOf(t, f.alex.ID), nil)
	must.Get(f.InsertUser(t.Context(), newAccount("carl", access.User, nil), entry(audit.UserCreated, "user").Notifying(m)))(t)
	list := must.Get(f.ListNotices(t.Context(), f.alex.ID, notify.Filter{}, page.Request{Limit: 9}))(t).Items
	equal(t, "told", len(list), 1)
	equal(t, "params", list[0].Params, m.Params)
	equal(t, "read", must.Get(f.ReadNotice(t.Context(), f.alex.ID, list[0].ID, Now))(t).Params, m.Params)
	equal(t, "the entry is read without it", must.Get(f.AuditAfter(t.Context(), f.seen, 9))(t)[0].Notify, nil)
}

// tellByMail: a mail is written beside each notice while mail is on.
func tellByMail(t *testing.T, f *fixture) {
	locked := f.lockedOut()
	f.tell(t, locked)
	equal(t, "mail is off", len(f.outbox(t)), 0)
	f.mailOn(t)
	f.tell(t, locked, notify.Message{To: notify.Audience{OrganizationID: &f.a.ID}, Kind: notify.ReleaseLimit, Message: "m", At: Now})
	f.tell(t, notify.Message{To: notify.Audience{UserID: f.alex.ID}, Kind: "unheard_of", Message: "m", At: Now})
	list := f.outbox(t)
	equal(t, "mails", len(list), 3)
	ids := map[string]bool{}
	for i, want := range []mail.Message{
		{UserID: f.alex.ID, Username: "alex", Address: "alex@example.org", Kind: notify.AccountLocked, Params: locked.Params},
		{UserID: f.admin.ID, Username: "admin", Role: access.GlobalAdmin, Address: "admin@example.org", Kind: notify.ReleaseLimit},
		{UserID: f.manager.ID, Username: "manager", Role: access.OrgManager, OrganizationID: &f.a.ID, Address: "manager@example.org",
			Kind: notify.ReleaseLimit},
	} {
		got := list[i]
		random, host, _ := strings.Cut(got.MessageID, "@")
		if host != "example.org" || len(random) < 26 || ids[random] {
			t.Errorf("message id %q", got.MessageID)
		}
		ids[random] = true
		want.Language, want.Status, want.NextAttemptAt, want.CreatedAt, want.ExpiresAt = "de", mail.Pending, ptr(Now), Now, Now.Add(mail.TriedFor)
		want.ID, want.MessageID = got.ID, got.MessageID
		equal(t, cmp.Or(want.Username, "mail"), got, want)
	}
	named := locked
	named.MailID = "chosen"
	f.tell(t, named)
	equal(t, "the id that was chosen", f.outbox(t)[3].MessageID, "chosen@example.org")
	former := locked
	former.Address = "former@example.org"
	f.tell(t, former)
	equal(t, "the address that was", f.outbox(t)[4].Address, "former@example.org")
	find := func(filter mail.Filter) int {
		return len(must.Get(f.ListMail(t.Context(), filter, page.Request{Limit: 9}))(t).Items)
	}
	equal(t, "of a username", find(mail.Filter{Q: "ANAGE"}), 1)
	equal(t, "of an address", find(mail.Filter{Q: "alex@", Status: mail.Pending}), 2)
	equal(t, "sent", find(mail.Filter{Status: mail.Sent}), 0)
}

// tellNoAddress: an account without an address sees it on the page.
func tellNoAddress(t *testing.T, f *fixture) {
	f.mailOn(t)
	u := newAccount("silent", access.User, nil)
	u.Email = ""
	u = must.Get(f.InsertUser(t.Context(), u, entry(audit.UserCreated, "user")))(t)
	f.tell(t, notify.Message{To: notify.Audience{UserID: u.ID}, Kind: notify.AccountLocked, Message: "m", At: Now})
	equal(t, "told", f.whoWasTold(t), "silent:m")
	equal(t, "mails", len(f.outbox(t)), 0)
}
