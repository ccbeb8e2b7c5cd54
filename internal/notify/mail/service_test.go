package mail_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/smtpserver"
)

// TestTestMessage: it is sent at once, with the saved settings, even while mail is off; a
// refusal says what to do.
func TestTestMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	test := func(to string) (string, error) { return w.service.Test(t.Context(), admin, to) }
	if _, err := test("a@example.org"); !fault.Is(err, fault.Conflict) {
		t.Errorf("nothing is set: %v", err)
	}
	password := secret.New("of the SMTP server")
	set := mail.DefaultSettings()
	set.Host, set.Port, set.From, set.Username, set.CAPEM = smtpserver.Host, w.server.Port, "keyward@example.org", "keyward", w.server.CAPEM
	must.Get(w.service.Change(t.Context(), admin, set, &password))(t)
	if _, err := test("nobody"); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("no address: %v", err)
	}
	w.server.Be(t, smtpserver.Behaviour{User: "keyward", Password: password.Reveal(), RequireTLS: true})
	id := must.Get(test("a@example.org"))(t)
	if got := w.took(1)[0]; got.ID() != id || got.To[0] != "a@example.org" || len(w.messages()) != 0 {
		t.Errorf("%+v", got)
	}
	w.server.Be(t, smtpserver.Behaviour{User: "keyward", Password: "another", RequireTLS: true})
	_, err := test("a@example.org")
	f, _ := fault.As(err)
	if f == nil || f.Code != fault.MailFailed || f.Reason != "auth_failed" || f.Detail == "" ||
		cmp.Diff(f.Params, fault.Params{"host": smtpserver.Host, "reply": "535 5.7.8"}) != "" {
		t.Errorf("%+v", f)
	}
	another := secret.New("another")
	must.Get(w.service.Change(t.Context(), admin, set, &another))(t)
	must.Get(test("a@example.org"))(t)
}

// TestSettings: which settings are refused, and that the password goes only to its server.
func TestSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	password := secret.New("of the SMTP server")
	good := mail.DefaultSettings()
	good.Enabled, good.Host, good.From, good.Username = true, "mail.example.org", "keyward@example.org", "keyward"
	fields := func(password *secret.String, change func(*mail.Settings)) (names []string) {
		next := good
		if change != nil {
			change(&next)
		}
		_, err := w.service.Change(t.Context(), admin, next, password)
		if f, ok := fault.As(err); ok {
			for _, field := range f.Fields {
				names = append(names, field.Field+" "+field.Code)
			}
		} else if err != nil {
			t.Fatal(err)
		}
		slices.Sort(names)
		return names
	}
	check := func(what string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	check("no password", fields(nil, nil), "password required")
	check("all wrong", fields(&password, func(s *mail.Settings) {
		*s = mail.Settings{Enabled: true, Host: "a b", Port: 70000, Security: "ssl", From: "x", FromName: "a\nb", Language: "fr", CAPEM: "x"}
	}), "ca_pem bad_pem", "from bad_email", "from_name bad_text", "host bad_mail_host", "language not_one_of", "port out_of_range",
		"security not_one_of", "username no_username")
	check("empty", fields(nil, func(s *mail.Settings) { s.Host, s.From, s.Username = "", "", "" }), "from required", "host required")
	check("in the clear", fields(&password, func(s *mail.Settings) { s.Security = mail.NoTLS }), "allow_insecure_auth password_in_clear")
	check("good", fields(&password, nil))
	check("as it is", fields(nil, func(s *mail.Settings) { s.FromName = "Keys" }))
	check("to another server", fields(nil, func(s *mail.Settings) { s.Host = "evil.example.org" }), "password password_again")
	check("without a password", fields(new(secret.String), func(s *mail.Settings) { s.Host, s.Username = "evil.example.org", "" }))
	row := must.Get(w.db.Setting(t.Context(), mail.SettingName))(t)
	log := must.Get(w.db.ListAudit(t.Context(), access.All(), audit.Filter{Action: "settings.changed"}, page.Request{Limit: 9}))(t).Items
	if strings.Contains(row.Text, password.Reveal()) || len(log) != 3 || log[0].Details != "changed: from_name, host, password, username" {
		t.Errorf("%s\n%+v", row.Text, log)
	}
}
