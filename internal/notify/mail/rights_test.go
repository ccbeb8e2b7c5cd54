package mail_test

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/smtpserver"
)

// TestDropped: a message is checked again before it is sent.
func TestDropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.on()
	w.tell()
	change := func(to func(*account.User)) {
		must.Both(w.db.ChangeUser(t.Context(), access.All(), w.alex.ID, nil, func(st account.UserState) (account.UserChange, error) {
			to(&st.User)
			entry := audit.Entry{Action: audit.UserUpdated, Outcome: audit.Success, Actor: audit.System}
			return account.UserChange{User: st.User, At: w.clock.now(), Entries: []audit.Entry{entry}}, nil
		}))(t)
	}
	change(func(u *account.User) { u.Email = "another@example.org" })
	s, _ := w.sender(w.db)
	// Account security: it goes to its original address.
	if m := w.until(s, "sent", is(mail.Sent)); m.Address != "alex@example.org" {
		t.Errorf("%+v", m)
	}
	w.server.Be(t, smtpserver.Behaviour{Rcpt: "451 4.7.1 Later"})
	w.tell()
	w.until(s, "put off", w.putOff(1))
	change(func(u *account.User) { u.IsActive = false })
	w.clock.pass(2 * time.Minute)
	if m := w.until(s, "dropped", is(mail.Dropped)); m.Error != mail.UnknownPerson || len(w.server.Received(t)) != 1 {
		t.Errorf("%+v", m)
	}
}

// TestRightsLost: a message for a manager, or to a former address, is not sent once the
// person is no longer a manager, or has another address.
func TestRightsLost(t *testing.T) {
	t.Parallel()
	demote := func(u *account.User) { u.Role = access.User }
	for name, c := range map[string]struct {
		message notify.Message
		change  func(*account.User)
		want    mail.Status
	}{
		"still a manager":      {notify.Message{Kind: notify.CertificatesExpireSummary}, func(*account.User) {}, mail.Sent},
		"a manager no more":    {notify.Message{Kind: notify.CertificatesExpireSummary}, demote, mail.Dropped},
		"another address":      {notify.Message{Kind: notify.TokenAssigned}, func(u *account.User) { u.Email = "new@example.org" }, mail.Dropped},
		"the address is there": {notify.Message{Kind: notify.TokenAssigned}, demote, mail.Sent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			org := must.Get(w.db.InsertOrganization(t.Context(), account.Organization{Name: "Northwind", IsActive: true},
				audit.Entry{Action: audit.OrganizationCreated, Outcome: audit.Success, Actor: audit.System}))(t)
			boss := must.Get(w.db.InsertUser(t.Context(), account.User{
				Username: "boss", Email: "boss@example.org", Role: access.OrgManager, OrganizationID: &org.ID, IsActive: true,
				AuthSource: account.Local, PasswordHash: "hash",
			}, audit.Entry{Action: audit.UserCreated, Outcome: audit.Success, Actor: audit.System, TargetType: "user"}))(t)
			w.on()
			m := c.message
			m.At, m.Params = w.clock.now(), notify.Params{"by": "alex", "serial": "1", "n30": "1", "tokens": "1", "organization": org.Name}
			m.To = notify.Audience{UserID: boss.ID}
			if m.Kind == notify.CertificatesExpireSummary {
				m.To = notify.Audience{OrganizationID: &org.ID, Managers: true}
			}
			w.say(m)
			must.Both(w.db.ChangeUser(t.Context(), access.All(), boss.ID, nil, func(st account.UserState) (account.UserChange, error) {
				c.change(&st.User)
				entry := audit.Entry{Action: audit.UserUpdated, Outcome: audit.Success, Actor: audit.System}
				return account.UserChange{User: st.User, At: w.clock.now(), Entries: []audit.Entry{entry}}, nil
			}))(t)
			s, _ := w.sender(w.db)
			got := w.until(s, "ended", func(m mail.Message) bool { return m.Status != mail.Pending })
			if got.Status != c.want || got.Address != "boss@example.org" {
				t.Errorf("%+v", got)
			}
		})
	}
}
