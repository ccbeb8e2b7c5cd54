package storetest

import (
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/test/must"
)

var mailCases = map[string]func(*testing.T, *fixture){
	"claimed by one":          mailClaim,
	"an outcome ends a claim": mailFinish,
	"put off":                 mailPutOff,
	"an address that fails":   mailAddress,
	"expired":                 mailExpire,
	"retried":                 mailRetry,
	"purged":                  mailPurge,
	"whom it is for":          mailPerson,
	"nowhere to go":           mailNowhere,
	"two take none twice":     mailRace,
}

const mailLease = 5 * time.Minute

// mails switches mail on and writes n messages to alex, a second apart.
func (f *fixture) mails(t *testing.T, n int) []mail.Message {
	t.Helper()
	f.mailOn(t)
	for i := range n {
		m := f.lockedOut()
		m.At = Now.Add(time.Duration(i) * time.Second)
		f.tell(t, m)
	}
	return f.outbox(t)
}

func (f *fixture) claimMail(t *testing.T, at time.Time, limit int) []mail.Claim {
	t.Helper()
	return must.Get(f.ClaimMail(t.Context(), at, at.Add(mailLease), "", limit))(t)
}

func (f *fixture) finishMail(t *testing.T, c mail.Claim, r mail.Result) bool {
	t.Helper()
	return must.Get(f.FinishMail(t.Context(), c, r))(t)
}

func claimed(list []mail.Claim) []int64 {
	var ids []int64
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

// mailClaim: the most overdue first, one at a time, and again when the lease is over.
func mailClaim(t *testing.T, f *fixture) {
	list := f.mails(t, 3)
	equal(t, "before its time", claimed(f.claimMail(t, Now.Add(-time.Second), 9)), nil)
	of := func(kind notify.Kind) []int64 {
		return claimed(must.Get(f.ClaimMail(t.Context(), Now.Add(-time.Hour), Now, kind, 9))(t))
	}
	older := f.lockedOut()
	older.At = Now.Add(-2 * time.Hour)
	f.tell(t, older)
	equal(t, "of another kind", of(notify.StoresDisagree), nil)
	equal(t, "of its kind", of(notify.AccountLocked), []int64{list[2].ID + 1})
	f.finishMail(t, mail.Claim{Message: mail.Message{ID: list[2].ID + 1}, Lease: 1}, mail.Result{Status: mail.Dropped, At: Now})
	equal(t, "due", claimed(f.claimMail(t, Now.Add(time.Second), 9)), []int64{list[0].ID, list[1].ID})
	later := Now.Add(2 * time.Second)
	first := f.claimMail(t, later, 9)
	equal(t, "the others are taken", claimed(first), []int64{list[2].ID})
	want := list[2]
	want.Attempts = 1
	equal(t, "claim", first[0].Message, want)
	equal(t, "while the lease lasts", claimed(f.claimMail(t, later.Add(mailLease-2*time.Second), 9)), nil)
	again := f.claimMail(t, later.Add(mailLease), 2)
	equal(t, "after it", claimed(again), []int64{list[0].ID, list[1].ID})
	equal(t, "attempts", again[0].Attempts, 2)
}

// mailFinish: a former holder of a message decides nothing.
func mailFinish(t *testing.T, f *fixture) {
	f.mails(t, 1)
	former := f.claimMail(t, Now, 1)[0]
	at := Now.Add(mailLease)
	c := f.claimMail(t, at, 1)[0]
	equal(t, "the former one", f.finishMail(t, former, mail.Result{Status: mail.Failed, Attempts: 1, Error: mail.TimedOut, At: at}), false)
	equal(t, "sent", f.finishMail(t, c, mail.Result{Status: mail.Sent, Attempts: 2, At: at}), true)
	equal(t, "twice", f.finishMail(t, c, mail.Result{Status: mail.Failed, Attempts: 2, Error: mail.TimedOut, At: at}), false)
	m := f.outbox(t)[0]
	equal(t, "status", m.Status, mail.Sent)
	equal(t, "attempts", m.Attempts, 2)
	equal(t, "when", m.SentAt, &at)
	equal(t, "next", m.NextAttemptAt, nil)
	equal(t, "waiting", must.Get(f.WaitingMail(t.Context()))(t), 0)
	equal(t, "claimed", claimed(f.claimMail(t, at.Add(24*time.Hour), 9)), nil)
}

func mailPutOff(t *testing.T, f *fixture) {
	f.mails(t, 1)
	c := f.claimMail(t, Now, 1)[0]
	next := Now.Add(time.Minute)
	equal(t, "put off", f.finishMail(t, c, mail.Result{
		Status: mail.Pending, Attempts: 1, NextAttemptAt: &next, Error: mail.Greylisted, Reply: "451 4.7.1", At: Now}), true)
	equal(t, "before", claimed(f.claimMail(t, next.Add(-time.Second), 9)), nil)
	equal(t, "waiting", must.Get(f.WaitingMail(t.Context()))(t), 1)
	c = f.claimMail(t, next, 9)[0]
	equal(t, "why", string(c.Error)+" "+c.Reply, "greylisted 451 4.7.1")
	equal(t, "attempts", c.Attempts, 2)
}

// mailAddress: a failing address is shown with its account, until a mail arrives or the address
// changes.
func mailAddress(t *testing.T, f *fixture) {
	f.mails(t, 4)
	state := func() string {
		u := must.Get(f.User(t.Context(), access.All(), f.alex.ID))(t)
		if u.MailFailedAt == nil {
			return u.MailError
		}
		return u.MailFailedAt.Sub(Now).String() + " " + u.MailError
	}
	at := Now.Add(time.Minute)
	list := f.claimMail(t, at, 9)
	f.finishMail(t, list[0], mail.Result{Status: mail.Failed, Error: mail.MessageRefused, At: at})
	equal(t, "a message that is refused", state(), "")
	f.finishMail(t, list[1], mail.Result{Status: mail.Failed, Error: mail.RecipientRefused, At: at})
	equal(t, "an address that is refused", state(), "1m0s recipient_refused")
	at = at.Add(time.Minute)
	f.finishMail(t, list[2], mail.Result{Status: mail.Failed, Error: mail.MailboxFull, At: at})
	equal(t, "since the first", state(), "1m0s mailbox_full")
	change := func(email string) {
		must.Both(f.ChangeUser(t.Context(), access.All(), f.alex.ID, nil, func(s account.UserState) (account.UserChange, error) {
			s.User.Email = email
			return account.UserChange{User: s.User, At: Now, Entries: []audit.Entry{entry(audit.UserUpdated, "user")}}, nil
		}))(t)
	}
	change(f.alex.Email)
	equal(t, "the same address", state(), "1m0s mailbox_full")
	f.finishMail(t, list[3], mail.Result{Status: mail.Sent, At: at})
	equal(t, "a mail arrives", state(), "")

	f.mails(t, 2)
	list = f.claimMail(t, at, 9)
	f.finishMail(t, list[0], mail.Result{Status: mail.Failed, Error: mail.RecipientRefused, At: at})
	change("other@example.org")
	equal(t, "another address", state(), "")
	f.finishMail(t, list[1], mail.Result{Status: mail.Failed, Error: mail.RecipientRefused, At: at})
	equal(t, "the former one fails", state(), "")
}

// mailExpire: a day after it was written a message is no longer tried.
func mailExpire(t *testing.T, f *fixture) {
	list := f.mails(t, 3)
	equal(t, "expires", list[0].ExpiresAt, Now.Add(24*time.Hour))
	end := list[1].ExpiresAt
	c := f.claimMail(t, Now, 1)[0]
	f.finishMail(t, c, mail.Result{Status: mail.Pending, NextAttemptAt: &end, Error: mail.Greylisted, Attempts: 1, At: Now})
	held := f.claimMail(t, end.Add(-time.Second), 1)[0] // the second
	equal(t, "in hand", held.ID, list[1].ID)
	equal(t, "expired", must.Get(f.ExpireMail(t.Context(), end, mail.TLSFailed, 9))(t), 1)
	at := list[2].ExpiresAt.Add(mailLease)
	equal(t, "one at a time", must.Get(f.ExpireMail(t.Context(), at, mail.TLSFailed, 1))(t), 1)
	equal(t, "the rest", must.Get(f.ExpireMail(t.Context(), at, mail.TLSFailed, 9))(t), 1)
	equal(t, "none", must.Get(f.ExpireMail(t.Context(), at, mail.TLSFailed, 9))(t), 0)
	equal(t, "who had it decides nothing", f.finishMail(t, held, mail.Result{Status: mail.Sent, At: at}), false)
	equal(t, "why", names(f.outbox(t), func(m mail.Message) string { return string(m.Status) + " " + string(m.Error) }),
		[]string{"failed greylisted", "failed tls_failed", "failed tls_failed"})
}

func mailRetry(t *testing.T, f *fixture) {
	m := f.mails(t, 1)[0]
	retried := entry(audit.MailRetried, "mail")
	refused(t, "none", errOf(f.RetryMail(t.Context(), m.ID+1, Now, retried)), fault.NotFound)
	refused(t, "pending", errOf(f.RetryMail(t.Context(), m.ID, Now, retried)), fault.Conflict)
	f.finishMail(t, f.claimMail(t, Now, 1)[0], mail.Result{Status: mail.Failed, Attempts: 1, Error: mail.RecipientRefused, At: Now})
	at := Now.Add(48 * time.Hour)
	got := must.Get(f.RetryMail(t.Context(), m.ID, at, retried))(t)
	equal(t, "retried", []any{got.Status, got.Attempts, *got.NextAttemptAt, got.ExpiresAt, got.MessageID},
		[]any{mail.Pending, 0, at, at.Add(24 * time.Hour), m.MessageID})
	equal(t, "expired", must.Get(f.ExpireMail(t.Context(), at, mail.TimedOut, 9))(t), 0)
	equal(t, "claimed", claimed(f.claimMail(t, at, 1)), []int64{m.ID})
	log := f.logged(t)
	equal(t, "log", log[len(log)-1], "mail.retried mail "+audit.ID(m.ID))
}

// mailPurge: ended messages go in the end; others stay.
func mailPurge(t *testing.T, f *fixture) {
	f.mails(t, 3)
	at := Now.Add(time.Minute)
	list := f.claimMail(t, at, 2)
	f.finishMail(t, list[0], mail.Result{Status: mail.Dropped, Error: mail.UnknownPerson, At: at})
	f.finishMail(t, list[1], mail.Result{Status: mail.Sent, At: at.Add(time.Second)})
	equal(t, "not yet", must.Get(f.PurgeMail(t.Context(), at, 9))(t), 0)
	equal(t, "one", must.Get(f.PurgeMail(t.Context(), at.Add(time.Hour), 1))(t), 1)
	equal(t, "the other", must.Get(f.PurgeMail(t.Context(), at.Add(time.Hour), 9))(t), 1)
	equal(t, "left", names(f.outbox(t), func(m mail.Message) string { return string(m.Status) }), []string{"pending"})
}

func mailPerson(t *testing.T, f *fixture) {
	equal(t, "manager", must.Get(f.MailPerson(t.Context(), f.manager.ID))(t), mail.Person{
		Username: "manager", Email: "manager@example.org", Role: access.OrgManager, OrganizationID: &f.a.ID, Active: true})
	equal(t, "disabled", must.Get(f.MailPerson(t.Context(), f.disabled(t, "asleep").ID))(t).Active, false)
	refused(t, "nobody", errOf(f.MailPerson(t.Context(), 1<<40)), fault.NotFound)
}

// mailNowhere: an account with a placeholder email is notified only in Keyward.
func mailNowhere(t *testing.T, f *fixture) {
	f.mailOn(t)
	for _, email := range []string{"alex@localhost", "alex@LocalHost"} {
		f.changed(t, f.alex.ID, func(u *account.User) { u.Email = email })
		f.tell(t, f.lockedOut())
		equal(t, email, must.Get(f.Preferences(t.Context(), f.alex.ID))(t).Address, "")
	}
	equal(t, "mail", len(f.outbox(t)), 0)
	equal(t, "notices", len(f.noticesOf(t, f.alex.ID)), 2)
	f.changed(t, f.alex.ID, func(u *account.User) { u.Email = "alex@localhost.example" })
	f.tell(t, f.lockedOut())
	equal(t, "another host", len(f.outbox(t)), 1)
}

// mailRace: of several concurrent claimers, one gets each message.
func mailRace(t *testing.T, f *fixture) {
	all := f.mails(t, 12)
	at := Now.Add(time.Hour)
	var mu sync.Mutex
	got := map[int64]int{}
	equal(t, "claims", race(func(int) error {
		for {
			list, err := f.ClaimMail(t.Context(), at, at.Add(mailLease), "", 2)
			if err != nil || len(list) == 0 {
				return err
			}
			mu.Lock()
			for _, c := range list {
				got[c.ID]++
			}
			mu.Unlock()
		}
	}), map[fault.Code]int{"": racers})
	for _, m := range all {
		equal(t, string(notify.AccountLocked), got[m.ID], 1)
	}
}
