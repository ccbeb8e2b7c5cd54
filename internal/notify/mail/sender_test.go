package mail_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/smtpserver"
)

func TestSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.on(func(s *mail.Settings) { s.Language = "de" })
	w.tell()
	s, _ := w.sender(w.db)
	m := w.until(s, "sent", is(mail.Sent))
	got := w.took(1)[0]
	if m.Attempts != 1 || m.Error != "" || !m.SentAt.Equal(w.clock.now()) || got.ID() != m.MessageID || got.To[0] != "alex@example.org" {
		t.Errorf("%+v\n%+v", m, got)
	}
	if !strings.Contains(got.Raw, "https://keys.example.org/profile") || got.Header("Content-Language") != "de" {
		t.Errorf("the letter:\n%s", got.Raw)
	}
	await.That(t, "its count", func() bool { // counted after the record
		sent, failed, again := s.Counts()
		return sent == 1 && failed+again == 0
	})
}

// TestGreylisted: a temporarily refused message is retried at growing intervals, for a day.
func TestGreylisted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Be(t, smtpserver.Behaviour{Rcpt: "451 4.7.1 Later"})
	w.on()
	w.tell()
	s, _ := w.sender(w.db)
	pauses := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 4 * time.Hour}
	for i, want := range pauses {
		m := w.until(s, "put off", w.putOff(i+1))
		wait := m.NextAttemptAt.Sub(w.clock.now())
		if wait < want*8/10 || wait > want*12/10 || m.Error != mail.Greylisted || m.Reply != "451 4.7.1" {
			t.Errorf("after attempt %d: %v, want about %v: %+v", i+1, wait, want, m)
		}
		if i < len(pauses)-1 {
			w.clock.pass(m.NextAttemptAt.Sub(w.clock.now()))
		}
	}
	w.server.Be(t, smtpserver.Behaviour{})
	w.clock.pass(5 * time.Hour)
	if m := w.until(s, "sent", is(mail.Sent)); m.Error != "" || m.Reply != "" || w.took(1)[0].ID() != m.MessageID {
		t.Errorf("%+v", m)
	}
	w.server.Be(t, smtpserver.Behaviour{Rcpt: "451 4.7.1 Later"})
	w.tell()
	w.until(s, "put off", w.putOff(1))
	w.clock.pass(mail.TriedFor)
	if m := w.until(s, "given up", is(mail.Failed)); m.Error != mail.Greylisted {
		t.Errorf("%+v", m)
	}
	if u := must.Get(w.db.User(t.Context(), access.All(), w.alex.ID))(t); u.MailFailedAt != nil {
		t.Errorf("%+v", u)
	}
}

// TestMailboxFull: a failing address is marked, and unmarked after a successful mail.
func TestMailboxFull(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Be(t, smtpserver.Behaviour{Rcpt: "552 5.2.2 Full"})
	w.on()
	w.tell()
	s, _ := w.sender(w.db)
	m := w.until(s, "failed", is(mail.Failed))
	if m.Error != mail.MailboxFull || m.Reply != "552 5.2.2" || m.Attempts != 1 {
		t.Errorf("%+v", m)
	}
	state := func() account.User { return must.Get(w.db.User(t.Context(), access.All(), w.alex.ID))(t) }
	if u := state(); u.MailFailedAt == nil || u.MailError != "mailbox_full" {
		t.Errorf("%+v", u)
	}
	w.server.Be(t, smtpserver.Behaviour{})
	w.on(func(s *mail.Settings) { s.Enabled = false })
	if _, err := w.service.Retry(t.Context(), admin, m.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("sent again while mail is off: %v", err)
	}
	w.on()
	must.Get(w.service.Retry(t.Context(), admin, m.ID))(t)
	w.until(s, "sent", is(mail.Sent))
	if u := state(); u.MailFailedAt != nil || u.MailError != "" {
		t.Errorf("%+v", u)
	}
}

// TestDiesAfterData: it is unknown whether the server took the message. It is sent
// again, with the same Message-ID, and recorded once.
func TestDiesAfterData(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Be(t, smtpserver.Behaviour{DieAfterData: true})
	w.on()
	w.tell()
	s, _ := w.sender(w.db)
	m := w.until(s, "put off", w.putOff(1))
	if m.Error != mail.ConnectionLost {
		t.Errorf("%+v", m)
	}
	w.server.Be(t, smtpserver.Behaviour{})
	w.clock.pass(2 * time.Minute)
	m = w.until(s, "sent", is(mail.Sent))
	got := w.took(2)
	if len(got) != 2 || got[0].ID() != m.MessageID || got[1].ID() != m.MessageID || len(w.messages()) != 1 {
		t.Errorf("%+v", got)
	}
}

// older is a store as seen by the previous version, which does not know this kind yet.
type older struct{ mail.Store }

func (o older) ClaimMail(ctx context.Context, now, until time.Time, only notify.Kind, limit int) ([]mail.Claim, error) {
	claims, err := o.Store.ClaimMail(ctx, now, until, only, limit)
	for i := range claims {
		claims[i].Kind = "of_tomorrow"
	}
	return claims, err
}

// TestLaterVersion: a kind known only to a newer version that runs beside this one is left
// to that version.
func TestLaterVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.on()
	w.tell()
	s, stop := w.sender(older{w.db})
	left := w.until(s, "left", func(m mail.Message) bool { return m.NextAttemptAt != nil && m.NextAttemptAt.After(w.clock.now()) })
	if left.Status != mail.Pending || left.Attempts != 0 || left.Error != "" {
		t.Errorf("%+v", left)
	}
	stop()
	later, _ := w.sender(w.db)
	w.clock.pass(time.Minute)
	if m := w.until(later, "sent", is(mail.Sent)); m.Attempts != 1 || len(w.took(1)) != 1 {
		t.Errorf("%+v", m)
	}
}

// TestServersTrouble: a fault of the server or the settings makes all messages wait, is
// reported, and ends with its cause.
func TestServersTrouble(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.on(func(s *mail.Settings) { s.Security = mail.STARTTLS }) // its certificate is not trusted
	for range 30 {
		w.tell()
	}
	s, _ := w.sender(w.db)
	trouble := func(class mail.Class) func() bool {
		return func() bool {
			s.Wake()
			st := must.Get(w.service.Health(t.Context()))(t)
			return st.Trouble != nil && st.Trouble.Class == class
		}
	}
	await.That(t, "not trusted", trouble(mail.TLSFailed))
	st := must.Get(w.service.Health(t.Context()))(t)
	if st.Waiting != 30 || !st.Trouble.Since.Equal(w.clock.now()) ||
		!strings.Contains(st.Trouble.Detail(30), "30 messages have been waiting since 2026-05-04 12:00") {
		t.Errorf("%+v: %s", st, st.Trouble.Detail(30))
	}
	// Other settings, but just as wrong: tried at once, then waited for again.
	w.on(func(s *mail.Settings) { s.Security, s.From = mail.STARTTLS, "other@example.org" })
	w.server.Be(t, smtpserver.Behaviour{NoSTARTTLS: true})
	w.clock.pass(time.Minute)
	await.That(t, "no STARTTLS", trouble(mail.TLSRefused))
	w.server.Be(t, smtpserver.Behaviour{})
	w.on(func(s *mail.Settings) { s.Security, s.CAPEM = mail.STARTTLS, w.server.CAPEM })
	w.until(s, "sent", func(mail.Message) bool { return must.Get(w.db.WaitingMail(t.Context()))(t) == 0 })
	if n := len(w.took(30)); n != 30 {
		t.Errorf("%d", n)
	}
	if st := must.Get(w.service.Health(t.Context()))(t); st.Trouble != nil || st.Waiting != 0 {
		t.Errorf("%+v", st)
	}
	for _, m := range w.messages() {
		if m.Status != mail.Sent || m.Attempts != 1 {
			t.Errorf("%+v", m)
		}
	}
}

// TestInvitation: the link is mailed while it is valid, and only the mail has its token.
func TestInvitation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	users := &account.Users{Store: w.db, MailOn: w.service.On, Invitations: w.links.Invitations, Now: w.clock.now}
	bea := w.person("bea", access.User, "")
	if in := must.Get(users.Invite(t.Context(), admin, access.All(), bea.ID))(t); in.Mailed || len(w.messages()) != 0 {
		t.Errorf("mail is off: %+v", in)
	}
	w.on()
	former := must.Get(users.Invite(t.Context(), admin, access.All(), bea.ID))(t)
	in := must.Get(users.Invite(t.Context(), admin, access.All(), bea.ID))(t)
	if !in.Mailed || in.Token.Equal(former.Token) {
		t.Errorf("%+v", in)
	}
	s, _ := w.sender(w.db)
	m := w.until(s, "sent", is(mail.Sent))
	got := w.took(1)
	if len(got) != 1 || got[0].ID() != m.MessageID || !strings.Contains(unfolded(got[0].Raw), in.Token.Reveal()) {
		t.Errorf("%+v", got)
	}
	if list := w.messages(); list[1].Status != mail.Dropped || list[1].Error != mail.LinkExpired {
		t.Errorf("the former one: %+v", list[1])
	}
	must.Both(w.db.Invited(t.Context(), in.Token.Hash()))(t)
	if list := w.messages(); strings.Contains(strings.Join([]string{list[0].MessageID, list[0].Params["by"]}, " "), in.Token.Reveal()) {
		t.Errorf("the outbox has the token: %+v", list[0])
	}
	w.server.Be(t, smtpserver.Behaviour{Rcpt: "451 4.7.1 Later"})
	must.Get(users.Invite(t.Context(), admin, access.All(), bea.ID))(t)
	w.until(s, "put off", w.putOff(1))
	w.server.Be(t, smtpserver.Behaviour{})
	must.OK(t, w.db.TakeInvitation(t.Context(), must.Get(w.links.Token(t.Context(), mail.Random(w.messages()[0].MessageID)))(t).Hash(), "hash",
		w.clock.now()))
	w.clock.pass(2 * time.Minute)
	if m := w.until(s, "dropped", is(mail.Dropped)); m.Error != mail.LinkExpired {
		t.Errorf("a link that was used: %+v", m)
	}
}

// unfolded removes the soft line breaks of quoted-printable.
func unfolded(raw string) string {
	return strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(raw)
}
