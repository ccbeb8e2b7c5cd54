package mail_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/notify/mail/smtp"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/smtpserver"
)

// clock is a time that the test advances.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// world is all of mail on real engines and a real SMTP server, with its own clock.
type world struct {
	*testing.T
	clock   *clock
	db      *store.DB
	vault   vault.Engine
	server  *smtpserver.Server
	service *mail.Service
	links   links
	alex    account.User
}

// links makes the links of invitations, as the server does.
type links struct{ *account.Invitations }

func (l links) Link(ctx context.Context, m mail.Message) (secret.String, bool, error) {
	if m.Kind != notify.Invitation {
		return secret.String{}, true, nil
	}
	return l.Open(ctx, mail.Random(m.MessageID), m.UserID)
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, clock: &clock{at: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}, server: smtpserver.Start(t)}
	dir := t.TempDir()
	w.db = must.Get(engine.Open(t, dir, store.Options{Now: w.clock.now}))(t)
	t.Cleanup(func() { must.OK(t, w.db.Close()) })
	w.vault = must.Get(embedded.Open(t.Context(), embedded.Options{
		Path: filepath.Join(dir, "vault.db"), Seal: embedded.FileSeal(filepath.Join(dir, "seal.key")),
		PublicBase: "https://keys.example.org", CAKeyType: piv.ECP256, Now: w.clock.now,
	}))(t)
	t.Cleanup(func() { must.OK(t, w.vault.Close()) })
	w.service = &mail.Service{
		Rows: w.db, Store: w.db, Vault: w.vault, Transport: smtp.Transport{}, Admitted: w.db.Admitted,
		Wake: func() {}, Now: w.clock.now,
		Writer: mail.Writer{SiteURL: "https://keys.example.org", Zone: time.UTC},
	}
	w.links = links{&account.Invitations{Vault: w.vault, Store: w.db, Now: w.clock.now}}
	w.alex = w.person("alex", access.User, "hash")
	return w
}

func (w *world) person(name string, role access.Role, hash string) account.User {
	w.Helper()
	return must.Get(w.db.InsertUser(w.Context(), account.User{
		Username: name, Email: name + "@example.org", Role: role, IsActive: true, AuthSource: account.Local, PasswordHash: hash,
	}, audit.Entry{Action: audit.UserCreated, Outcome: audit.Success, Actor: audit.System, TargetType: "user"}))(w)
}

var admin = access.Actor{UserID: 1, Username: "admin", Role: access.GlobalAdmin}

// on turns mail on, with changes to settings that work.
func (w *world) on(changes ...func(*mail.Settings)) {
	w.Helper()
	s := mail.DefaultSettings()
	s.Enabled, s.Host, s.Port, s.Security, s.From = true, smtpserver.Host, w.server.Port, mail.NoTLS, "keyward@example.org"
	for _, change := range changes {
		change(&s)
	}
	must.Get(w.service.Change(w.Context(), admin, s, nil))(w)
}

// sender runs a sender until stop, which may be called repeatedly, or the test's end.
func (w *world) sender(db mail.Store, changes ...func(*mail.Sender)) (s *mail.Sender, stop func()) {
	w.Helper()
	service := *w.service
	service.Store = db
	s = &mail.Sender{Service: &service, Links: w.links, Log: slog.New(slog.DiscardHandler)}
	for _, change := range changes {
		change(s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			w.Errorf("the sender: %v", err)
		}
	})
	w.Cleanup(stop)
	return s, stop
}

// tell notifies alex that the account is locked.
func (w *world) tell() { w.tellTo(w.alex) }

func (w *world) tellTo(u account.User) {
	w.Helper()
	w.say(notify.Message{
		To: notify.Audience{UserID: u.ID}, Kind: notify.AccountLocked, At: w.clock.now(), Message: "locked",
		Params: notify.Params{"until": "2026-05-04T12:15:00Z", "attempts": "5", "ip": "192.0.2.1"},
	})
}

func (w *world) say(m notify.Message) {
	w.Helper()
	entry := audit.Entry{Action: audit.Lockout, Outcome: audit.Success, Actor: audit.System}
	must.OK(w, w.db.AppendAudit(w.Context(), entry.Notifying(m)))
}

// messages returns the outbox, newest first.
func (w *world) messages() []mail.Message {
	w.Helper()
	return must.Get(w.service.List(w.Context(), mail.Filter{}, page.Request{Limit: 500}))(w).Items
}

// until wakes the sender until the newest message is right.
func (w *world) until(s *mail.Sender, what string, right func(mail.Message) bool) (last mail.Message) {
	w.Helper()
	await.That(w, what, func() bool {
		s.Wake()
		if list := w.messages(); len(list) > 0 {
			last = list[0]
		}
		return right(last)
	})
	return last
}

// untilNone wakes the sender until nothing waits.
func (w *world) untilNone(s *mail.Sender) {
	w.Helper()
	await.That(w, "that nothing waits", func() bool {
		s.Wake()
		return must.Get(w.db.WaitingMail(w.Context()))(w) == 0
	})
}

// troubled wakes the sender until mail waits because of that class.
func (w *world) troubled(s *mail.Sender, class mail.Class) (t mail.Trouble) {
	w.Helper()
	await.That(w, "trouble: "+string(class), func() bool {
		s.Wake()
		st := must.Get(w.service.Health(w.Context()))(w)
		if st.Trouble != nil {
			t = *st.Trouble
		}
		return t.Class == class
	})
	return t
}

func is(s mail.Status) func(mail.Message) bool {
	return func(m mail.Message) bool { return m.Status == s }
}

// putOff reports whether that many attempts are over, and another is due later.
func (w *world) putOff(attempts int) func(mail.Message) bool {
	return func(m mail.Message) bool {
		return m.Status == mail.Pending && m.Attempts == attempts && m.NextAttemptAt.After(w.clock.now())
	}
}

// took waits until the server has got n messages.
func (w *world) took(n int) []smtpserver.Message {
	w.Helper()
	await.That(w, "messages at the server", func() bool { return len(w.server.Received(w)) >= n })
	return w.server.Received(w)
}
