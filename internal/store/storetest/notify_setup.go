package storetest

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
)

// step is a message to alex about key-1, by a person and so long after Now.
func (f *fixture) step(kind notify.Kind, by string, after time.Duration, more ...string) notify.Message {
	params := notify.Params{"by": by, "serial": "key-1"}
	for i := 0; i < len(more); i += 2 {
		params[more[i]] = more[i+1]
	}
	return notify.Message{To: notify.Audience{UserID: f.alex.ID}, Kind: kind, At: Now.Add(after), Params: params}
}

// steps are those of a set-up by the help desk, up to its end.
func (f *fixture) steps(t *testing.T) {
	t.Helper()
	f.mailOn(t)
	f.tell(t, f.step(notify.TokenAssigned, "desk", 0))
	f.tell(t, f.step(notify.SecretsReleased, "desk", time.Second, "fields", "management_key,puk,pin", "reason", "new card"))
	f.tell(t, f.step(notify.CertificateIssued, "desk", 2*time.Second, "slot", "9a", "attested", "true", "reason", "new card"),
		f.step(notify.CertificateIssued, "desk", 2*time.Second, "slot", "9d", "attested", "false", "reason", "ticket 4711"))
}

// waits lists the mails by their kind, who did what they tell, and when they are due, after Now.
func (f *fixture) waits(t *testing.T) (list []string) {
	t.Helper()
	for _, m := range f.outbox(t) {
		list = append(list, string(m.Kind)+" "+m.Params["by"]+" "+m.NextAttemptAt.Sub(Now).String())
	}
	return list
}

// tellSetUp: the mails about its steps wait for its end, which says them all, and for the PIN after it.
func tellSetUp(t *testing.T, f *fixture) {
	f.device(t, "key-1")
	f.steps(t)
	equal(t, "on the page", len(f.noticesOf(t, f.alex.ID)), 4)
	equal(t, "due", claimed(f.claimMail(t, Now.Add(10*time.Minute-time.Second), 9)), nil)
	f.tell(t, f.step(notify.TokenSetUp, "desk", time.Minute, "label", "Work"))
	equal(t, "in one", f.waits(t), []string{"token_set_up desk 2m0s"})
	said := notify.Params{"by": "desk", "serial": "key-1", "label": "Work", "assigned": "true", "fields": "management_key,puk,pin",
		"slots": "9a,9d", "unproved": "9d", "reason": "new card; ticket 4711"}
	equal(t, "says", f.outbox(t)[0].Params, said)

	f.editDevice(t, "key-1", func(d *hwkey.Device) { d.EnrolledAt = &Now })
	f.tell(t, f.step(notify.TokenUnblocked, "desk", 70*time.Second))
	said["pin"] = "true"
	equal(t, "with the PIN", f.waits(t), []string{"token_set_up desk 1m10s"})
	equal(t, "says", f.outbox(t)[0].Params, said)
	equal(t, "on the page", len(f.noticesOf(t, f.alex.ID)), 5)

	// Later ones are of no set-up.
	c := f.claimMail(t, Now.Add(2*time.Minute), 1)[0]
	f.finishMail(t, c, mail.Result{Status: mail.Dropped, At: Now})
	f.tell(t, f.step(notify.SecretsReleased, "desk", time.Hour, "fields", "pin"))
	equal(t, "later", f.outbox(t)[1].NextAttemptAt.Sub(Now), time.Hour)
}

// tellSetUpOpen: without an end each goes by itself.
func tellSetUpOpen(t *testing.T, f *fixture) {
	f.device(t, "key-1")
	f.steps(t)
	equal(t, "waits", f.waits(t), []string{"token_assigned desk 10m0s", "secrets_released desk 10m1s",
		"certificate_issued desk 10m2s", "certificate_issued desk 10m2s"})
	equal(t, "due", len(f.claimMail(t, Now.Add(10*time.Minute+2*time.Second), 9)), 4)
	f.tell(t, f.step(notify.TokenSetUp, "desk", 11*time.Minute))
	m := f.outbox(t)[4]
	equal(t, "the end", m.Params, notify.Params{"by": "desk", "serial": "key-1"})
}

// tellSetUpOthers: what somebody else did to the token, or the same person to another one, is in a mail of its own.
func tellSetUpOthers(t *testing.T, f *fixture) {
	f.device(t, "key-1")
	f.device(t, "key-2")
	f.steps(t)
	f.tell(t, f.step(notify.SecretsReleased, "other", 3*time.Second, "fields", "pin"),
		f.step(notify.SecretsReleased, "desk", 3*time.Second, "fields", "pin", "serial", "key-2"))
	f.tell(t, f.step(notify.TokenSetUp, "desk", time.Minute))
	equal(t, "mails", f.waits(t), []string{"secrets_released other 1m0s", "secrets_released desk 10m3s", "token_set_up desk 2m0s"})
	f.tell(t, f.step(notify.TokenUnblocked, "other", 61*time.Second))
	equal(t, "the other's PIN", f.waits(t)[3], "token_unblocked other 11m1s")
}

// tellSetUpRefused: an end that is not written takes nothing away.
func tellSetUpRefused(t *testing.T, f *fixture) {
	f.device(t, "key-1")
	f.steps(t)
	_, err := f.InsertUser(t.Context(), newAccount("alex", access.User, nil),
		entry(audit.UserCreated, "user").Notifying(f.step(notify.TokenSetUp, "desk", time.Minute)))
	equal(t, "refused", err != nil, true)
	equal(t, "mails", len(f.waits(t)), 4)
}

// tellSetUpSent: a mail that may have gone already is not taken back.
func tellSetUpSent(t *testing.T, f *fixture) {
	f.device(t, "key-1")
	f.steps(t)
	f.claimMail(t, Now.Add(10*time.Minute), 1)
	f.tell(t, f.step(notify.TokenSetUp, "desk", 10*time.Minute))
	equal(t, "mails", f.waits(t), []string{"token_assigned desk 10m0s", "token_set_up desk 11m0s"})
	equal(t, "says", f.outbox(t)[1].Params["assigned"], "")
	f.claimMail(t, Now.Add(11*time.Minute), 9)
	f.tell(t, f.step(notify.TokenUnblocked, "desk", 11*time.Minute))
	equal(t, "the PIN after it", f.waits(t)[2], "token_unblocked desk 21m0s")
}
