package smtp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	domain "github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/notify/mail/smtp"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/smtpserver"
)

// refused fails the test unless err is that refusal; nil: no error expected.
func refused(t *testing.T, err error, want *domain.Refusal) {
	t.Helper()
	got, known := errors.AsType[*domain.Refusal](err)
	if err != nil && !known {
		t.Fatalf("%T: %v", err, err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
	if err != nil && strings.Contains(err.Error(), "script") {
		t.Errorf("the server's words: %v", err)
	}
}

// ofAll is a refusal that every message would get.
func ofAll(class domain.Class, reply string) *domain.Refusal {
	return &domain.Refusal{Class: class, Reply: reply, Server: true, Over: true}
}

// TestOutcomes: what happens to a message at a real server, class by class; only codes
// of its answers are kept.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	const right = "the password"
	server, free := smtpserver.Start(t), nobody(t)
	var plain smtpserver.Behaviour
	signs := smtpserver.Behaviour{User: "keyward", Password: right, RequireTLS: true}
	clear := smtpserver.Behaviour{User: "keyward", Password: right, NoSTARTTLS: true, AuthInTheClear: true}
	refusing := func(change func(*smtpserver.Behaviour, string)) func(string) smtpserver.Behaviour {
		return func(reply string) (b smtpserver.Behaviour) {
			change(&b, reply+" <script>")
			return b
		}
	}
	sender := refusing(func(b *smtpserver.Behaviour, reply string) { b.Mail = reply })
	recipient := refusing(func(b *smtpserver.Behaviour, reply string) { b.Rcpt = reply })
	message := refusing(func(b *smtpserver.Behaviour, reply string) { b.Data = reply })
	starttls := domain.Settings{
		Host: smtpserver.Host, Port: server.Port, Security: domain.STARTTLS, Username: "keyward", CAPEM: server.CAPEM,
	}
	with := func(change func(*domain.Settings)) domain.Settings {
		s := starttls
		change(&s)
		return s
	}
	overTLS := with(func(s *domain.Settings) { s.Port, s.Security = server.TLSPort, domain.TLS })
	inTheClear := with(func(s *domain.Settings) { s.Security = domain.NoTLS })
	anonymous := with(func(s *domain.Settings) { s.Security, s.Username = domain.NoTLS, "" })
	for _, c := range []struct {
		name     string
		behaves  smtpserver.Behaviour
		settings domain.Settings
		password string
		want     *domain.Refusal
	}{
		{"starttls", signs, starttls, right, nil},
		{"tls", signs, overTLS, right, nil},
		{"in the clear, as told", clear, with(func(s *domain.Settings) { s.Security, s.AllowInsecureAuth = domain.NoTLS, true }), right, nil},
		{"nobody signs in", plain, anonymous, "", nil},
		{"never in the clear unless told", clear, inTheClear, right, ofAll(domain.AuthNeedsTLS, "")},
		{"no STARTTLS", clear, starttls, right, ofAll(domain.TLSRefused, "")},
		{"STARTTLS refused", smtpserver.Behaviour{STARTTLS: "501 5.5.4 <script>"}, starttls, right, ofAll(domain.TLSRefused, "501 5.5.4")},
		{"not trusted", signs, with(func(s *domain.Settings) { s.CAPEM = "" }), right, ofAll(domain.TLSFailed, "")},
		{"TLS where there is none", plain, with(func(s *domain.Settings) { s.Security = domain.TLS }), right, ofAll(domain.TLSFailed, "")},
		{"wrong password", signs, starttls, "wrong", ofAll(domain.AuthFailed, "535 5.7.8")},
		{"a sign-in is wanted", clear, anonymous, "", ofAll(domain.AuthRequired, "530 5.7.0")},
		{"nobody there", plain, with(func(s *domain.Settings) { s.Port = free }), right, ofAll(domain.ConnectFailed, "")},
		{"no such name", plain, with(func(s *domain.Settings) { s.Host = "mail.invalid" }), right, ofAll(domain.NameNotResolved, "")},
		{"sender refused", sender("550 5.7.1"), anonymous, "",
			&domain.Refusal{Class: domain.SenderRefused, Reply: "550 5.7.1", Server: true}},
		{"it goes away", sender("421 4.3.2"), anonymous, "", ofAll(domain.Unavailable, "421 4.3.2")},
		{"greylisted", recipient("451 4.7.1"), anonymous, "", &domain.Refusal{Class: domain.Greylisted, Reply: "451 4.7.1"}},
		{"full", recipient("552 5.2.2"), anonymous, "", &domain.Refusal{Class: domain.MailboxFull, Reply: "552 5.2.2", Final: true}},
		{"full without a second code", recipient("552"), anonymous, "", &domain.Refusal{Class: domain.MailboxFull, Reply: "552", Final: true}},
		{"full for now", recipient("452 4.2.2"), anonymous, "", &domain.Refusal{Class: domain.MailboxFull, Reply: "452 4.2.2"}},
		{"unknown", recipient("550 5.1.1"), anonymous, "", &domain.Refusal{Class: domain.RecipientRefused, Reply: "550 5.1.1", Final: true}},
		{"unknown without a second code", recipient("550"), anonymous, "",
			&domain.Refusal{Class: domain.RecipientRefused, Reply: "550", Final: true}},
		{"no relay", recipient("554 5.7.1"), anonymous, "", &domain.Refusal{Class: domain.SenderRefused, Reply: "554 5.7.1", Rules: true}},
		{"sender refused late", recipient("553 5.1.8"), anonymous, "",
			&domain.Refusal{Class: domain.SenderRefused, Reply: "553 5.1.8", Rules: true}},
		{"barred", recipient("554"), anonymous, "", &domain.Refusal{Class: domain.SenderRefused, Reply: "554", Rules: true}},
		{"spam", message("554 5.7.1"), anonymous, "", &domain.Refusal{Class: domain.MessageRefused, Reply: "554 5.7.1", Final: true}},
		{"not now", message("451 4.3.0"), anonymous, "", &domain.Refusal{Class: domain.Greylisted, Reply: "451 4.3.0"}},
		{"full, said late", message("552 5.2.2"), anonymous, "", &domain.Refusal{Class: domain.MailboxFull, Reply: "552 5.2.2", Final: true}},
		{"it dies", smtpserver.Behaviour{DieAfterData: true}, anonymous, "", &domain.Refusal{Class: domain.ConnectionLost, Over: true}},
	} {
		t.Run(c.name, func(t *testing.T) { //nolint:paralleltest // the server behaves in one way at a time
			server.Be(t, c.behaves)
			before := len(server.Received(t))
			refused(t, send(t.Context(), c.settings, c.password), c.want)
			if c.want == nil || c.want.Class == domain.ConnectionLost {
				before++
			}
			await.That(t, "that it tells what it took", func() bool { return len(server.Received(t)) == before })
		})
	}
}

// TestMeaning: ambiguous codes, told apart by the command and by their words.
func TestMeaning(t *testing.T) {
	t.Parallel()
	server := smtpserver.Start(t)
	anonymous := domain.Settings{Host: smtpserver.Host, Port: server.Port, Security: domain.NoTLS}
	signs := domain.Settings{
		Host: smtpserver.Host, Port: server.Port, Security: domain.STARTTLS, CAPEM: server.CAPEM, Username: "keyward",
	}
	inTheClear := signs
	inTheClear.Security, inTheClear.AllowInsecureAuth = domain.NoTLS, true
	of := func(class domain.Class, reply string) *domain.Refusal {
		return &domain.Refusal{Class: class, Reply: reply, Final: reply[0] == '5'}
	}
	type be = smtpserver.Behaviour
	hello := func(reply string) be { return be{Hello: reply} }
	begin := func(reply string) be { return be{BeginData: reply} }
	for _, c := range []struct {
		name     string
		behaves  be
		settings domain.Settings
		want     *domain.Refusal
	}{
		{"the name, at once", hello("504 5.5.2 <vm>: need fully-qualified hostname"), anonymous, ofAll(domain.HeloRefused, "504 5.5.2")},
		{"the name, Exim", hello("501 Syntactically invalid argument(s)"), anonymous, ofAll(domain.HeloRefused, "501")},
		{"the name, for now", hello("450 4.7.1 <vm>: Helo command rejected"), anonymous, ofAll(domain.HeloRefused, "450 4.7.1")},
		{"the name, at MAIL", be{Mail: "550 Bad HELO - see RFC 2821"}, anonymous, ofAll(domain.HeloRefused, "550")},
		{"the name, at RCPT", be{Rcpt: "504 5.5.2 <vm>: Helo command rejected: need fully-qualified hostname"}, anonymous,
			ofAll(domain.HeloRefused, "504 5.5.2")},
		{"the name, at DATA", begin("554 5.7.1 <vm>: Helo command rejected: Access denied"), anonymous, ofAll(domain.HeloRefused, "554 5.7.1")},
		{"somebody called helo", be{Rcpt: "550 5.1.1 <helo@example.org>: user unknown"}, anonymous, of(domain.RecipientRefused, "550 5.1.1")},
		{"a host called ehlo", be{Rcpt: "550 5.1.1 x@ehlo.example: host ehlo.example says no"}, anonymous,
			of(domain.RecipientRefused, "550 5.1.1")},
		{"another address", be{Rcpt: "504 5.5.2 <a>: Recipient address rejected: need fully-qualified address"}, anonymous,
			&domain.Refusal{Class: domain.SenderRefused, Reply: "504 5.5.2", Rules: true}},
		{"not EHLO", be{Mail: "503 5.5.1 Error: send HELO/EHLO first"}, anonymous,
			&domain.Refusal{Class: domain.SenderRefused, Reply: "503 5.5.1", Server: true}},
		{"the machine", hello("554 5.7.1 Client host rejected"), anonymous, ofAll(domain.SenderRefused, "554 5.7.1")},
		{"busy", hello("450 4.3.2 Try again"), anonymous, ofAll(domain.Unavailable, "450 4.3.2")},
		{"TLS wanted, at MAIL", be{Mail: "530 5.7.0 Must issue a STARTTLS command first"}, anonymous, ofAll(domain.TLSRequired, "530 5.7.0")},
		{"TLS wanted, at AUTH", be{AuthInTheClear: true, Auth: "530 5.7.0 Must issue a STARTTLS command first"}, inTheClear,
			ofAll(domain.TLSRequired, "530 5.7.0")},
		{"TLS wanted for AUTH", be{AuthInTheClear: true, Auth: "538 5.7.11 Encryption required"}, inTheClear,
			ofAll(domain.TLSRequired, "538 5.7.11")},
		{"a sign-in wanted", be{Mail: "530 5.7.57 Client not authenticated"}, anonymous, ofAll(domain.AuthRequired, "530 5.7.57")},
		{"STARTTLS, not now", be{STARTTLS: "454 4.7.0 TLS not available"}, signs, ofAll(domain.Unavailable, "454 4.7.0")},
		{"AUTH, not now", be{Auth: "454 4.7.0 Temporary authentication failure"}, signs, ofAll(domain.Unavailable, "454 4.7.0")},
		{"no AUTH", be{Ways: &[]string{}}, signs, ofAll(domain.AuthNotOffered, "")},
		{"only in TLS", be{}, inTheClear, ofAll(domain.AuthNotOffered, "")},
		{"AUTH that nobody knows", be{Ways: &[]string{"GSSAPI", "NTLM"}}, signs, ofAll(domain.AuthUnsupported, "")},
		{"a token wanted", be{Ways: &[]string{"XOAUTH2"}}, signs, ofAll(domain.TokenMissing, "")},
		{"size, at MAIL", be{Mail: "552 5.3.4 Message size exceeds fixed limit"}, anonymous, of(domain.TooLarge, "552 5.3.4")},
		{"size, at RCPT", be{Rcpt: "552 Message size exceeds limit"}, anonymous, of(domain.TooLarge, "552")},
		{"size", be{Data: "552 5.3.4 Error: message file too big"}, anonymous, of(domain.TooLarge, "552 5.3.4")},
		{"size, Exim", be{Data: "552 Message size exceeds maximum permitted"}, anonymous, of(domain.TooLarge, "552")},
		{"size, without words", be{Data: "552 <script>"}, anonymous, of(domain.TooLarge, "552")},
		{"size, of the mailbox", be{Data: "552 5.2.3 Message length exceeds limit"}, anonymous, of(domain.TooLarge, "552 5.2.3")},
		{"quota", be{Data: "552 Mailbox quota exceeded"}, anonymous, of(domain.MailboxFull, "552")},
		{"greylisted, at DATA", begin("451 4.7.1 Try again later"), anonymous, of(domain.Greylisted, "451 4.7.1")},
		{"greylisted, after it", be{Data: "451 4.7.1 Try again later"}, anonymous, of(domain.Greylisted, "451 4.7.1")},
		{"the server is full, said late", be{Data: "452 4.3.1 Insufficient system storage"}, anonymous, of(domain.Unavailable, "452 4.3.1")},
		{"the server is not able now", be{Data: "450 4.3.2 System not accepting network messages"}, anonymous,
			of(domain.Unavailable, "450 4.3.2")},
		{"greylisted as if it were not able", be{Data: "451 4.3.2 Please try again later"}, anonymous, of(domain.Greylisted, "451 4.3.2")},
		{"no relay, as Postfix says by default", be{Rcpt: "454 4.7.1 <a@example.org>: Relay access denied"}, anonymous,
			&domain.Refusal{Class: domain.SenderRefused, Reply: "454 4.7.1", Rules: true}},
		{"no space", be{Mail: "452 4.3.1 Insufficient system storage"}, anonymous, ofAll(domain.Unavailable, "452 4.3.1")},
		{"no space, at RCPT", be{Rcpt: "452 4.3.1 Insufficient system storage"}, anonymous, of(domain.Unavailable, "452 4.3.1")},
		{"sender, for now", be{Mail: "450 4.1.8 <keyward@example.org>: Domain not found"}, anonymous,
			&domain.Refusal{Class: domain.SenderRefused, Reply: "450 4.1.8", Server: true}},
	} {
		t.Run(c.name, func(t *testing.T) { //nolint:paralleltest // the server behaves in one way at a time
			server.Be(t, c.behaves)
			refused(t, send(t.Context(), c.settings, "right"), c.want)
		})
	}
	if n := len(server.Received(t)); n != 0 {
		t.Errorf("it took %d messages", n)
	}
}

// TestAccessToken: a server that takes only tokens gets the current one at each sign-in;
// no other server gets it, nor one without TLS.
func TestAccessToken(t *testing.T) {
	t.Parallel()
	server := smtpserver.Start(t)
	s := domain.Settings{Host: smtpserver.Host, Port: server.Port, Security: domain.STARTTLS, CAPEM: server.CAPEM, Username: "keyward"}
	given, missing := "first", error(nil)
	token := smtp.Token{Host: smtpserver.Host, Read: func() (secret.String, error) { return secret.New(given), missing }}
	open := func(s domain.Settings, token smtp.Token) error {
		conn, err := smtp.Transport{Token: token}.Open(t.Context(), s, secret.String{})
		if err == nil {
			conn.Close()
		}
		return err
	}
	takes := func(token string) {
		server.Be(t, smtpserver.Behaviour{User: "keyward", Password: token, Ways: &[]string{"XOAUTH2"}, AuthInTheClear: true})
	}
	takes("first")
	must.OK(t, open(s, token))
	takes("second")
	refused(t, open(s, token), ofAll(domain.TokenRefused, "535 5.7.8"))
	given = "second"
	must.OK(t, open(s, token))
	refused(t, open(s, smtp.Token{Host: "smtp.example.org", Read: token.Read}), ofAll(domain.TokenMissing, ""))
	missing = errors.New("no such file")
	refused(t, open(s, token), ofAll(domain.TokenMissing, ""))
	s.Security, s.AllowInsecureAuth, missing = domain.NoTLS, true, nil
	refused(t, open(s, token), ofAll(domain.AuthNeedsTLS, ""))
}

func TestNameOf(t *testing.T) {
	t.Parallel()
	for site, want := range map[string]string{
		"https://keyward.example.org": "keyward.example.org", "http://localhost:8080": "localhost",
		"http://127.0.0.1:8080": "[127.0.0.1]", "https://[2001:db8::1]:8443": "[IPv6:2001:db8::1]", "": "", "https://%": "",
	} {
		if got := smtp.NameOf(site); got != want {
			t.Errorf("%s: %q, want %q", site, got, want)
		}
	}
}

// TestName: the server gets the configured name.
func TestName(t *testing.T) {
	t.Parallel()
	server := smtpserver.Start(t)
	s := domain.Settings{Host: smtpserver.Host, Port: server.Port, Security: domain.STARTTLS, CAPEM: server.CAPEM}
	conn := must.Get(smtp.Transport{Name: "keyward.example.org"}.Open(t.Context(), s, secret.String{}))(t)
	defer conn.Close()
	must.OK(t, conn.Send(t.Context(), t.Context(), letter("a@example.org")))
	await.That(t, "the message", func() bool { return len(server.Received(t)) == 1 })
	if got := server.Received(t)[0].Helo; got != "keyward.example.org" {
		t.Errorf("the server heard %q", got)
	}
}
