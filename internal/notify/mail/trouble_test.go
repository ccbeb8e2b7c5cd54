package mail_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/smtpserver"
)

// readOnly is a database that accepts no records for a while, as during a restore.
type readOnly struct {
	mail.Store

	now   atomic.Bool
	tried atomic.Int64
}

func (r *readOnly) FinishMail(ctx context.Context, c mail.Claim, result mail.Result) (bool, error) {
	if r.now.Load() {
		r.tried.Add(1)
		return false, errors.New("busy")
	}
	return r.Store.FinishMail(ctx, c, result)
}

// TestNothingCanBeRecorded: a sent message that cannot be recorded is not sent again,
// and nothing else is sent before it is.
func TestNothingCanBeRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.on()
	for range 5 {
		w.tell()
	}
	db := &readOnly{Store: w.db}
	db.now.Store(true)
	s, _ := w.sender(db)
	s.Wake()
	await.That(t, "another try to record it", func() bool { return db.tried.Load() > 1 })
	if n := len(w.server.Received(t)); n != 1 {
		t.Errorf("%d messages went out that are not on record", n)
	}
	db.now.Store(false)
	w.untilNone(s)
	if n := len(w.took(5)); n != 5 {
		t.Errorf("%d messages arrived", n)
	}
}

// TestRefusedByRules: an objection to the sender, sent in answer to RCPT, fails no message and
// marks no address; after several in a row all messages wait.
func TestRefusedByRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Be(t, smtpserver.Behaviour{Rcpt: "554 5.7.1 Relay access denied"})
	w.on()
	w.tell()
	s, _ := w.sender(w.db)
	w.until(s, "put off", w.putOff(1))
	for _, name := range []string{"bea", "carl"} {
		w.tellTo(w.person(name, access.User, "hash"))
	}
	w.troubled(s, mail.SenderRefused)
	for _, m := range w.messages() {
		if m.Status != mail.Pending {
			t.Errorf("%+v", m)
		}
	}
	w.server.Be(t, smtpserver.Behaviour{})
	w.clock.pass(2 * time.Minute)
	w.untilNone(s)
	w.took(3)
	if u := must.Get(w.db.User(t.Context(), access.All(), w.alex.ID))(t); u.MailFailedAt != nil {
		t.Errorf("%+v", u)
	}
}

// TestNameRefused: a server that demands another name in EHLO, and says so only after
// RCPT like Postfix, fails no message; the health report names the setting.
func TestNameRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Be(t, smtpserver.Behaviour{Rcpt: "504 5.5.2 <vm>: Helo command rejected: need fully-qualified hostname"})
	w.on()
	w.tell()
	s, _ := w.sender(w.db)
	trouble := w.troubled(s, mail.HeloRefused)
	if got := trouble.Detail(1); !strings.Contains(got, "SMTP_HELO_NAME") || !strings.Contains(got, "504 5.5.2") {
		t.Error(got)
	}
	w.server.Be(t, smtpserver.Behaviour{})
	w.clock.pass(time.Minute)
	w.untilNone(s)
	w.took(1)
}

// counted counts connection attempts.
type counted struct {
	mail.Transport

	opened atomic.Int64
}

func (c *counted) Open(ctx context.Context, s mail.Settings, password secret.String) (mail.Conn, error) {
	c.opened.Add(1)
	return c.Transport.Open(ctx, s, password)
}

// TestWrongPassword: it is tried once, and not again soon, even after a restart: servers
// block clients that keep trying. A changed one is tried at once.
func TestWrongPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	right, wrong := secret.New("right"), secret.New("wrong")
	w.server.Be(t, smtpserver.Behaviour{User: "keyward", Password: right.Reveal(), NoSTARTTLS: true, AuthInTheClear: true})
	connections := &counted{Transport: w.service.Transport}
	w.service.Transport = connections
	with := func(password *secret.String) {
		set := mail.DefaultSettings()
		set.Enabled, set.Host, set.Port, set.From = true, smtpserver.Host, w.server.Port, "keyward@example.org"
		set.Security, set.AllowInsecureAuth, set.Username = mail.NoTLS, true, "keyward"
		must.Get(w.service.Change(t.Context(), admin, set, password))(t)
	}
	with(&wrong)
	for range 40 {
		w.tell()
	}
	s, stop := w.sender(w.db)
	next := w.troubled(s, mail.AuthFailed).NextAttemptAt.Sub(w.clock.now())
	stop()
	if n := connections.opened.Load(); n != 1 || next < 12*time.Minute {
		t.Errorf("%d attempts, the next in %v", n, next)
	}
	w.clock.pass(5 * time.Minute)
	looked := make(chan struct{}, 100)
	s, stop = w.sender(w.db, func(s *mail.Sender) {
		s.Consistent = func() bool {
			looked <- struct{}{}
			return true
		}
	})
	for range 3 {
		s.Wake()
		<-looked
	}
	stop()
	if n := connections.opened.Load(); n != 1 {
		t.Errorf("%d attempts after a restart", n)
	}
	w.clock.pass(time.Second)
	with(&right)
	s, _ = w.sender(w.db)
	w.untilNone(s)
	w.took(40)
}

// TestOlderDatabase: with a database that may be outdated, only the message about that is
// sent: others may have been sent before.
func TestOlderDatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.on()
	boss := w.person("boss", access.GlobalAdmin, "hash")
	w.tell()
	w.say(notify.Message{To: notify.Audience{UserID: boss.ID}, Kind: notify.StoresDisagree, At: w.clock.now(),
		Params: notify.Params{"older": "database"}})
	var settled atomic.Bool
	s, _ := w.sender(w.db, func(s *mail.Sender) { s.Consistent = settled.Load })
	w.until(s, "sent", is(mail.Sent))
	if got := w.took(1); got[0].To[0] != boss.Email {
		t.Errorf("%+v", got)
	}
	if m := w.messages()[1]; m.Status != mail.Pending || m.Attempts != 0 {
		t.Errorf("%+v", m)
	}
	settled.Store(true)
	w.untilNone(s)
	if n := len(w.took(2)); n != 2 {
		t.Errorf("%d messages arrived", n)
	}
}
